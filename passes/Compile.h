//===- Compile.h - from any stage to files --------------------------------===//
//
// What cellc and the Python module share: the pipeline that fits a module, its
// passes with timings and dumps, then emission.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_COMPILE_H
#define CELLGRAD_PASSES_COMPILE_H

#include "passes/emit/Emit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <memory>
#include <string>

namespace cellgrad {
struct Target;

struct CompileOptions {
  EmitOptions emit;
  std::string
      pipeline; ///< textual; empty: the one that fits the module's stage
  bool verifyEach = true;  ///< verify the IR after every pass
  bool checkNans = false;  ///< an op that gives NaN ends the call
  std::string loweredMLIR; ///< when not empty, a file for the LLVM dialect
};

/// A context with every dialect of the project, single-threaded: the modules
/// are small.
std::unique_ptr<mlir::MLIRContext> createContext();

/// The passes that take `module` to the LLVM dialect, by what it holds: all for
/// cell ops or derivatives, those from linalg on for tensors, none for the LLVM
/// dialect. `target` decides the width of vectors and the use of fma.
std::string pipelineFor(mlir::ModuleOp module, const Target &target);

/// Runs the pipeline on `module`, in place, and writes `outputs`. Failures are
/// diagnostics.
mlir::LogicalResult compile(mlir::ModuleOp module,
                            const CompileOptions &options,
                            const EmitOutputs &outputs,
                            Timings *timings = nullptr);

} // namespace cellgrad

#endif
