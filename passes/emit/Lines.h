//===- Lines.h - the program's lines for debuggers and profilers ----------===//

#ifndef CELLGRAD_PASSES_EMIT_LINES_H
#define CELLGRAD_PASSES_EMIT_LINES_H

#include "mlir/IR/BuiltinOps.h"

namespace cellgrad {

/// Gives every op of `module`, in the LLVM dialect, one line of the program
/// and a scope, so that the code has tables of lines. An op that was made of
/// several has the first of their lines, one without a line that of the op
/// before it.
mlir::LogicalResult addLines(mlir::ModuleOp module);

} // namespace cellgrad

#endif
