//===- SeparateInits.cpp - an initial value for every op ------------------===//

#include "passes/lower/tensors/Passes.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_SEPARATEINITS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// The operand that an op which makes or reshapes an initial value takes it
/// from.
OpOperand *initOperand(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.getDpsInitOperand(0);
  return &op->getOpOperand(0);
}

/// Whether `op` is in a branch that `value` was made before.
bool isInBranchAfter(Operation *op, Value value) {
  Region *made = value.getParentRegion();
  for (Region *region = op->getParentRegion(); region && region != made;
       region = region->getParentRegion())
    if (isa<scf::IfOp>(region->getParentOp()))
      return true;
  return false;
}

/// Whether what `init` begins with is new, filled or not, and the same as that
/// of another op, or made before it is known whether `init`'s op runs at all.
bool isSharedInit(OpOperand *init) {
  Value value = init->get();
  bool shared = isInBranchAfter(init->getOwner(), value);
  while (Operation *def = value.getDefiningOp()) {
    shared |= !value.hasOneUse();
    if (isa<tensor::EmptyOp>(def))
      return shared;
    if (!isa<linalg::FillOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            def))
      return false;
    value = initOperand(def)->get();
  }
  return false;
}

/// Whether `init` begins with zeros for as many rows as there are when the code
/// runs. Such a fill stands at its op, which does without it.
bool isOfOpenRows(OpOperand *init) {
  auto type = dyn_cast<RankedTensorType>(init->get().getType());
  return type && !type.hasStaticShape() &&
         init->get().getDefiningOp<linalg::FillOp>();
}

Value copyInit(OpBuilder &b, Value value) {
  Operation *def = value.getDefiningOp();
  if (isa<tensor::EmptyOp>(def))
    return b.clone(*def)->getResult(0);
  Value source = copyInit(b, initOperand(def)->get());
  Operation *copy = b.clone(*def);
  initOperand(copy)->set(source);
  return copy->getResult(0);
}

/// Erases the ops that made `value`, as far as nothing uses them: bufferisation
/// would give them a buffer and fill it.
void eraseDeadInit(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!def->use_empty() ||
        !isa<tensor::EmptyOp, linalg::FillOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp>(def))
      return;
    value = isa<tensor::EmptyOp>(def) ? Value() : initOperand(def)->get();
    def->erase();
    if (!value)
      return;
  }
}

/// Whether the op of `use` writes over the value.
bool isWritten(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return use == insert.getDestMutable();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.isDpsInit(&use);
  return isa<LoopLikeOpInterface>(op);
}

/// The innermost loop over tiles of a batch that `op` is in and `value` is not.
scf::ForOp tilesAround(Operation *op, Value value) {
  for (auto loop = op->getParentOfType<scf::ForOp>();
       loop && !loop->isAncestor(value.getDefiningOp());
       loop = loop->getParentOfType<scf::ForOp>())
    if (loop->hasAttr(cellgrad::kTileTrips))
      return loop;
  return {};
}

/// A loop over tiles may have no trip: what its trips write over they fill
/// themselves. Zeros for all steps of 128 sequences took longer than two of
/// them.
void sinkIntoTiles(linalg::FillOp fill) {
  Value filled = fill.getResult(0);
  llvm::SmallSetVector<Operation *, 8> loops;
  for (OpOperand &use : filled.getUses())
    if (scf::ForOp loop = tilesAround(use.getOwner(), filled);
        loop && isWritten(use))
      loops.insert(loop);
  for (Operation *loop : loops) {
    OpBuilder b = OpBuilder::atBlockBegin(cast<scf::ForOp>(loop).getBody());
    Value own = copyInit(b, filled);
    filled.replaceUsesWithIf(own, [&](OpOperand &use) {
      return loop->isProperAncestor(use.getOwner());
    });
  }
  eraseDeadInit(filled);
}

struct SeparateInits : cellgrad::impl::SeparateInitsBase<SeparateInits> {
  void runOnOperation() override {
    SmallVector<linalg::FillOp> fills;
    getOperation().walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills)
      sinkIntoTiles(fill);
    SmallVector<OpOperand *> inits;
    getOperation().walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          linalgOp && !isa<linalg::FillOp>(op))
        for (OpOperand &init : linalgOp.getDpsInitsMutable())
          inits.push_back(&init);
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (OpOperand &init : loop.getInitsMutable())
          inits.push_back(&init);
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(op);
          insert && !insert.getSourceType().hasStaticShape())
        inits.push_back(&insert.getDestMutable());
      if (auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        inits.push_back(&copy.getDestMutable());
      // What a branch gives may be changed in place.
      if (isa<scf::YieldOp>(op) && isa<scf::IfOp>(op->getParentOp()))
        for (OpOperand &operand : op->getOpOperands())
          inits.push_back(&operand);
    });
    for (OpOperand *init : inits)
      if (isSharedInit(init) || isOfOpenRows(init)) {
        OpBuilder b(init->getOwner());
        Value shared = init->get();
        init->set(copyInit(b, shared));
        eraseDeadInit(shared);
      }
  }
};

} // namespace
