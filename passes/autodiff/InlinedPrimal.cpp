//===- InlinedPrimal.cpp - the copied body of a differentiated callee -----===//

#include "passes/autodiff/Expand.h"

using namespace mlir;

namespace cellgrad {

InlinedPrimal::InlinedPrimal(OpBuilder &builder, func::FuncOp callee,
                             ValueRange args)
    : func(callee) {
  Block &body = func.getBody().front();
  map.map(body.getArguments(), args);
  for (Operation &op : body.without_terminator())
    copies.push_back({&op, builder.clone(op, map)});
}

SmallVector<Value> InlinedPrimal::results() const {
  SmallVector<Value> values;
  func::FuncOp callee = func;
  for (Value v : callee.getBody().front().getTerminator()->getOperands())
    values.push_back(map.lookup(v));
  return values;
}

} // namespace cellgrad
