//===- Batch.cpp - cell.vmap as code on the whole batch -------------------===//

#include "passes/autodiff/Expand.h"

using namespace mlir;

namespace cellgrad {

/// `x` with dimension `from` moved to `to`.
static Value moveDim(OpBuilder &builder, Location loc, Value x, int64_t from,
                     int64_t to) {
  if (from == to)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> perm;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != from)
      perm.push_back(i);
  perm.insert(perm.begin() + to, from);
  return TransposeOp::create(builder, loc, x, perm);
}

/// A callee value on the batch: with the batch as first dimension, or the same
/// for all.
struct Batched {
  Value value;
  bool varies = false;
};

LogicalResult expandVMap(VMapOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  int64_t size = op.getBatchSize();
  Block &body = callee.getBody().front();
  llvm::DenseMap<Value, Batched> values;
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    int64_t dim = op.getInDims()[i];
    Value first = dim < 0 ? arg : moveDim(builder, op.getLoc(), arg, dim, 0);
    values[body.getArgument(i)] = {first, dim >= 0};
  }

  for (Operation &inner : body.without_terminator()) {
    SmallVector<Value> operands;
    llvm::SmallBitVector varies;
    for (Value operand : inner.getOperands()) {
      operands.push_back(values[operand].value);
      varies.push_back(values[operand].varies);
    }
    SmallVector<Value> results;
    if (varies.none()) {
      Operation *copy = builder.clone(inner);
      copy->setOperands(operands);
      llvm::append_range(results, copy->getResults());
    } else {
      auto batchable = dyn_cast<BatchableOpInterface>(inner);
      if (!batchable)
        return inner.emitOpError(
            "cannot be mapped over a batch: it has no batching rule");
      if (failed(
              batchable.buildBatched(builder, operands, varies, size, results)))
        return failure();
    }
    for (auto [result, value] : llvm::zip_equal(inner.getResults(), results))
      values[result] = {value, varies.any()};
  }

  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Batched batched = values[value];
    int64_t dim = op.getOutDims()[i];
    if (batched.varies)
      results.push_back(moveDim(builder, op.getLoc(), batched.value, 0, dim));
    else
      results.push_back(BroadcastOp::create(
          builder, op.getLoc(), op.getResult(i).getType(), batched.value, dim));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
