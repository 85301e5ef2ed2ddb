//===- Reverse.cpp - cell.vjp as primal and adjoint code ------------------===//

#include "passes/autodiff/Activity.h"
#include "passes/autodiff/Expand.h"
#include "passes/autodiff/Guards.h"

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

namespace {

/// Cotangents of the callee's values as they accumulate; absent means zero.
/// They are kept by callee value, not by copy: two arguments may be the same
/// value at the call.
class Cotangents {
public:
  Cotangents(OpBuilder &builder) : builder(builder) {}

  Value of(Value value) const { return sums.lookup(value); }

  void add(Value value, Value cotangent) {
    if (cotangent)
      sums[value] = accumulate(builder, cotangent.getLoc(), sums.lookup(value),
                               cotangent);
  }

private:
  OpBuilder &builder;
  llvm::DenseMap<Value, Value> sums;
};

} // namespace

/// Adjoint code of `copy`, the copy of callee op `op`.
static LogicalResult buildAdjoint(OpBuilder &builder, Operation *op,
                                  Operation *copy, const Activity &activity,
                                  Guards &guards, Cotangents &cotangents) {
  SmallVector<Value> incoming;
  for (Value result : op->getResults())
    incoming.push_back(activity.isActive(result) ? cotangents.of(result)
                                                 : Value());
  if (allZero(incoming))
    return success();

  auto differentiable = dyn_cast<DifferentiableOpInterface>(copy);
  if (!differentiable)
    return op->emitOpError(
        "cannot be differentiated: it has no derivative rule");

  llvm::SmallBitVector wanted(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    wanted[i] = activity.isActive(operand);
  SmallVector<Value> outgoing(op->getNumOperands());
  if (failed(differentiable.buildVJP(builder, incoming, wanted, outgoing)))
    return failure();
  guards.apply(builder, op, incoming, outgoing);
  for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), outgoing))
    cotangents.add(operand, cotangent);
  return success();
}

LogicalResult expandVJP(VJPOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  InlinedPrimal primal(builder, callee, op.getArgs());
  Activity activity(callee, op.getWrt(), op.getOf());
  Guards guards(callee, activity);
  Cotangents cotangents(builder);

  Block &body = callee.getBody().front();
  for (auto [index, cotangent] :
       llvm::zip_equal(op.getOf(), op.getCotangents()))
    cotangents.add(body.getTerminator()->getOperand(index), cotangent);
  for (auto [calleeOp, copy] : llvm::reverse(primal.ops()))
    if (failed(buildAdjoint(builder, calleeOp, copy, activity, guards,
                            cotangents)))
      return failure();

  SmallVector<Value> results = primal.results();
  for (int64_t index : op.getWrt()) {
    Value argument = body.getArgument(index);
    results.push_back(valueOrZero(builder, op.getLoc(), cotangents.of(argument),
                                  argument.getType()));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
