//===- Check.h - ways out of an entry -------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_CHECK_H
#define CELLGRAD_LOWER_CPU_CHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace cellgrad {

/// Makes a cell.end of every cell.check of a module in the LLVM dialect.
void lowerChecks(mlir::ModuleOp module);

/// Marks a cell.end that asks the caller before it ends the call.
constexpr llvm::StringLiteral kAsks = "cell.asks";

/// Makes every cell.end a branch that leaves its function at once.
void lowerEnds(mlir::ModuleOp module);

} // namespace cellgrad

#endif
