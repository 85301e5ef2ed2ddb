//===- FillFolding.cpp - the constant a buffer was filled with ------------===//

#include "passes/lower/buffers/FillFolding.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace cellgrad {

/// The buffer that a chain of views starts from.
static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// True when distinct roots are distinct memory: allocations and arguments of
/// an entry point (which do not overlap by contract), not values carried by
/// loops.
static bool isDistinctRoot(Value root) {
  if (auto arg = dyn_cast<BlockArgument>(root))
    return isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
  return root.getDefiningOp<memref::AllocOp>() != nullptr;
}

static bool touches(Operation *op, Value root) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          if (!isa<BaseMemRefType>(operand.getType()))
            continue;
          Value other = rootOf(operand);
          if (other == root || (!isDistinctRoot(other) &&
                                !other.getDefiningOp<memref::GetGlobalOp>()))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

linalg::FillOp findFill(Operation *op, Value memref) {
  Value root = rootOf(memref);
  if (!isDistinctRoot(root))
    return {};
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(before);
        fill && fill.getOutputs()[0] == memref)
      return fill;
    if (!isMemoryEffectFree(before) && touches(before, root))
      return {};
  }
  return {};
}

} // namespace cellgrad
