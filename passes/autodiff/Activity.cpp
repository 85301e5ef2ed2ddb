//===- Activity.cpp - which values a derivative passes through ------------===//

#include "passes/autodiff/Activity.h"

#include "dialect/CellDialect.h"

using namespace mlir;

namespace cellgrad {

static bool carriesDerivative(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

static bool stopsDerivative(Operation *op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  return differentiable && differentiable.hasZeroDerivative();
}

Activity::Activity(func::FuncOp func, ArrayRef<int64_t> wrt,
                   ArrayRef<int64_t> of) {
  Block &body = func.getBody().front();

  llvm::DenseSet<Value> varies;
  for (int64_t i : wrt)
    varies.insert(body.getArgument(i));
  for (Operation &op : body.without_terminator()) {
    bool depends = llvm::any_of(op.getOperands(),
                                [&](Value v) { return varies.contains(v); });
    if (!depends || stopsDerivative(&op))
      continue;
    for (Value result : op.getResults())
      if (carriesDerivative(result))
        varies.insert(result);
  }

  for (int64_t i : of) {
    Value result = body.getTerminator()->getOperand(i);
    if (varies.contains(result))
      active.insert(result);
  }
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    bool influences = llvm::any_of(op.getResults(),
                                   [&](Value v) { return active.contains(v); });
    if (!influences)
      continue;
    for (Value operand : op.getOperands())
      if (varies.contains(operand))
        active.insert(operand);
  }
}

} // namespace cellgrad
