//===- Guards.cpp - no NaN from elements that a choice discards -----------===//

#include "passes/autodiff/Guards.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace cellgrad {

Guards::Guards(func::FuncOp callee, const Activity &activity) {
  for (Operation &op :
       llvm::reverse(callee.getBody().front().without_terminator())) {
    bool discards = op.hasTrait<DiscardsElements>() ||
                    llvm::any_of(op.getResults(), [&](Value v) {
                      return discarded.contains(v);
                    });
    if (!discards)
      continue;
    for (Value operand : op.getOperands())
      if (activity.isActive(operand))
        discarded.insert(operand);
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

bool Guards::mayBeNonFinite(Value value) {
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value v = stack.back();
    if (nonFinite.contains(v)) {
      stack.pop_back();
      continue;
    }
    Operation *op = v.getDefiningOp();
    bool result = false, pending = false;
    Attribute attr;
    if (!isa<FloatType>(getElementTypeOrSelf(v.getType())) || !op) {
      result = false; // arguments are what the caller calls finite
    } else if (matchPattern(v, m_Constant(&attr))) {
      result = !isFiniteConstant(attr);
    } else if (isSingular(op)) {
      result = true;
    } else {
      for (Value operand : op->getOperands()) {
        auto known = nonFinite.find(operand);
        if (known == nonFinite.end()) {
          stack.push_back(operand);
          pending = true;
        } else {
          result |= known->second;
        }
      }
    }
    if (pending)
      continue;
    nonFinite[v] = result;
    stack.pop_back();
  }
  return nonFinite.lookup(value);
}

void Guards::apply(OpBuilder &builder, Operation *op, ArrayRef<Value> incoming,
                   MutableArrayRef<Value> outgoing) {
  if (!op->hasTrait<OpTrait::Elementwise>() ||
      !discarded.contains(op->getResult(0)))
    return;
  Value cotangent = incoming[0];
  // Infinite cotangents are the program's own, and not discarded.
  nonFinite.try_emplace(cotangent, false);
  for (Value &v : outgoing) {
    if (!v || v == cotangent || v.getType() != cotangent.getType() ||
        !mayBeNonFinite(v))
      continue;
    v = GuardOp::create(builder, v.getLoc(), v, cotangent);
    nonFinite[v] = false;
  }
}

} // namespace cellgrad
