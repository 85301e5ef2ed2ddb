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
#include <optional>
#include <string>

namespace cellgrad {
struct Target;

/// A file, and the kind of GPU that its code is for.
struct PtxOutput {
  std::string chip, path;
};

struct CompileOptions {
  EmitOptions emit;
  std::string
      pipeline; ///< textual; empty: the one that fits the module's stage
  /// Entries run on a GPU: kernels, and host programs that launch them.
  bool cuda = false;
  bool verifyEach = true; ///< verify the IR after every pass
  bool checkNans = false; ///< an op that gives NaN ends the call
  bool poison = false;    ///< temporaries are NaN where they are not needed
  bool profile = false;   ///< kernels tell the probe of the caller's context
  int64_t kernelBytes = 65536;    ///< least traffic that a kernel of ops saves
  int64_t bucketBytes = 25 << 20; ///< most bytes of reductions that are one
  std::string loweredMLIR; ///< when not empty, a file for the LLVM dialect
  std::string plan; ///< when not empty, a file for the kernels in numbers
  /// When not empty, a file for what is in memory when most is: JSON, or text
  /// where the name ends in ".txt" or is "-", standard output.
  std::string memoryReport;
  std::string page; ///< when not empty, a file of HTML that shows all stages
  /// When not empty, files that get the PTX of the module's device code, each
  /// for a chip: nothing else is written.
  std::vector<PtxOutput> ptx;
  std::string reproducers; ///< the folder for programs on which the compiler
                           ///< fails; empty: one in the user's cache
};

/// A failure of the compiler itself, not of the program.
struct InternalFailure {
  std::string stage;      ///< the pass or the step that failed
  std::string construct;  ///< what of the program it failed on, if that is
                          ///< known: "'cell.conv'"
  std::string reproducer; ///< the file with the program; empty: none
  std::string command;    ///< fails in the same way
};

/// A context with every dialect of the project, single-threaded: the modules
/// are small.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Whether the module is a program of cell ops: it holds some, or has an open
/// batch.
bool holdsCellOps(mlir::ModuleOp module);

/// The passes that take `module` to the LLVM dialect, by what it holds: all for
/// cell ops or derivatives, those from linalg on for tensors, none for the LLVM
/// dialect. `target` decides the width of vectors and the use of fma, `options`
/// whether temporaries share memory, and are NaN where they are not needed.
std::string pipelineFor(mlir::ModuleOp module, const Target &target,
                        const CompileOptions &options);

/// Runs the pipeline on a copy of `module` and writes `outputs`. Failures are
/// diagnostics: of the program, at the op to blame; or one of the compiler,
/// which names the reproducer it has written and of which `failure` tells.
mlir::LogicalResult compile(mlir::ModuleOp module,
                            const CompileOptions &options,
                            const EmitOutputs &outputs,
                            Timings *timings = nullptr,
                            std::optional<InternalFailure> *failure = nullptr);

} // namespace cellgrad

#endif
