//===- SeparateInits.cpp - an initial value for every op ------------------===//

#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cellgrad {
#define GEN_PASS_DEF_SEPARATEINITS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

struct SeparateInits : cellgrad::impl::SeparateInitsBase<SeparateInits> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      for (OpOperand &init : op.getDpsInitsMutable())
        separate(op, init);
  }

  static void separate(linalg::LinalgOp op, OpOperand &init) {
    Operation *def = init.get().getDefiningOp();
    if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(def) ||
        def->hasOneUse())
      return;
    OpBuilder b(op);
    Operation *copy = b.clone(*def);
    init.set(copy->getResult(0));
    if (auto fill = dyn_cast<linalg::FillOp>(copy))
      if (auto empty = fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>()) {
        b.setInsertionPoint(fill);
        fill->setOperand(1, b.clone(*empty)->getResult(0));
      }
  }
};

} // namespace
