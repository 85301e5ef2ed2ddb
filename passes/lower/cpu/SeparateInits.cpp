//===- SeparateInits.cpp - an initial value for every op ------------------===//

#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_SEPARATEINITS
#include "passes/lower/cpu/Passes.h.inc"
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

/// Whether `value` is new, filled or not, and the same as that of another op.
bool isSharedInit(Value value) {
  bool shared = false;
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

Value copyInit(OpBuilder &b, Value value) {
  Operation *def = value.getDefiningOp();
  if (isa<tensor::EmptyOp>(def))
    return b.clone(*def)->getResult(0);
  Value source = copyInit(b, initOperand(def)->get());
  Operation *copy = b.clone(*def);
  initOperand(copy)->set(source);
  return copy->getResult(0);
}

/// What `result` is written over; null where it is no such result.
Value writtenOver(OpResult result) {
  Operation *def = result.getOwner();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(def))
    return loop.getInits().size() == def->getNumResults()
               ? loop.getInits()[result.getResultNumber()]
               : Value();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(def))
    return insert.getDest();
  if (auto writer = dyn_cast<DestinationStyleOpInterface>(def))
    return writer.getTiedOpOperand(result)->get();
  return {};
}

/// Whether `value` is a part of another tensor, or is written over one.
bool isView(Value value) {
  while (auto result = dyn_cast_if_present<OpResult>(value)) {
    Operation *def = result.getOwner();
    if (isa<tensor::ExtractSliceOp>(def))
      return true;
    value = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(def)
                ? def->getOperand(0)
                : writtenOver(result);
  }
  return false;
}

/// Whether `loop` writes into what it carries from `init`, and carries that on.
bool isUpdated(LoopLikeOpInterface loop, OpOperand &init) {
  BlockArgument carried = loop.getTiedLoopRegionIterArg(&init);
  OpOperand *yielded =
      carried ? loop.getTiedLoopYieldedValue(carried) : nullptr;
  if (!yielded)
    return false;
  Value value = yielded->get();
  while (auto result = dyn_cast_if_present<OpResult>(value))
    value = writtenOver(result);
  return value == carried;
}

/// Copies what `operand` takes, if it is a view. The copy is a loop, which may
/// get another buffer: where the other branch gives a constant, `empty` counts
/// as one with it, and must not be written.
void copyView(OpOperand &operand) {
  if (!isView(operand.get()))
    return;
  OpBuilder b(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  auto type = cast<RankedTensorType>(operand.get().getType());
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  operand.set(linalg::GenericOp::create(
                  b, loc, type, operand.get(), empty, maps, parallel,
                  [](OpBuilder &inner, Location at, ValueRange elements) {
                    linalg::YieldOp::create(inner, at, elements[0]);
                  })
                  .getResult(0));
}

struct SeparateInits : cellgrad::impl::SeparateInitsBase<SeparateInits> {
  void runOnOperation() override {
    SmallVector<OpOperand *> inits, copied;
    getOperation().walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          linalgOp && !isa<linalg::FillOp>(op))
        for (OpOperand &init : linalgOp.getDpsInitsMutable())
          inits.push_back(&init);
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        for (OpOperand &init : loop.getInitsMutable()) {
          inits.push_back(&init);
          if (!isUpdated(loop, init))
            copied.push_back(&init);
        }
      if (auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
        inits.push_back(&copy.getDestMutable());
      if (isa<scf::YieldOp>(op))
        for (OpOperand &operand : op->getOpOperands()) {
          copied.push_back(&operand);
          // What a branch gives may be changed in place.
          if (isa<scf::IfOp>(op->getParentOp()))
            inits.push_back(&operand);
        }
    });
    for (OpOperand *operand : copied)
      copyView(*operand);
    for (OpOperand *init : inits)
      if (isSharedInit(init->get())) {
        OpBuilder b(init->getOwner());
        init->set(copyInit(b, init->get()));
      }
  }
};

} // namespace
