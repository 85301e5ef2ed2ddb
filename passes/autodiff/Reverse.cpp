//===- Reverse.cpp - cell.vjp as primal and adjoint code ------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"
#include "passes/autodiff/Guards.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

// Cotangents are kept by callee value, not by copy: two arguments may be the
// same value at the call.
void Cotangents::add(Value value, Value cotangent) {
  if (cotangent)
    sums[value] =
        accumulate(builder, cotangent.getLoc(), sums.lookup(value), cotangent);
}

constexpr llvm::StringLiteral discardsName = "cell.discards";
constexpr llvm::StringLiteral expectsName = "cell.expects";

/// Keeps with a transform that a rule has built what follows it.
static void note(VJPOp op, Following following) {
  auto unit = UnitAttr::get(op.getContext());
  if (following.discards)
    op->setAttr(discardsName, unit);
  if (following.expects)
    op->setAttr(expectsName, unit);
}

static Following noted(VJPOp op) {
  return {op->hasAttr(discardsName), op->hasAttr(expectsName)};
}

/// Adjoint code of callee op `op`.
static LogicalResult buildAdjoint(OpBuilder &builder, Operation *op,
                                  InlinedPrimal &primal,
                                  const Activity &activity, Guards &guards,
                                  Cotangents &cotangents) {
  SmallVector<Value> incoming;
  for (Value result : op->getResults())
    incoming.push_back(activity.isActive(result) ? cotangents.of(result)
                                                 : Value());
  if (isMessage(op) && activity.isActive(op->getResult(0)))
    incoming[0] = valueOrZero(builder, op->getLoc(), incoming[0],
                              op->getResult(0).getType());
  if (allZero(incoming))
    return success();

  Following after = guards.following(op);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return buildIfAdjoint(builder, choice, primal, activity, after, cotangents);
  if (isControlFlow(op)) {
    FailureOr<Loop> found = Loop::match(op);
    if (failed(found))
      return failure();
    Loop loop = *found;
    return buildLoopAdjoint(builder, loop, primal, activity, after, cotangents);
  }
  auto differentiable = dyn_cast<DifferentiableOpInterface>(primal.copyOf(op));
  if (!differentiable)
    return refuseDerivative(op);

  llvm::SmallBitVector wanted(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    wanted[i] = activity.isActive(operand);
  SmallVector<Value> outgoing(op->getNumOperands());
  if (failed(differentiable.buildVJP(builder, incoming, wanted, outgoing)))
    return failure();
  guards.apply(builder, op, incoming, outgoing);
  for (Value cotangent : outgoing)
    if (auto inner = cotangent ? cotangent.getDefiningOp<VJPOp>() : VJPOp())
      note(inner, after);
  for (auto [operand, cotangent] : llvm::zip_equal(op->getOperands(), outgoing))
    if (activity.isActive(operand))
      cotangents.add(operand, cotangent);
  return success();
}

FailureOr<Expansion> emitVJP(OpBuilder &builder, func::FuncOp callee,
                             ValueRange args, ArrayRef<int64_t> of,
                             ValueRange cotangents, ArrayRef<int64_t> wrt,
                             Following outside) {
  InlinedPrimal primal(callee, args);
  primal.cloneAll(builder);
  Activity activity(callee, wrt, of);
  if (Operation *lost = activity.lostMessage())
    return refuse(lost)
           << "sends what the derivative is by, and what it gives is not used: "
              "the derivative would lack what the other rank makes of it; add "
              "what it gives to a result, or send a value that is not "
              "differentiated";
  Guards guards(callee, activity, outside);
  Cotangents sums(builder);

  Block &body = callee.getBody().front();
  for (auto [index, cotangent] : llvm::zip_equal(of, cotangents))
    sums.add(body.getTerminator()->getOperand(index), cotangent);
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (failed(buildAdjoint(builder, &op, primal, activity, guards, sums)))
      return failure();

  Expansion out{primal.results(), {}};
  for (int64_t index : wrt)
    out.derivatives.push_back(sums.of(body.getArgument(index)));
  return out;
}

LogicalResult expandVJP(VJPOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  FailureOr<Expansion> expansion =
      emitVJP(builder, callee, op.getArgs(), op.getOf(), op.getCotangents(),
              op.getWrt(), noted(op));
  if (failed(expansion))
    return failure();
  SmallVector<Value> results = expansion->primal;
  for (auto [index, cotangent] :
       llvm::zip_equal(op.getWrt(), expansion->derivatives))
    results.push_back(valueOrZero(builder, op.getLoc(), cotangent,
                                  callee.getArgumentTypes()[index]));
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
