//===- Levels.h - code for several levels of processors in one module -----===//

#ifndef CELLGRAD_PASSES_EMIT_LEVELS_H
#define CELLGRAD_PASSES_EMIT_LEVELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace cellgrad {

/// A model's code for one level.
struct LevelCode {
  std::string name;  ///< of the target
  uint64_t features; ///< that it needs: mask of runtime/cpu.h
  std::unique_ptr<llvm::Module> code;
};

/// Gives the entries of all `modules`, the same program lowered for several
/// targets, arenas that are large enough for each of them. An error where the
/// programs are not the same to a caller.
mlir::LogicalResult shareArenas(llvm::ArrayRef<mlir::ModuleOp> modules);

/// One module of all levels, the best first: functions that the caller sees
/// run those of the first level of which the processor lacks nothing, and of
/// the last where there is none, which then says so.
llvm::Expected<std::unique_ptr<llvm::Module>>
joinLevels(std::vector<LevelCode> levels);

} // namespace cellgrad

#endif
