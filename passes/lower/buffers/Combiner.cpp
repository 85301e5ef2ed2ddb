//===- Combiner.cpp - how a reduction accumulates -------------------------===//

#include "passes/lower/buffers/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace cellgrad;

SmallVector<Combiner> cellgrad::findCombiners(const LoopNest &nest) {
  linalg::GenericOp generic = nest.op;
  SmallVector<Combiner> combiners(nest.outputs.size());
  for (auto [o, combiner] : llvm::enumerate(combiners)) {
    if (!nest.isAccumulated(o))
      continue;
    BlockArgument old = generic.getRegionOutputArgs()[o];
    Operation *op =
        generic.getBody()->getTerminator()->getOperand(o).getDefiningOp();
    if (!op || !old.hasOneUse() || op->getNumOperands() != 2 ||
        !op->getResult(0).hasOneUse() || *old.getUsers().begin() != op)
      continue;
    if (std::optional<TypedAttr> neutral = arith::getNeutralElement(op))
      combiner = {op, 1 - old.use_begin()->getOperandNumber(), *neutral};
  }
  return combiners;
}

Type cellgrad::accumulatorElement(Type element, const Combiner &combiner) {
  if (combiner.op && (element.isF16() || element.isBF16()))
    return Float32Type::get(element.getContext());
  return element;
}

Value cellgrad::combine(OpBuilder &b, Location loc, const Combiner &combiner,
                        Value a, Value c) {
  OperationState state(loc, combiner.op->getName(), {a, c}, a.getType());
  if (auto fmf = dyn_cast<arith::ArithFastMathInterface>(combiner.op))
    state.addAttribute(fmf.getFastMathAttrName(), fmf.getFastMathFlagsAttr());
  return b.create(state)->getResult(0);
}

Value cellgrad::convertFloat(OpBuilder &b, Location loc, Value value,
                             Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type to = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    to = vector.clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, to, value);
  return arith::TruncFOp::create(b, loc, to, value);
}
