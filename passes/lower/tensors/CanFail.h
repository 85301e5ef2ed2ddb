//===- CanFail.h - ops at which a call may end ----------------------------===//

#ifndef CELLGRAD_LOWER_TENSORS_CANFAIL_H
#define CELLGRAD_LOWER_TENSORS_CANFAIL_H

#include "mlir/IR/Operation.h"

namespace cellgrad {

/// Whether a call may end at `op` with a status: a check that does not hold,
/// memory that runs out, a limit, the caller's wish.
bool canFail(mlir::Operation *op);

} // namespace cellgrad

#endif
