//===- Forward.cpp - cell.jvp as primal and tangent code ------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

/// Tangent code of callee op `op`, whose copy is in `primal`.
static LogicalResult buildTangent(OpBuilder &builder, Operation *op,
                                  InlinedPrimal &primal,
                                  const Activity &activity,
                                  Tangents &tangents) {
  if (llvm::none_of(op->getResults(),
                    [&](Value v) { return activity.isActive(v); }))
    return success();
  SmallVector<Value> incoming;
  for (Value operand : op->getOperands())
    incoming.push_back(activity.isActive(operand) ? tangents.lookup(operand)
                                                  : Value());
  if (isMessage(op)) // the other rank has a tangent, too
    incoming[0] = valueOrZero(builder, op->getLoc(), incoming[0],
                              op->getOperand(0).getType());
  if (op->getNumRegions() == 0 && allZero(incoming))
    return success();
  auto differentiable = dyn_cast<DifferentiableOpInterface>(primal.copyOf(op));
  if (!differentiable)
    return refuseDerivative(op);
  SmallVector<Value> outgoing(op->getNumResults());
  if (failed(differentiable.buildJVP(builder, incoming, outgoing)))
    return failure();
  for (auto [result, tangent] : llvm::zip_equal(op->getResults(), outgoing))
    if (tangent)
      tangents[result] = tangent;
  return success();
}

/// Primal and tangent code of a branch or loop, which is one op for both.
static LogicalResult buildControlFlow(OpBuilder &builder, Operation *op,
                                      InlinedPrimal &primal,
                                      const Activity &activity,
                                      Tangents &tangents) {
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return buildIfTangent(builder, choice, primal, activity, tangents);
  FailureOr<Loop> loop = Loop::match(op);
  if (failed(loop))
    return failure();
  return buildLoopTangent(builder, *loop, primal, activity, tangents);
}

FailureOr<Expansion> emitJVP(OpBuilder &builder, func::FuncOp callee,
                             ValueRange args, ArrayRef<int64_t> wrt,
                             ValueRange directions, ArrayRef<int64_t> of) {
  InlinedPrimal primal(callee, args);
  Activity activity(callee, wrt, of);
  Tangents tangents; // by callee value; absent means zero
  Block &body = callee.getBody().front();
  for (auto [index, tangent] : llvm::zip_equal(wrt, directions))
    if (tangent)
      tangents[body.getArgument(index)] = tangent;

  // Primal code up to the next branch or loop, then its tangent code.
  SmallVector<Operation *> straight;
  auto flush = [&]() -> LogicalResult {
    for (Operation *op : straight)
      if (failed(buildTangent(builder, op, primal, activity, tangents)))
        return failure();
    straight.clear();
    return success();
  };
  for (Operation &op : body.without_terminator()) {
    bool active = llvm::any_of(op.getResults(),
                               [&](Value v) { return activity.isActive(v); });
    if (active && isControlFlow(&op)) {
      if (failed(flush()) ||
          failed(buildControlFlow(builder, &op, primal, activity, tangents)))
        return failure();
      continue;
    }
    primal.clone(builder, op);
    straight.push_back(&op);
  }
  if (failed(flush()))
    return failure();

  Expansion out{primal.results(), {}};
  for (int64_t index : of)
    out.derivatives.push_back(
        tangents.lookup(body.getTerminator()->getOperand(index)));
  return out;
}

LogicalResult expandJVP(JVPOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  FailureOr<Expansion> expansion = emitJVP(
      builder, callee, op.getArgs(), op.getWrt(), op.getTangents(), op.getOf());
  if (failed(expansion))
    return failure();
  SmallVector<Value> results = expansion->primal;
  for (auto [index, tangent] :
       llvm::zip_equal(op.getOf(), expansion->derivatives))
    results.push_back(valueOrZero(builder, op.getLoc(), tangent,
                                  callee.getResultTypes()[index]));
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
