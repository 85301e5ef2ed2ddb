//===- FillFolding.cpp - the constant a buffer was filled with ------------===//

#include "passes/lower/buffers/FillFolding.h"

#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace cellgrad {

linalg::FillOp findFill(Operation *op, Value memref) {
  Value root = rootOf(memref);
  if (!isDistinctRoot(root))
    return {};
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (before == root.getDefiningOp())
      return {}; // nothing touches memory before it is there
    if (auto fill = dyn_cast<linalg::FillOp>(before);
        fill && fill.getOutputs()[0] == memref)
      return fill;
    if (mayTouch(before, root))
      return {};
  }
  return {};
}

} // namespace cellgrad
