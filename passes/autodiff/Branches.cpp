//===- Branches.cpp - derivatives of scf.if -------------------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

namespace {

/// The two branches of an op as functions of the same values.
struct Branches {
  explicit Branches(scf::IfOp op) : captured(capturedValues(op)) {
    functions.push_back(outline(op.getThenRegion(), captured));
    functions.push_back(outline(op.getElseRegion(), captured));
  }

  llvm::SetVector<Value> captured;
  SmallVector<OwningOpRef<func::FuncOp>, 2> functions;
};

/// An scf.if on `condition` with results of `types`, whose branches `emit`
/// writes.
FailureOr<scf::IfOp>
buildIf(OpBuilder &builder, Location loc, Value condition, TypeRange types,
        llvm::function_ref<FailureOr<SmallVector<Value>>(OpBuilder &, unsigned)>
            emit) {
  OpBuilder::InsertionGuard guard(builder);
  auto op = scf::IfOp::create(builder, loc, types, condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (unsigned branch : {0u, 1u}) {
    Block *block = &op->getRegion(branch).front();
    builder.setInsertionPointToEnd(block);
    FailureOr<SmallVector<Value>> values = emit(builder, branch);
    if (failed(values)) {
      op->erase();
      return failure();
    }
    scf::YieldOp::create(builder, loc, *values);
  }
  return op;
}

} // namespace

LogicalResult buildIfAdjoint(OpBuilder &builder, scf::IfOp op,
                             InlinedPrimal &primal, const Activity &activity,
                             Following following, Cotangents &cotangents) {
  Location loc = ruleLocation(op, "vjp");
  Branches branches(op);
  SmallVector<int64_t> of, wrt;
  SmallVector<Value> incoming;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (Value cotangent = cotangents.of(result);
        cotangent && activity.isActive(result)) {
      of.push_back(i);
      incoming.push_back(cotangent);
    }
  for (auto [i, value] : llvm::enumerate(branches.captured))
    if (activity.isActive(value))
      wrt.push_back(i);
  // Only what one of the branches makes depend on it.
  SmallVector<Activity> inside;
  for (auto &function : branches.functions)
    inside.emplace_back(*function, wrt, of);
  llvm::erase_if(wrt, [&](int64_t i) {
    return llvm::none_of(llvm::zip(branches.functions, inside), [&](auto pair) {
      auto &[function, active] = pair;
      return active.isActive(function->getArgument(i));
    });
  });
  if (wrt.empty())
    return success();

  SmallVector<Type> types;
  for (int64_t i : wrt)
    types.push_back(branches.captured[i].getType());
  SmallVector<Value> args = primal.copiesOf(branches.captured.getArrayRef());
  auto adjoint = buildIf(
      builder, loc, primal.copyOf(op.getCondition()), types,
      [&](OpBuilder &inner, unsigned branch) -> FailureOr<SmallVector<Value>> {
        func::FuncOp function = *branches.functions[branch];
        dropEffects(function);
        FailureOr<Expansion> expansion =
            emitVJP(inner, function, args, of, incoming, wrt, following);
        if (failed(expansion))
          return failure();
        for (auto [type, value] :
             llvm::zip_equal(types, expansion->derivatives))
          value = valueOrZero(inner, loc, value, type);
        return expansion->derivatives;
      });
  if (failed(adjoint))
    return failure();
  for (auto [i, cotangent] : llvm::zip_equal(wrt, adjoint->getResults()))
    cotangents.add(branches.captured[i], cotangent);
  return success();
}

LogicalResult buildIfTangent(OpBuilder &builder, scf::IfOp op,
                             InlinedPrimal &primal, const Activity &activity,
                             Tangents &tangents) {
  Location loc = ruleLocation(op, "jvp");
  Branches branches(op);
  SmallVector<int64_t> of, wrt;
  SmallVector<Value> incoming;
  SmallVector<Type> types(op.getResultTypes());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (activity.isActive(result)) {
      of.push_back(i);
      types.push_back(result.getType());
    }
  for (auto [i, value] : llvm::enumerate(branches.captured))
    if (Value tangent = tangents.lookup(value);
        tangent && activity.isActive(value)) {
      wrt.push_back(i);
      incoming.push_back(tangent);
    }
  SmallVector<Value> args = primal.copiesOf(branches.captured.getArrayRef());
  auto both = buildIf(
      builder, loc, primal.copyOf(op.getCondition()), types,
      [&](OpBuilder &inner, unsigned branch) -> FailureOr<SmallVector<Value>> {
        FailureOr<Expansion> expansion = emitJVP(
            inner, *branches.functions[branch], args, wrt, incoming, of);
        if (failed(expansion))
          return failure();
        SmallVector<Value> values = expansion->primal;
        for (auto [i, tangent] : llvm::zip_equal(of, expansion->derivatives))
          values.push_back(
              valueOrZero(inner, loc, tangent, op.getResultTypes()[i]));
        return values;
      });
  if (failed(both))
    return failure();
  primal.replace(op, *both);
  for (auto [i, tangent] :
       llvm::zip_equal(of, both->getResults().drop_front(op.getNumResults())))
    tangents[op.getResult(i)] = tangent;
  return success();
}

} // namespace cellgrad
