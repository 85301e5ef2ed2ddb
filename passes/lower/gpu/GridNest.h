//===- GridNest.h - ops whose results a grid can share --------------------===//

#ifndef CELLGRAD_LOWER_GPU_GRIDNEST_H
#define CELLGRAD_LOWER_GPU_GRIDNEST_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace cellgrad {

/// How many steps `op` has if blocks can share its results without waiting for
/// each other: an op of linalg, or a copy, on buffers of static shape, each of
/// whose results has a place of its own. 0 for other ops.
int64_t gridSteps(mlir::Operation *op);

/// The fills of what `op` accumulates into, in order, where it may start from
/// the values instead: nothing in between touches these buffers, nor does `op`
/// otherwise, and it writes all of each.
llvm::SmallVector<mlir::Operation *> fillsOfGrid(mlir::Operation *op);

} // namespace cellgrad

#endif
