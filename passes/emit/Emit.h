//===- Emit.h - LLVM dialect to files a C program can use -----------------===//
//
// The end of the line: a module of lowered entry functions becomes a shared
// object and a C header, or any of the texts and objects on the way. All of it
// in this process.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_EMIT_H
#define CELLGRAD_PASSES_EMIT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cellgrad {

/// How to generate code.
struct EmitOptions {
  std::string model = "model";   ///< name in every exported symbol
  std::string target = "native"; ///< see resolveTarget
  unsigned optLevel = 2;         ///< 0 to 3, see optimize
  std::string dumpDirectory; ///< when not empty, the LLVM IR after each stage
};

/// Which files to write; an empty path is a file not wanted. Files appear whole
/// or not at all: each is written under another name and renamed.
struct EmitOutputs {
  std::string sharedObject, object, assembly, llvmIR, header;
};

/// The time of each stage in milliseconds, in order.
using Timings = std::vector<std::pair<std::string, double>>;

/// Adds the dialect interfaces emission needs.
void registerEmitDialects(mlir::DialectRegistry &registry);

/// Emits `module`, which is in the LLVM dialect and has entry functions with
/// `cell.signature` (or went through cell-emit-abi already). The module is
/// changed. Failures are diagnostics at the module or at the operation to
/// blame.
mlir::LogicalResult emitArtifact(mlir::ModuleOp module,
                                 const EmitOptions &options,
                                 const EmitOutputs &outputs,
                                 Timings *timings = nullptr);

/// Writes a file that contains `text`.
llvm::Error writeText(llvm::StringRef path, llvm::StringRef text);

/// Writes the file `path` by calling `write` with the name of a temporary file
/// beside it, which replaces `path` when `write` succeeds. Failures are
/// diagnostics at `location`.
mlir::LogicalResult writeAtomically(
    mlir::Location location, llvm::StringRef path,
    llvm::function_ref<llvm::Error(llvm::StringRef temporary)> write);

} // namespace cellgrad

#endif
