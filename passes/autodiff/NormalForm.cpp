//===- NormalForm.cpp - what canonicalisation makes of control flow -------===//
//
// Upstream's canonicalisation simplifies scf: a branch that only chooses
// becomes arith.select, branches in branches one on the arith.andi of their
// conditions, and a loop's condition hands on no more than is used. Transforms
// meet the forms that they know again.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace cellgrad {

/// A choice between tensors as a branch, or by elements.
static void restoreChoice(arith::SelectOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value condition = op.getCondition();
  Value chosen;
  if (isa<RankedTensorType>(condition.getType())) {
    chosen = SelectOp::create(b, loc, condition, op.getTrueValue(),
                              op.getFalseValue());
  } else {
    auto yield = [](Value value) {
      return [value](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, value);
      };
    };
    chosen = scf::IfOp::create(b, loc, condition, yield(op.getTrueValue()),
                               yield(op.getFalseValue()))
                 .getResult(0);
  }
  op.replaceAllUsesWith(chosen);
  op.erase();
}

/// The tensor that a truth value was read from, or one of it.
static Value asTensor(OpBuilder &b, Location loc, Value truth) {
  auto type = RankedTensorType::get({}, b.getI1Type());
  if (auto extract = truth.getDefiningOp<tensor::ExtractOp>();
      extract && extract.getTensor().getType() == type)
    return extract.getTensor();
  BoolAttr known;
  if (matchPattern(truth, m_Constant(&known)))
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(type, known.getValue()));
  return tensor::FromElementsOp::create(b, loc, type, truth);
}

/// Logic of single truth values as that of tensors, of which there are batches.
static void restoreLogic(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(asTensor(b, loc, operand));
  Value result;
  if (isa<arith::AndIOp>(op))
    result = LogicalAndOp::create(b, loc, operands[0], operands[1]);
  else if (isa<arith::OrIOp>(op))
    result = LogicalOrOp::create(b, loc, operands[0], operands[1]);
  else if (isa<arith::XOrIOp>(op))
    result = LogicalXorOp::create(b, loc, operands[0], operands[1]);
  else
    result = SelectOp::create(b, loc, operands[0], operands[1], operands[2]);
  op->replaceAllUsesWith(
      tensor::ExtractOp::create(b, loc, result, ValueRange()));
  op->erase();
}

/// Makes the condition of `loop` hand on all carried values, in order, where it
/// hands on some of them or values from around the loop.
static void restoreCondition(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> handed(condition.getArgs());
  auto isCarried = [&](Value value) {
    auto arg = dyn_cast<BlockArgument>(value);
    return arg && arg.getOwner() == loop.getBeforeBody();
  };
  auto isKnown = [&](Value value) {
    return isCarried(value) ||
           !loop.getBefore().isAncestor(value.getParentRegion());
  };
  if (llvm::equal(handed, loop.getBeforeArguments()) ||
      !llvm::all_of(handed, isKnown))
    return;
  OpBuilder b(loop);
  TypeRange types = loop.getInits().getTypes();
  auto whole = scf::WhileOp::create(b, loop.getLoc(), types, loop.getInits());
  Block *body =
      b.createBlock(&whole.getAfter(), {}, types,
                    SmallVector<Location>(types.size(), loop.getLoc()));
  Block *old = loop.getAfterBody();
  for (auto [value, arg, result] :
       llvm::zip_equal(handed, old->getArguments(), loop.getResults())) {
    Value inside = value, after = value;
    if (isCarried(value)) {
      unsigned i = cast<BlockArgument>(value).getArgNumber();
      inside = body->getArgument(i);
      after = whole.getResult(i);
    }
    arg.replaceAllUsesWith(inside);
    result.replaceAllUsesWith(after);
  }
  body->getOperations().splice(body->end(), old->getOperations());
  whole.getBefore().takeBody(loop.getBefore());
  condition.getArgsMutable().assign(whole.getBeforeArguments());
  loop.erase();
}

void restoreControlFlow(ModuleOp module) {
  SmallVector<arith::SelectOp> choices;
  SmallVector<Operation *> logic;
  SmallVector<scf::WhileOp> loops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() != 0 && !isControlFlow(op) &&
        !isa<ModuleOp, func::FuncOp>(op))
      return WalkResult::skip(); // the body of an op is not ours
    auto loop = dyn_cast<scf::WhileOp>(op);
    auto select = dyn_cast<arith::SelectOp>(op);
    if (loop)
      loops.push_back(loop);
    else if (select && isa<RankedTensorType>(select.getType()))
      choices.push_back(select);
    else if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(
                 op) &&
             op->getResult(0).getType().isInteger(1))
      logic.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : logic)
    restoreLogic(op);
  for (arith::SelectOp op : choices)
    restoreChoice(op);
  for (scf::WhileOp loop : loops)
    restoreCondition(loop);
}

} // namespace cellgrad
