//===- RowProducts.cpp - products of as many rows as a batch has ----------===//

#include "passes/batch/RowProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cellgrad {

/// A matrix of fewer elements, for each row of a sample, stays in the first
/// level of caches: it may be read for each tile, and products by it fuse with
/// what is beside them.
static constexpr int64_t kFewestElements = 4096;

static bool hasRows(Value value, const OpenBatch &batch,
                    const SampleFlow &flow) {
  Share share = flow.of(value);
  return share.kind == Share::Known && share.outer == 1 &&
         batchDimOf(value.getType(), batch).dim == 0;
}

RowProduct rowProductOf(MatMulOp op, const OpenBatch &batch,
                        const SampleFlow &flow) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  if (type.getRank() != 2 || !(element.isF32() || element.isF64()))
    return RowProduct::None;
  if (flow.combineOf(cast<OpResult>(op.getResult())) == Combine::Add) {
    // What is summed over is the first dimension of both then.
    bool sums = !llvm::is_contained(type.getShape(), 1) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return hasRows(operand, batch, flow);
                });
    return sums ? RowProduct::Sum : RowProduct::None;
  }
  // The more rows a sample has, the less it matters that each tile reads all.
  auto weights = cast<RankedTensorType>(op.getRhs().getType());
  int64_t ofSample = batchDimOf(op.getLhs().getType(), batch).count;
  if (hasRows(op.getResult(), batch, flow) &&
      hasRows(op.getLhs(), batch, flow) && !op.getTransposeA() &&
      !flow.of(op.getRhs()).hasSamples() &&
      !llvm::is_contained(weights.getShape(), 1) &&
      weights.getNumElements() >= kFewestElements * ofSample)
    return RowProduct::Each;
  return RowProduct::None;
}

bool readsMuchPerTile(Operation *op, const OpenBatch &batch) {
  auto isLarge = [&](Value factor) {
    auto type = cast<RankedTensorType>(factor.getType());
    return batchDimOf(type, batch).dim < 0 &&
           type.getNumElements() >= kFewestElements;
  };
  return op
      ->walk([&](Operation *inner) {
        bool much =
            isa<ConvOp>(inner) || (isa<MatMulOp>(inner) &&
                                   llvm::any_of(inner->getOperands(), isLarge));
        return much ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isInputInRows(Value value, const OpenBatch &batch,
                   const SampleFlow &flow) {
  while (hasRows(value, batch, flow)) {
    if (isa<BlockArgument>(value))
      return true;
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (!reshape)
      return false;
    value = reshape.getX();
  }
  return false;
}

Value productOfRows(OpBuilder &b, MatMulOp op, RowProduct kind, Value lhs,
                    Value rhs, SomeSamples samples, int64_t most,
                    const OpenBatch &batch) {
  Location loc = op.getLoc();
  int64_t ofSample = batchDimOf(op.getLhs().getType(), batch).count;
  auto rowsOf = [&](Value count) -> Value {
    return arith::MulIOp::create(
        b, loc, count, arith::ConstantIndexOp::create(b, loc, ofSample));
  };
  OpFoldResult rows = rowsOf(samples.count);
  // No more than there is room for, as it is: rows that are read by another
  // number than they were written are read from memory, with a known size. What
  // one product gives another would have none.
  OpFoldResult readRows = arith::MinSIOp::create(b, loc, cast<Value>(rows),
                                                 arith::ConstantIndexOp::create(
                                                     b, loc, most * ofSample))
                              .getResult();
  auto slice = [&](Value all, OpFoldResult count) {
    auto type = cast<RankedTensorType>(all.getType());
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
        sizes{count, b.getIndexAttr(type.getDimSize(1))},
        strides(2, b.getIndexAttr(1));
    if (samples.begin && batchDimOf(type, batch).dim == 0)
      offsets[0] = rowsOf(samples.begin);
    return std::tuple(offsets, sizes, strides);
  };
  auto rowsIn = [&](Value all, OpFoldResult count) -> Value {
    auto [offsets, sizes, strides] = slice(all, count);
    return tensor::ExtractSliceOp::create(b, loc, all, offsets, sizes, strides);
  };
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  bool each = kind == RowProduct::Each;
  if (each)
    shape[0] = most * ofSample;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value room = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value init =
      linalg::FillOp::create(b, loc, zero, each ? rowsIn(room, rows) : room)
          .getResult(0);
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, b.getContext());
  };
  AffineMap left = each ? map(m, k) : map(k, m),
            right = each && op.getTransposeB() ? map(n, k) : map(k, n);
  NamedAttribute maps = b.getNamedAttr(
      "indexing_maps", b.getAffineMapArrayAttr({left, right, map(m, n)}));
  Value product =
      linalg::MatmulOp::create(
          b, loc,
          ValueRange{rowsIn(lhs, readRows), each ? rhs : rowsIn(rhs, readRows)},
          ValueRange{init}, {maps})
          .getResult(0);
  if (!each)
    return product;
  auto [offsets, sizes, strides] = slice(room, rows);
  return tensor::InsertSliceOp::create(b, loc, product, room, offsets, sizes,
                                       strides);
}

} // namespace cellgrad
