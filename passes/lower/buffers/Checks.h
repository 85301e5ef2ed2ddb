//===- Checks.h - what checks say, and the statuses that stand for it -----===//

#ifndef CELLGRAD_LOWER_BUFFERS_CHECKS_H
#define CELLGRAD_LOWER_BUFFERS_CHECKS_H

#include "dialect/CellDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace cellgrad {

/// The line of the program that `loc` leads to, as "file:line"; or nothing.
std::string lineOf(mlir::Location loc);

/// Every cell.check of `module` with the status that a call ends with where it
/// does not hold: CG_ERROR_CHECK plus the place of what the check says in the
/// module's `cell.checks`, which this sets.
llvm::SmallVector<std::pair<CheckOp, int32_t>>
collectChecks(mlir::ModuleOp module);

} // namespace cellgrad

#endif
