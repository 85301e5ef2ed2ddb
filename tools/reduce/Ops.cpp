//===- Ops.cpp - fewer ops, and simpler constants -------------------------===//

#include "dialect/CellDialect.h"
#include "tools/reduce/Reducer.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace cellgrad::reduce {

DenseElementsAttr uniform(Type type, int number) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  Type element = tensor.getElementType();
  if (auto kind = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(tensor, FloatAttr::get(kind, number));
  if (isa<IntegerType>(element))
    return DenseElementsAttr::get(tensor, IntegerAttr::get(element, number));
  return {};
}

namespace {

enum class Replacement { Operand, Zero, One };

/// The ops that compute something, in the order of a walk.
SmallVector<Operation *> computations(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<CellDialect>(op->getDialect()) &&
        !isa<ConstantOp>(op) && op->getNumResults() > 0)
      ops.push_back(op);
  });
  return ops;
}

/// What takes the place of a result of `op` that has `type`; null for nothing.
Value valueFor(Operation *op, Type type, Replacement kind) {
  if (kind == Replacement::Operand) {
    for (Value operand : op->getOperands())
      if (operand.getType() == type)
        return operand;
    return {};
  }
  OpBuilder builder(op);
  if (auto number = uniform(type, kind == Replacement::One))
    return ConstantOp::create(builder, op->getLoc(), number);
  return {};
}

bool replace(Operation *op, Replacement kind) {
  if (isOpTriviallyDead(op)) {
    op->erase();
    return true;
  }
  SmallVector<Value> values;
  for (Type type : op->getResultTypes()) {
    Value value = valueFor(op, type, kind);
    if (!value)
      return false;
    values.push_back(value);
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

/// Tries to replace runs of `length` ops, last ones first: that makes the ones
/// before them dead.
bool replaceRuns(Reducer &reducer, Replacement kind, size_t length) {
  bool changed = false;
  size_t end = computations(reducer.module()).size();
  while (end > 0) {
    size_t begin = end > length ? end - length : 0;
    changed |= reducer.attempt([&](ModuleOp module) {
      bool any = false;
      SmallVector<Operation *> ops = computations(module);
      for (Operation *op : ArrayRef(ops).slice(begin, end - begin))
        any |= replace(op, kind);
      return success(any);
    });
    end = begin;
  }
  return changed;
}

LogicalResult simplify(ConstantOp constant, int step) {
  auto old = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!old || old.empty())
    return failure();
  Type type = constant.getType();
  auto zeros = uniform(type, 0), ones = uniform(type, 1);
  DenseElementsAttr simpler;
  if (step == 0)
    simpler = zeros;
  else if (step == 1 && old != zeros)
    simpler = ones;
  else if (step == 2)
    simpler = DenseElementsAttr::get(old.getType(),
                                     *old.getValues<Attribute>().begin());
  if (!simpler || simpler == old)
    return failure();
  constant.setValueAttr(simpler);
  return success();
}

} // namespace

bool reduceOps(Reducer &reducer) {
  bool changed = false;
  size_t length = computations(reducer.module()).size();
  for (; length > 0; length /= 2)
    for (Replacement kind :
         {Replacement::Zero, Replacement::One, Replacement::Operand})
      if (replaceRuns(reducer, kind, length)) {
        changed = true;
        reduceSignatures(reducer);
      }
  return changed;
}

bool reduceConstants(Reducer &reducer) {
  auto constants = [](ModuleOp module) {
    SmallVector<ConstantOp> all;
    module.walk([&](ConstantOp op) { all.push_back(op); });
    return all;
  };
  bool changed = false;
  for (size_t i = 0, n = constants(reducer.module()).size(); i < n; ++i)
    for (int step = 0; step < 3; ++step)
      changed |= reducer.attempt([&](ModuleOp module) {
        return simplify(constants(module)[i], step);
      });
  return changed;
}

} // namespace cellgrad::reduce
