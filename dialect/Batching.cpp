//===- Batching.cpp - every op on a batch ---------------------------------===//
//
// The batch is always the first dimension: the pass moves it there and back.
//
//===----------------------------------------------------------------------===//

#include "dialect/CollectiveOps.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

Type batchOf(Type type, int64_t size) {
  if (auto stash = dyn_cast<StashType>(type))
    return StashType::get(
        type.getContext(),
        cast<RankedTensorType>(batchOf(stash.getElement(), size)),
        stash.getCapacity());
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor.getElementType());
}

Value asBatch(OpBuilder &builder, Location loc, Value operand, bool batched,
              int64_t size) {
  if (batched)
    return operand;
  return BroadcastOp::create(builder, loc, batchOf(operand.getType(), size),
                             operand, ArrayRef<int64_t>{0});
}

/// `values` with `first` before them.
static SmallVector<int64_t> prepend(int64_t first, ArrayRef<int64_t> values) {
  SmallVector<int64_t> out{first};
  llvm::append_range(out, values);
  return out;
}

/// Dimensions of one element as dimensions of a batch.
static SmallVector<int64_t> shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t d) { return d + 1; });
}

LogicalResult batchAlike(OpBuilder &builder, Operation *op,
                         ArrayRef<Value> operands,
                         const llvm::SmallBitVector &batched, int64_t size,
                         SmallVectorImpl<Value> &results) {
  SmallVector<Value> whole;
  for (auto [i, operand] : llvm::enumerate(operands))
    whole.push_back(asBatch(builder, op->getLoc(), operand, batched[i], size));
  Operation *copy = builder.clone(*op);
  copy->setOperands(whole);
  for (Value result : copy->getResults()) {
    result.setType(batchOf(result.getType(), size));
    results.push_back(result);
  }
  return success();
}

#include "dialect/Batching.inc"

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::buildBatched(OpBuilder &builder,
                                        ArrayRef<Value> operands,
                                        const llvm::SmallBitVector &batched,
                                        int64_t size,
                                        SmallVectorImpl<Value> &results) {
  results.push_back(TransposeOp::create(builder, getLoc(), operands[0],
                                        prepend(0, shifted(getPerm()))));
  return success();
}

LogicalResult SliceOp::buildBatched(OpBuilder &builder,
                                    ArrayRef<Value> operands,
                                    const llvm::SmallBitVector &batched,
                                    int64_t size,
                                    SmallVectorImpl<Value> &results) {
  results.push_back(
      SliceOp::create(builder, getLoc(), operands[0], prepend(0, getStarts()),
                      prepend(size, getLimits()), prepend(1, getStrides())));
  return success();
}

LogicalResult PadOp::buildBatched(OpBuilder &builder, ArrayRef<Value> operands,
                                  const llvm::SmallBitVector &batched,
                                  int64_t size,
                                  SmallVectorImpl<Value> &results) {
  results.push_back(PadOp::create(builder, getLoc(), operands[0],
                                  prepend(0, getLow()), prepend(0, getHigh()),
                                  prepend(0, getInterior())));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

/// A batch of rows times one matrix is one product: [b, m, k] x [k, n] as
/// [b * m, k] x [k, n].
static Value productOfRows(OpBuilder &builder, MatMulOp op, Value lhs,
                           Value rhs, int64_t size) {
  auto type = cast<RankedTensorType>(op.getType());
  auto rows = cast<RankedTensorType>(lhs.getType());
  auto flat = RankedTensorType::get(
      {size * rows.getDimSize(1), rows.getDimSize(2)}, rows.getElementType());
  Value x = ReshapeOp::create(builder, op.getLoc(), flat, lhs);
  Value product =
      MatMulOp::create(builder, op.getLoc(), x, rhs, builder.getBoolAttr(false),
                       op.getTransposeBAttr());
  return ReshapeOp::create(builder, op.getLoc(), batchOf(type, size), product);
}

LogicalResult MatMulOp::buildBatched(OpBuilder &builder,
                                     ArrayRef<Value> operands,
                                     const llvm::SmallBitVector &batched,
                                     int64_t size,
                                     SmallVectorImpl<Value> &results) {
  if (batched[0] && !batched[1] && !getTransposeA() &&
      getType().getRank() == 2) {
    results.push_back(
        productOfRows(builder, *this, operands[0], operands[1], size));
    return success();
  }
  Value lhs = asBatch(builder, getLoc(), operands[0], batched[0], size);
  Value rhs = asBatch(builder, getLoc(), operands[1], batched[1], size);
  results.push_back(MatMulOp::create(builder, getLoc(), lhs, rhs,
                                     getTransposeAAttr(), getTransposeBAttr()));
  return success();
}

} // namespace cellgrad
