//===- IndexRules.cpp - derivatives and batches of index ops --------------===//

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 const llvm::SmallBitVector &wanted,
                                 MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  Value zeros = splat(builder, loc, getX().getType(), 0);
  operandCotangents[0] =
      ScatterOp::create(builder, loc, zeros, getIndices(), cotangents[0],
                        getDim(), getBatchDims(), "add");
  return success();
}

LogicalResult GatherOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                 MutableArrayRef<Value> resultTangents) {
  if (tangents[0])
    resultTangents[0] =
        GatherOp::create(builder, ruleLocation(*this, "jvp"), tangents[0],
                         getIndices(), getDim(), getBatchDims());
  return success();
}

/// True, with the shape of the updates of `op`, where a slice is the last one
/// put at its index; null where each index stands alone.
static Value winners(OpBuilder &builder, Location loc, ScatterOp op) {
  RankedTensorType indices = op.getIndices().getType();
  int64_t batchDims = op.getBatchDims(), dim = op.getDim();
  ArrayRef<int64_t> batch = indices.getShape().take_front(batchDims);
  int64_t count = 1;
  for (int64_t size : indices.getShape().drop_front(batchDims))
    count *= size;
  if (count <= 1)
    return {};

  // Every slot remembers the number of the last slice that was put there.
  Type integer = indices.getElementType();
  SmallVector<int64_t> flat(batch), slots(batch);
  flat.push_back(count);
  slots.push_back(op.getType().getDimSize(dim));
  Value numbers =
      IotaOp::create(builder, loc, RankedTensorType::get(flat, integer),
                     builder.getI64IntegerAttr(batchDims));
  numbers = ReshapeOp::create(builder, loc, indices, numbers);
  Value zeros = splat(builder, loc, RankedTensorType::get(slots, integer), 0);
  Value last = ScatterOp::create(builder, loc, zeros, op.getIndices(), numbers,
                                 batchDims, batchDims, "set");
  last = GatherOp::create(builder, loc, last, op.getIndices(), batchDims,
                          batchDims);
  Value wins = EqualOp::create(builder, loc, last, numbers);

  RankedTensorType updates = op.getUpdates().getType();
  SmallVector<int64_t> others;
  for (int64_t d = batchDims; d < dim; ++d)
    others.push_back(d);
  for (int64_t d = dim + indices.getRank() - batchDims; d < updates.getRank();
       ++d)
    others.push_back(d);
  if (others.empty())
    return wins;
  return BroadcastOp::create(builder, loc, updates.clone(builder.getI1Type()),
                             wins, others);
}

LogicalResult ScatterOp::buildVJP(OpBuilder &builder,
                                  ArrayRef<Value> cotangents,
                                  const llvm::SmallBitVector &wanted,
                                  MutableArrayRef<Value> operandCotangents) {
  Value ct = cotangents[0];
  if (!ct)
    return success();
  Location loc = ruleLocation(*this, "vjp");
  Type updates = getUpdates().getType();
  // What is read comes before what may be written in its place.
  if (wanted[2]) {
    Value slices = GatherOp::create(builder, loc, ct, getIndices(), getDim(),
                                    getBatchDims());
    if (Value wins = adds() ? Value() : winners(builder, loc, *this))
      slices = SelectOp::create(builder, loc, wins, slices,
                                splat(builder, loc, updates, 0));
    operandCotangents[2] = slices;
  }
  if (wanted[0])
    operandCotangents[0] =
        adds() ? ct
               : ScatterOp::create(builder, loc, ct, getIndices(),
                                   splat(builder, loc, updates, 0), getDim(),
                                   getBatchDims(), "set")
                     .getResult();
  return success();
}

LogicalResult ScatterOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                  MutableArrayRef<Value> resultTangents) {
  if (!tangents[0] && !tangents[2])
    return success();
  Location loc = ruleLocation(*this, "jvp");
  if (adds() && !tangents[2]) {
    resultTangents[0] = tangents[0];
    return success();
  }
  Value x = valueOrZero(builder, loc, tangents[0], getX().getType());
  Value updates =
      valueOrZero(builder, loc, tangents[2], getUpdates().getType());
  resultTangents[0] = ScatterOp::create(builder, loc, x, getIndices(), updates,
                                        getDim(), getBatchDims(), getCombine());
  return success();
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// `x` with dimension `from` moved to the front.
static Value moveToFront(OpBuilder &builder, Location loc, Value x,
                         int64_t from) {
  if (from == 0)
    return x;
  SmallVector<int64_t> perm{from};
  for (int64_t d = 0; d < cast<RankedTensorType>(x.getType()).getRank(); ++d)
    if (d != from)
      perm.push_back(d);
  return TransposeOp::create(builder, loc, x, perm);
}

LogicalResult GatherOp::buildBatched(OpBuilder &builder,
                                     ArrayRef<Value> operands,
                                     const llvm::SmallBitVector &batched,
                                     int64_t size,
                                     SmallVectorImpl<Value> &results) {
  Location loc = getLoc();
  int64_t dim = getDim(), batchDims = getBatchDims();
  Value x = operands[0], indices = operands[1], result;
  if (!batched[0]) {
    // The batch is one more dimension of indices.
    SmallVector<int64_t> perm;
    for (int64_t d = 1; d <= batchDims; ++d)
      perm.push_back(d);
    perm.push_back(0);
    for (int64_t d = batchDims + 1; d <= getIndices().getType().getRank(); ++d)
      perm.push_back(d);
    if (batchDims > 0)
      indices = TransposeOp::create(builder, loc, indices, perm);
    result = GatherOp::create(builder, loc, x, indices, dim, batchDims);
    result = moveToFront(builder, loc, result, dim);
  } else if (!batched[1] && batchDims == 0) {
    result = GatherOp::create(builder, loc, x, indices, dim + 1, 0);
  } else {
    indices = asBatch(builder, loc, indices, batched[1], size);
    result = GatherOp::create(builder, loc, x, indices, dim + 1, batchDims + 1);
  }
  results.push_back(result);
  return success();
}

LogicalResult ScatterOp::buildBatched(OpBuilder &builder,
                                      ArrayRef<Value> operands,
                                      const llvm::SmallBitVector &batched,
                                      int64_t size,
                                      SmallVectorImpl<Value> &results) {
  Location loc = getLoc();
  int64_t batchDims = getBatchDims();
  Value x = asBatch(builder, loc, operands[0], batched[0], size);
  Value updates = asBatch(builder, loc, operands[2], batched[2], size);
  Value indices = operands[1];
  if (batched[1] || batchDims > 0) {
    indices = asBatch(builder, loc, indices, batched[1], size);
    ++batchDims;
  }
  results.push_back(ScatterOp::create(builder, loc, x, indices, updates,
                                      getDim() + 1, batchDims, getCombine()));
  return success();
}

LogicalResult IotaOp::buildBatched(OpBuilder &builder, ArrayRef<Value>,
                                   const llvm::SmallBitVector &, int64_t size,
                                   SmallVectorImpl<Value> &results) {
  Value one = IotaOp::create(builder, getLoc(), getType(), getDimAttr());
  results.push_back(asBatch(builder, getLoc(), one, false, size));
  return success();
}

} // namespace cellgrad
