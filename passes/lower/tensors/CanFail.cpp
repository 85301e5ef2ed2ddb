//===- CanFail.cpp - ops at which a call may end --------------------------===//

#include "passes/lower/tensors/CanFail.h"

#include "dialect/CollectiveOps.h"

using namespace mlir;
using namespace cellgrad;

bool cellgrad::canFail(Operation *op) {
  return isa<CheckOp, PollOp, StashEmptyOp, StashWriteOp, StashStoreOp>(op) ||
         communicates(op);
}
