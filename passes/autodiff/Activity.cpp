//===- Activity.cpp - which values a derivative passes through ------------===//

#include "passes/autodiff/Activity.h"

#include "passes/autodiff/ControlFlow.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

static bool stopsDerivative(Operation *op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  return differentiable && differentiable.hasZeroDerivative();
}

static bool sends(Operation *op) {
  return op->walk([](SendOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

Activity::Activity(func::FuncOp func, ArrayRef<int64_t> wrt,
                   ArrayRef<int64_t> of) {
  Block &body = func.getBody().front();

  llvm::DenseSet<Value> varies;
  bool integers = false;
  for (int64_t i : wrt) {
    varies.insert(body.getArgument(i));
    integers |= isInteger(body.getArgument(i).getType());
  }
  // Where no derivative passes from floating point to integers, they vary with
  // integers alone.
  if (!integers)
    integers = func.walk([](CastOp op) {
                     return isStraight(op) ? WalkResult::interrupt()
                                           : WalkResult::advance();
                   })
                   .wasInterrupted();
  auto mayVary = [&](Type type) {
    return carriesDerivative(type) && (integers || !isInteger(type));
  };
  for (Operation &op : body.without_terminator()) {
    bool depends = llvm::any_of(readValues(&op),
                                [&](Value v) { return varies.contains(v); });
    if (!depends || stopsDerivative(&op))
      continue;
    for (Value result : op.getResults())
      if (mayVary(result.getType()))
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
    auto read = readValues(&op);
    if (!influences) {
      if (llvm::any_of(read, [&](Value v) { return varies.contains(v); }) &&
          sends(&op))
        lost = &op;
      continue;
    }
    for (Value value : read)
      if (varies.contains(value))
        active.insert(value);
  }
}

} // namespace cellgrad
