//===- Forward.cpp - cell.jvp as primal and tangent code ------------------===//

#include "passes/autodiff/Activity.h"
#include "passes/autodiff/Expand.h"

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

LogicalResult expandJVP(JVPOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  InlinedPrimal primal(builder, callee, op.getArgs());
  Activity activity(callee, op.getWrt(), op.getOf());
  llvm::DenseMap<Value, Value> tangents; // by callee value; absent means zero

  Block &body = callee.getBody().front();
  for (auto [index, tangent] : llvm::zip_equal(op.getWrt(), op.getTangents()))
    tangents[body.getArgument(index)] = tangent;
  for (auto [calleeOp, copy] : primal.ops()) {
    if (llvm::none_of(calleeOp->getResults(),
                      [&](Value v) { return activity.isActive(v); }))
      continue;
    SmallVector<Value> incoming;
    for (Value operand : calleeOp->getOperands())
      incoming.push_back(activity.isActive(operand) ? tangents.lookup(operand)
                                                    : Value());
    if (allZero(incoming))
      continue;
    auto differentiable = dyn_cast<DifferentiableOpInterface>(copy);
    if (!differentiable)
      return calleeOp->emitOpError(
          "cannot be differentiated: it has no derivative rule");
    SmallVector<Value> outgoing(calleeOp->getNumResults());
    if (failed(differentiable.buildJVP(builder, incoming, outgoing)))
      return failure();
    for (auto [result, tangent] :
         llvm::zip_equal(calleeOp->getResults(), outgoing))
      if (tangent)
        tangents[result] = tangent;
  }

  SmallVector<Value> results = primal.results();
  for (int64_t index : op.getOf()) {
    Value result = body.getTerminator()->getOperand(index);
    results.push_back(valueOrZero(builder, op.getLoc(), tangents.lookup(result),
                                  result.getType()));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
