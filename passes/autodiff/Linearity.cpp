//===- Linearity.cpp - whether a rule can be transposed -------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "dialect/Refusal.h"
#include "dialect/Rules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace cellgrad {

namespace {

using Values = llvm::DenseSet<Value>;

/// Ops whose results need not depend on each of what they read.
bool isOpaque(Operation *op) {
  return op->getNumRegions() || isa<SymbolUserOpInterface>(op);
}

/// Tests for infinities and NaN, as guards have them, are no computation with
/// finite numbers.
bool isTestForFinite(Operation *op) {
  return isa<IsFiniteOp, IsInfOp, IsNanOp>(op);
}

/// What is computed from `seeds`: all that may be, or what is for certain.
Values computedFrom(Block &body, ValueRange seeds, bool certainly) {
  Values found(llvm::from_range, seeds);
  for (Operation &op : body.without_terminator()) {
    if (certainly && (isOpaque(&op) || isTestForFinite(&op)))
      continue;
    if (llvm::any_of(readValues(&op),
                     [&](Value v) { return found.contains(v); }))
      found.insert_range(op.getResults());
  }
  return found;
}

/// What `roots` are computed from, themselves included.
Values neededFor(Block &body, ValueRange roots) {
  Values found(llvm::from_range, roots);
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(op.getResults(),
                     [&](Value v) { return found.contains(v); }))
      found.insert_range(readValues(&op));
  return found;
}

/// Whether `value` is a zero, or may be one as it is computed from one.
bool readsZeros(Block &body, Value value) {
  bool integer = isInteger(value.getType());
  return llvm::any_of(neededFor(body, value), [integer](Value needed) {
    return matchPattern(needed, m_AnyZeroFloat()) ||
           (integer && matchPattern(needed, m_Zero()));
  });
}

/// The rule, and its transpose: a function of the rule's arguments and of
/// cotangents that gives the rule's tangents and the cotangents of its own.
class Transposition {
public:
  Transposition(VJPOp op, func::FuncOp rule) : op(op), rule(rule) {}
  ~Transposition() { func.erase(); }

  LogicalResult build() {
    SmallVector<Type> types(rule.getArgumentTypes());
    for (int64_t i : op.getOf())
      types.push_back(rule.getResultTypes()[i]);
    OpBuilder builder(rule);
    func = func::FuncOp::create(builder, rule.getLoc(),
                                (rule.getSymName() + "_transposed").str(),
                                builder.getFunctionType(types, {}));
    func.setPrivate();
    Block *body = func.addEntryBlock();
    builder.setInsertionPointToStart(body);
    size_t args = rule.getNumArguments();
    FailureOr<Expansion> expansion =
        emitVJP(builder, rule, body->getArguments().take_front(args),
                op.getOf(), body->getArguments().drop_front(args), op.getWrt(),
                /*outside=*/{});
    if (failed(expansion))
      return failure();
    SmallVector<Value> results;
    for (int64_t i : op.getOf())
      results.push_back(expansion->primal[i]);
    llvm::append_range(
        results, llvm::make_filter_range(expansion->derivatives,
                                         [](Value v) { return v != nullptr; }));
    func::ReturnOp::create(builder, rule.getLoc(), results);
    func.setFunctionType(
        builder.getFunctionType(types, TypeRange(ValueRange(results))));
    return success();
  }

  Block &body() { return func.getBody().front(); }
  func::FuncOp function() { return func; }
  OperandRange tangents() {
    return body().getTerminator()->getOperands().take_front(op.getOf().size());
  }
  OperandRange cotangents() {
    return body().getTerminator()->getOperands().drop_front(op.getOf().size());
  }
  SmallVector<Value> directions() {
    return llvm::map_to_vector(
        op.getWrt(), [&](int64_t i) -> Value { return body().getArgument(i); });
  }

private:
  VJPOp op;
  func::FuncOp rule, func;
};

} // namespace

LogicalResult checkTranspose(VJPOp op, func::FuncOp callee,
                             function_ref<void(func::FuncOp)> simplify) {
  Transposition pair(op, callee);
  if (failed(pair.build()))
    return failure();
  simplify(pair.function());
  auto refuse = [&]() -> InFlightDiagnostic {
    return cellgrad::refuse(op.getLoc())
           << "the jvp rule " << op.getCalleeAttr() << " cannot be transposed "
           << "for reverse mode: ";
  };

  Block &body = pair.body();
  SmallVector<Value> directions = pair.directions();
  Values dependent = computedFrom(body, directions, /*certainly=*/false);
  for (auto [i, tangent] : llvm::enumerate(pair.tangents()))
    if (!dependent.contains(tangent) && !readsZeros(body, tangent))
      return refuse()
             << "tangent " << i
             << " of its results does not depend on the tangents of its "
                "arguments; multiply the derivative by them, or give zeros";

  Values derived = computedFrom(body, directions, /*certainly=*/true);
  Values needed = neededFor(body, pair.tangents());
  for (Operation &inner : body.without_terminator()) {
    auto differentiable = dyn_cast<DifferentiableOpInterface>(&inner);
    if (differentiable && differentiable.hasZeroDerivative() &&
        !isTestForFinite(&inner) &&
        llvm::any_of(inner.getOperands(),
                     [&](Value v) { return derived.contains(v); }) &&
        llvm::any_of(inner.getResults(),
                     [&](Value v) { return needed.contains(v); }))
      return refuse() << "'" << inner.getName()
                      << "' of a tangent is not linear; choose by the "
                         "arguments, or give a vjp rule";
  }
  if (llvm::any_of(pair.cotangents(),
                   [&](Value v) { return derived.contains(v); }))
    return refuse() << "it is not linear in the tangents of its arguments; "
                       "multiply them by values that do not depend on them, "
                       "or give a vjp rule";
  return success();
}

} // namespace cellgrad
