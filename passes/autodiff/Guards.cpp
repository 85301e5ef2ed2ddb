//===- Guards.cpp - no NaN from elements that a choice discards -----------===//

#include "passes/autodiff/Guards.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace cellgrad {

/// Whether `value` is an input, perhaps in another shape or type.
static bool isInput(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp, TransposeOp, CastOp, AbsOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return isa<BlockArgument>(value);
}

/// Whether a program that selects by `condition` expects inputs that are
/// infinite or NaN: all but comparisons of floating-point numbers that it has
/// computed, as in activation functions.
static bool expectsNonFinite(Value condition) {
  SmallVector<Value> stack = {condition};
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value v = stack.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *op = v.getDefiningOp();
    if (isa_and_nonnull<LogicalAndOp, LogicalOrOp, LogicalXorOp, LogicalNotOp,
                        BroadcastOp, ReshapeOp, TransposeOp>(op)) {
      llvm::append_range(stack, op->getOperands());
      continue;
    }
    if (!isa_and_nonnull<EqualOp, NotEqualOp, LessOp, LessEqualOp, GreaterOp,
                         GreaterEqualOp>(op))
      return true;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (!isa<FloatType>(getElementTypeOrSelf(lhs.getType())) || lhs == rhs ||
        isInput(lhs) || isInput(rhs))
      return true;
  }
  return false;
}

/// Inserts the active operands of `op` if one of its results is in `values`.
static void follow(Operation &op, const Activity &activity, bool starts,
                   DenseSet<Value> &values) {
  if (!starts && llvm::none_of(op.getResults(),
                               [&](Value v) { return values.contains(v); }))
    return;
  for (Value operand : op.getOperands())
    if (activity.isActive(operand))
      values.insert(operand);
}

Guards::Guards(func::FuncOp callee, const Activity &activity) {
  // Derivatives of a guarded cotangent are guarded for the same reason, by the
  // guards that follow the choice.
  auto body = callee.getBody().front().without_terminator();
  DenseSet<Operation *> choices;
  DenseSet<Value> chosen;
  for (Operation &op : body) {
    auto select = dyn_cast<SelectOp>(op);
    auto guard = dyn_cast<GuardOp>(op);
    bool follows = llvm::any_of(op.getOperands(),
                                [&](Value v) { return chosen.contains(v); });
    if ((select && expectsNonFinite(select.getCondition())) ||
        (guard && chosen.contains(guard.getCotangent())))
      choices.insert(&op);
    if (follows || choices.contains(&op))
      chosen.insert_range(op.getResults());
  }
  for (Operation &op : llvm::reverse(body)) {
    follow(op, activity, op.hasTrait<DiscardsElements>(), discarded);
    follow(op, activity, choices.contains(&op), expected);
  }
}

static bool isFiniteConstant(Attribute attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense || !isa<FloatType>(dense.getElementType()))
    return true;
  return llvm::all_of(dense.getValues<APFloat>(),
                      [](const APFloat &v) { return v.isFinite(); });
}

static bool isNonZeroConstant(Value value) {
  DenseElementsAttr dense;
  return matchPattern(value, m_Constant(&dense)) &&
         isa<FloatType>(dense.getElementType()) &&
         llvm::none_of(dense.getValues<APFloat>(),
                       [](const APFloat &v) { return v.isZero(); });
}

/// Whether `op` itself makes infinities or NaNs of finite operands.
static bool isSingular(Operation *op) {
  if (auto div = dyn_cast<DivOp>(op))
    return !isNonZeroConstant(div.getRhs());
  return op->hasTrait<Singular>();
}

bool Guards::mayBeNonFinite(Value value, Known &known, bool ofInputs) {
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value v = stack.back();
    if (known.contains(v)) {
      stack.pop_back();
      continue;
    }
    Operation *op = v.getDefiningOp();
    bool result = false, pending = false;
    Attribute attr;
    if (!isa<FloatType>(getElementTypeOrSelf(v.getType()))) {
      result = false;
    } else if (!op) {
      result = ofInputs;
    } else if (matchPattern(v, m_Constant(&attr))) {
      result = !isFiniteConstant(attr);
    } else if (isSingular(op)) {
      result = true;
    } else {
      for (Value operand : op->getOperands()) {
        auto found = known.find(operand);
        if (found == known.end()) {
          stack.push_back(operand);
          pending = true;
        } else {
          result |= found->second;
        }
      }
    }
    if (pending)
      continue;
    known[v] = result;
    stack.pop_back();
  }
  return known.lookup(value);
}

void Guards::apply(OpBuilder &builder, Operation *op, ArrayRef<Value> incoming,
                   MutableArrayRef<Value> outgoing) {
  if (!op->hasTrait<OpTrait::Elementwise>() ||
      !discarded.contains(op->getResult(0)))
    return;
  Value cotangent = incoming[0];
  bool inputs = expected.contains(op->getResult(0));
  Known &known = inputs ? forAll : forFinite;
  // Infinite cotangents are the program's own, and not discarded.
  known.try_emplace(cotangent, false);
  for (Value &v : outgoing) {
    if (!v || v == cotangent || v.getType() != cotangent.getType() ||
        !mayBeNonFinite(v, known, inputs))
      continue;
    v = GuardOp::create(builder, v.getLoc(), v, cotangent);
    known[v] = false;
  }
}

} // namespace cellgrad
