//===- Check.h - ways out of an entry -------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_CHECK_H
#define CELLGRAD_LOWER_CPU_CHECK_H

#include "mlir/IR/BuiltinOps.h"

namespace cellgrad {

/// Whether a call may end at `op` with a status: a check that does not hold,
/// memory that runs out, a limit, the caller's wish.
bool canFail(mlir::Operation *op);

/// Gives every cell.check of a module in the LLVM dialect a status of its own:
/// CG_ERROR_CHECK plus the place of what the check says in the module's
/// `cell.checks`.
void lowerChecks(mlir::ModuleOp module);

/// Marks a cell.end that asks the caller before it ends the call.
constexpr llvm::StringLiteral kAsks = "cell.asks";

/// Makes every cell.end a branch that leaves its function at once.
void lowerEnds(mlir::ModuleOp module);

} // namespace cellgrad

#endif
