//===- CoalesceBuffers.cpp - one buffer of two that a copy connects -------===//

#include "passes/lower/buffers/Interference.h"
#include "passes/lower/buffers/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {
#define GEN_PASS_DEF_COALESCEBUFFERS
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// What a chain of reshapes makes a view of; the reshapes are recorded, the
/// last one first.
Value reshapedFrom(Value value, SmallVectorImpl<Operation *> &reshapes) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    reshapes.push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

/// `value`, which has the shape that `reshapes` end with, in the shape that
/// they begin with.
Value undoReshapes(OpBuilder &b, Value value, ArrayRef<Operation *> reshapes) {
  for (Operation *reshape : reshapes) {
    Type type = reshape->getOperand(0).getType();
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(reshape))
      value = memref::CollapseShapeOp::create(b, expand.getLoc(), type, value,
                                              expand.getReassociationIndices());
    else
      value = memref::ExpandShapeOp::create(
          b, reshape->getLoc(), type, value,
          cast<memref::CollapseShapeOp>(reshape).getReassociationIndices());
  }
  return value;
}

/// `value` after the same reshapes, which lead elsewhere from another buffer.
Value repeatReshapes(OpBuilder &b, Value value,
                     ArrayRef<Operation *> reshapes) {
  for (Operation *reshape : llvm::reverse(reshapes)) {
    Operation *copy = b.clone(*reshape);
    copy->setOperand(0, value);
    value = copy->getResult(0);
  }
  return value;
}

unsigned depthOf(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    ++depth;
  return depth;
}

/// One end of a copy: a buffer seen through reshapes.
struct End {
  explicit End(Value value) : buffer(reshapedFrom(value, reshapes)) {}
  SmallVector<Operation *> reshapes;
  Value buffer;

  memref::AllocOp alloc() const {
    return buffer.getDefiningOp<memref::AllocOp>();
  }
};

/// Moves `alloc` up to where it dominates `other`.
void hoistAbove(memref::AllocOp alloc, Operation *other) {
  for (Operation *at = alloc; at; at = at->getParentOp())
    if (Operation *sibling = at->getBlock()->findAncestorOpInBlock(*other)) {
      Operation *first = at->isBeforeInBlock(sibling) ? at : sibling;
      if (first != alloc)
        alloc->moveBefore(first);
      return;
    }
}

/// Puts `kept` in the place of `merged`, a temporary.
void merge(const End &merged, const End &kept) {
  memref::AllocOp alloc = merged.alloc();
  if (memref::AllocOp other = kept.alloc())
    hoistAbove(other, alloc);
  OpBuilder b(alloc);
  Value same = undoReshapes(b, repeatReshapes(b, kept.buffer, kept.reshapes),
                            merged.reshapes);
  alloc.replaceAllUsesWith(same);
  alloc.erase();
}

/// Removes `copy` by making one buffer of its two, if that changes no value.
void coalesce(memref::CopyOp copy) {
  End from(copy.getSource()), to(copy.getTarget());
  if (from.buffer != to.buffer) {
    // The temporary goes; of two, the one of the inner block.
    bool replaceSource =
        from.alloc() &&
        (!to.alloc() || depthOf(from.alloc()) >= depthOf(to.alloc()));
    const End &merged = replaceSource ? from : to;
    const End &kept = replaceSource ? to : from;
    if (!merged.alloc() || interfere(merged.buffer, kept.buffer))
      return;
    merge(merged, kept);
  } else if (copy.getSource() != copy.getTarget() &&
             !cast<MemRefType>(from.buffer.getType())
                  .getLayout()
                  .isIdentity()) {
    return;
  }
  copy.erase();
}

struct CoalesceBuffers : cellgrad::impl::CoalesceBuffersBase<CoalesceBuffers> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    // By depth, then in program order.
    SmallVector<std::pair<int64_t, unsigned>> order;
    for (auto [i, copy] : llvm::enumerate(copies))
      order.push_back({-int64_t(depthOf(copy)), i});
    llvm::sort(order);
    for (auto [depth, i] : order)
      coalesce(copies[i]);
  }
};

} // namespace
