//===- NarrowBranches.cpp - static layouts for results of branches --------===//

#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace cellgrad {
#define GEN_PASS_DEF_NARROWBRANCHES
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// What a cast hides, or the value itself.
Value uncast(Value value) {
  auto cast = value.getDefiningOp<memref::CastOp>();
  return cast ? cast.getSource() : value;
}

/// Gives the results of `op` the type that both branches have before a cast.
/// True when one has changed.
bool narrow(scf::IfOp op) {
  SmallVector<unsigned> found;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    Value a = uncast(op.thenYield().getOperand(i));
    Value b = uncast(op.elseYield().getOperand(i));
    if (isa<MemRefType>(op.getResult(i).getType()) &&
        a.getType() == b.getType() &&
        a.getType() != op.getResult(i).getType()) {
      op.thenYield().setOperand(i, a);
      op.elseYield().setOperand(i, b);
      found.push_back(i);
    }
  }
  OpBuilder b(op.getContext());
  b.setInsertionPointAfter(op);
  for (unsigned i : found) {
    Value result = op.getResult(i);
    Type wide = result.getType();
    result.setType(op.thenYield().getOperand(i).getType());
    auto cast = memref::CastOp::create(b, op.getLoc(), wide, result);
    result.replaceAllUsesExcept(cast, cast);
  }
  return !found.empty();
}

struct NarrowBranches : cellgrad::impl::NarrowBranchesBase<NarrowBranches> {
  void runOnOperation() override {
    // Inner branches first: what they yield may be the result of another.
    for (bool changed = true; changed;) {
      changed = false;
      getOperation().walk([&](scf::IfOp op) {
        if (op.getNumResults() != 0)
          changed |= narrow(op);
      });
    }
  }
};

} // namespace
