//===- DropDeadBuffers.cpp - buffers that nothing reads -------------------===//

#include "passes/lower/buffers/Passes.h"

#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_DROPDEADBUFFERS
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// True for an op that does no more than write its one result into `use`. What
/// a sum adds to there is not read for anything else.
bool onlyWrites(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &use == &copy.getTargetMutable();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &use == &store.getMemrefMutable();
  if (isa<memref::DeallocOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.isDpsInit(&use) && linalgOp.getNumDpsInits() == 1;
}

/// Lists the ops that write to the buffer, and its views, in the order in which
/// they can be erased from the back; false where it is read.
bool collectWriters(Value buffer, llvm::SetVector<Operation *> &ops) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface>(user)) {
      ops.insert(user);
      if (!collectWriters(user->getResult(0), ops))
        return false;
    } else if (onlyWrites(use)) {
      ops.insert(user);
    } else {
      return false;
    }
  }
  return true;
}

struct DropDeadBuffers : cellgrad::impl::DropDeadBuffersBase<DropDeadBuffers> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> candidates;
    getOperation().walk([&](memref::AllocOp op) { candidates.insert(op); });
    while (!candidates.empty()) {
      Operation *alloc = candidates.pop_back_val();
      llvm::SetVector<Operation *> writers;
      if (!collectWriters(alloc->getResult(0), writers))
        continue;
      // What they read may be dead now.
      for (Operation *writer : writers)
        writer->walk([&](Operation *op) {
          for (Value operand : op->getOperands())
            if (isa<MemRefType>(operand.getType()))
              if (auto root = rootOf(operand).getDefiningOp<memref::AllocOp>();
                  root && root != alloc)
                candidates.insert(root);
        });
      for (Operation *writer : llvm::reverse(writers))
        writer->erase();
      alloc->erase();
    }
  }
};

} // namespace
