//===- Emit.h - LLVM dialect to files a C program can use -----------------===//
//
// The end of the line: a module of lowered entry functions becomes a shared
// object and a C header, or any of the texts and objects on the way. All of it
// in this process.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_EMIT_H
#define CELLGRAD_PASSES_EMIT_EMIT_H

#include "passes/emit/Timings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cellgrad {

/// How to generate code.
struct EmitOptions {
  std::string model = "model";   ///< name in every exported symbol
  std::string target = "native"; ///< see resolveTarget
  unsigned optLevel = 2;         ///< 0 to 3, see optimize
  /// How many threads may generate the machine code of a shared object, whose
  /// bytes depend on it: of a file that somebody keeps, one.
  unsigned threads = 1;
  /// The kinds of GPU to generate device code for, where the module has such.
  std::vector<std::string> chips = {"sm_80"};
  /// NVIDIA's assembler, for machine code beside the PTX; empty: PTX alone.
  std::string ptxas;
  /// Code has the lines of the program that it was made of, for debuggers and
  /// profilers.
  bool lines = false;
  /// Every access to memory is checked when the code runs, in a process that
  /// has AddressSanitizer's runtime.
  bool sanitizeAddress = false;
  /// Two accesses of which nothing says which is first, one of them a write,
  /// are told of, in a process that has ThreadSanitizer's runtime.
  bool sanitizeThread = false;
  /// The bytes of a .safetensors file that becomes a part of the model; empty:
  /// none.
  llvm::StringRef weights;
  /// LLVM's IR is verified, too, when it is made of verified MLIR.
  bool verify = true;
  std::string dumpDirectory; ///< when not empty, the LLVM IR after each stage
};

/// A file of the caller's: its contents are `pieces`, one after the other.
struct ExtraFile {
  std::string path;
  std::vector<llvm::StringRef> pieces;
};

/// Which files to write; an empty path is a file not wanted. They appear whole,
/// and all together or not at all: see FileSet.
struct EmitOutputs {
  std::string sharedObject; ///< of wasm32 the .wasm file
  std::string object, archive, assembly, llvmIR, header;
  std::string module;  ///< the ES module that loads a .wasm file
  std::string runtime; ///< the object that assembly and LLVM IR refer to
  /// In other languages: a C++ header, a Python and a Rust module, a loader of
  /// weights in C.
  std::string cpp, python, rust, weightsLoader;
  std::string pkgConfig, cmakeConfig; ///< for build systems
  std::vector<ExtraFile> extra;       ///< that appear with them
  bool durable = false; ///< on the disk before they take their places
};

/// What the error of a file that cannot be written tells besides its words.
struct FileFailure {
  std::string path, reason;
  int number; ///< errno, or 0
};

/// An error at `location` in the words of `error`: nobody's mistake here if it
/// is of a file, which fileFailure then finds in it.
mlir::InFlightDiagnostic refuse(mlir::Location location, llvm::Error error);
std::optional<FileFailure> fileFailure(mlir::Diagnostic &diagnostic);

/// Adds the dialect interfaces emission needs.
void registerEmitDialects(mlir::DialectRegistry &registry);

/// Emits `modules`, one program for each name in the options' target, in that
/// order; all are in the LLVM dialect and have entry functions with
/// `cell.signature` (or went through cell-emit-abi already). They are changed.
/// Failures are diagnostics at a module or at the operation to blame.
mlir::LogicalResult emitArtifact(llvm::ArrayRef<mlir::ModuleOp> modules,
                                 const EmitOptions &options,
                                 const EmitOutputs &outputs,
                                 Timings *timings = nullptr);

} // namespace cellgrad

#endif
