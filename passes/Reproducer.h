//===- Reproducer.h - a program on which the compiler fails, as a file ----===//

#ifndef CELLGRAD_PASSES_REPRODUCER_H
#define CELLGRAD_PASSES_REPRODUCER_H

#include "passes/Compile.h"

namespace cellgrad {

/// The `cellc` command line with these options, without the input.
std::string reproducerCommand(const CompileOptions &options);

/// Writes `program`, with its locations, the command that fails on it and the
/// words of the failure as comments, and returns the path: in the folder of the
/// options, or among the temporary files where that cannot be written. Equal
/// files are written once; the newest 16 of 256 MiB at most are kept. Empty if
/// no file could be written.
std::string writeReproducer(mlir::ModuleOp program,
                            const CompileOptions &options,
                            const InternalFailure &failure,
                            llvm::StringRef words);

} // namespace cellgrad

#endif
