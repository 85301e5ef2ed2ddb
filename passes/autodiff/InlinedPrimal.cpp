//===- InlinedPrimal.cpp - the copied body of a function ------------------===//

#include "passes/autodiff/InlinedPrimal.h"
#include "passes/autodiff/Expand.h"

using namespace mlir;

namespace cellgrad {

InlinedPrimal::InlinedPrimal(func::FuncOp callee, ValueRange args)
    : func(callee) {
  map.map(func.getBody().front().getArguments(), args);
}

void InlinedPrimal::clone(OpBuilder &builder, Operation &op) {
  copies[&op] = builder.clone(op, map);
}

void InlinedPrimal::cloneAll(OpBuilder &builder) {
  for (Operation &op : func.getBody().front().without_terminator())
    clone(builder, op);
}

SmallVector<Value> InlinedPrimal::copiesOf(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value v) { return map.lookup(v); });
}

SmallVector<Value> InlinedPrimal::results() const {
  func::FuncOp callee = func;
  return copiesOf(callee.getBody().front().getTerminator()->getOperands());
}

void InlinedPrimal::replace(Operation *op, Operation *other) {
  ValueRange results = other->getResults().take_front(op->getNumResults());
  if (Operation *copy = copies.lookup(op)) {
    copy->replaceAllUsesWith(results);
    copy->erase();
  }
  map.map(op->getResults(), results);
  copies[op] = other;
}

void inlineCall(Operation *op, func::FuncOp callee, ValueRange args) {
  OpBuilder builder(op);
  InlinedPrimal body(callee, args);
  body.cloneAll(builder);
  op->replaceAllUsesWith(body.results());
  op->erase();
}

} // namespace cellgrad
