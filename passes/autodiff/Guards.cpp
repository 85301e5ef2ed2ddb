//===- Guards.cpp - no NaN from elements that a choice discards -----------===//
//
// `where(x > 0, sqrt(x), 0)` is 0 at x = 0, and so should its slope be. But
// the rule of sqrt multiplies the cotangent, which the choice has made 0, by an
// infinite slope, and 0 * inf is NaN. For each op this file asks two questions
// of the graph, and puts a `cell.guard` behind its rule where both say yes:
//
//   %c = cell.greater %x, %zero
//   %r = cell.sqrt %x
//   %y = cell.select %c, %r, %zero
//
// has the adjoint
//
//   %1 = cell.select %c, %ct, %zero       // 0 where the root is not taken
//   %2 = cell.div (%1 * 0.5), %r          // 0 / 0 there
//   %dx = cell.guard %2, %1               // 0 where %1 is 0 and %2 not finite
//
// 1. Does a choice follow (`discarded`)? The constructor walks the function
//    backwards from its results and collects what can reach a choice.
// 2. Can the new cotangent be infinite or NaN though the incoming one is finite
//    (`mayBeNonFinite`)? It walks from the new cotangent to its operands, until
//    it meets an op that makes such values (the trait Singular) or an input.
//
// The incoming cotangent counts as finite: an infinite one is the program's own
// and must show, and one that a choice discards is 0. Sums and products of
// finite values count as finite, too: where they overflow in a branch that is
// not taken, NaN is possible. A guard acts only where the cotangent is 0
// and the product is infinite or NaN; nothing else changes.
// docs/decisions/0010-guarded-cotangents.md has the reasons and the limits.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/Guards.h"

#include "passes/autodiff/ControlFlow.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// Whether `op`, something in its regions, or something in a function that it
/// calls is such an op; one that is out of sight may be.
static bool holds(Operation &op, llvm::function_ref<bool(Operation &)> is) {
  auto calls = [&](Operation *inner) {
    return isa<RecomputeOp, CustomOp>(inner) &&
           llvm::any_of(inner->getAttrs(), [&](NamedAttribute attr) {
             auto name = dyn_cast<FlatSymbolRefAttr>(attr.getValue());
             if (!name)
               return false;
             Operation *function =
                 SymbolTable::lookupNearestSymbolFrom(inner, name);
             return !function || holds(*function, is);
           });
  };
  return op
      .walk([&](Operation *inner) {
        return is(*inner) || calls(inner) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool makesTrips(Operation &op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  return lower && upper && *lower < *upper;
}

/// Whether `op` may give elements a cotangent of exactly zero.
static bool discards(Operation &op) {
  return op.hasTrait<DiscardsElements>() ||
         (isControlFlow(&op) && !makesTrips(op));
}

/// Whether `op` is a choice that expects infinities or NaNs.
static bool expects(Operation &op) {
  if (auto select = dyn_cast<SelectOp>(op))
    return expectsNonFinite(select.getCondition());
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  auto extract = branch.getCondition().getDefiningOp<tensor::ExtractOp>();
  return !extract || expectsNonFinite(extract.getTensor());
}

/// Inserts the active operands of `op`, and what its regions use of the values
/// around them, if one of its results is in `values`.
static void follow(Operation &op, const Activity &activity, bool starts,
                   DenseSet<Value> &values) {
  if (!starts && llvm::none_of(op.getResults(),
                               [&](Value v) { return values.contains(v); }))
    return;
  for (Value value : readValues(&op))
    if (activity.isActive(value))
      values.insert(value);
}

Guards::Guards(func::FuncOp callee, const Activity &activity,
               Following outside) {
  // Derivatives of a guarded cotangent are guarded for the same reason, by the
  // guards that follow the choice.
  Block &block = callee.getBody().front();
  auto body = block.without_terminator();
  DenseSet<Operation *> choices;
  DenseSet<Value> chosen;
  for (Operation &op : body) {
    auto guard = dyn_cast<GuardOp>(op);
    bool follows = llvm::any_of(op.getOperands(),
                                [&](Value v) { return chosen.contains(v); });
    if (holds(op, expects) || (guard && chosen.contains(guard.getCotangent())))
      choices.insert(&op);
    if (follows || choices.contains(&op))
      chosen.insert_range(op.getResults());
  }
  follow(*block.getTerminator(), activity, outside.discards, discarded);
  follow(*block.getTerminator(), activity, outside.expects, expected);
  for (Operation &op : llvm::reverse(body)) {
    follow(op, activity, holds(op, discards), discarded);
    follow(op, activity, choices.contains(&op), expected);
  }
}

Following Guards::following(Value value) const {
  return {discarded.contains(value), expected.contains(value)};
}

Following Guards::following(Operation *op) const {
  Following all;
  for (Value result : op->getResults())
    all.add(following(result));
  return all;
}

/// Whether all numbers of a constant are such; of a splat one is looked at.
static bool allAre(DenseElementsAttr dense,
                   llvm::function_ref<bool(const APFloat &)> is) {
  if (dense.isSplat())
    return is(dense.getSplatValue<APFloat>());
  return llvm::all_of(dense.getValues<APFloat>(), is);
}

static bool isFiniteConstant(Attribute attr) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense || !isa<FloatType>(dense.getElementType()))
    return true;
  return allAre(dense, [](const APFloat &v) { return v.isFinite(); });
}

static bool isNonZeroConstant(Value value) {
  DenseElementsAttr dense;
  return matchPattern(value, m_Constant(&dense)) &&
         isa<FloatType>(dense.getElementType()) &&
         allAre(dense, [](const APFloat &v) { return !v.isZero(); });
}

/// Whether `op` itself makes infinities or NaNs of finite operands, or has such
/// a slope there, which the tangent of its result then has.
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
    } else if (!op || isa<StashReadOp>(op)) {
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
  bool elementwise =
      op->hasTrait<OpTrait::Elementwise>() || isa<PolygammaOp>(op);
  if (!elementwise || !discarded.contains(op->getResult(0)))
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
