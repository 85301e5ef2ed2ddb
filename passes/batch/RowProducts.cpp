//===- RowProducts.cpp - products that sum over all of a batch ------------===//

#include "passes/batch/RowProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cellgrad {

bool isProductOfRows(MatMulOp op, const OpenBatch &batch,
                     const SampleFlow &flow) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  if (type.getRank() != 2 || !(element.isF32() || element.isF64()) ||
      llvm::is_contained(type.getShape(), 1) ||
      flow.combineOf(cast<OpResult>(op.getResult())) != Combine::Add)
    return false;
  // What is summed over is the first dimension of both then.
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Share share = flow.of(operand);
    return share.kind == Share::Known && share.outer == 1 &&
           batchDimOf(operand.getType(), batch).dim == 0;
  });
}

Value productOfRows(OpBuilder &b, MatMulOp op, Value lhs, Value rhs,
                    Value samples, const OpenBatch &batch) {
  Location loc = op.getLoc();
  Value ofSample = arith::ConstantIndexOp::create(
      b, loc, batchDimOf(op.getLhs().getType(), batch).count);
  OpFoldResult rows =
      arith::MulIOp::create(b, loc, samples, ofSample).getResult();
  auto rowsOf = [&](Value all) -> Value {
    OpFoldResult columns =
        b.getIndexAttr(cast<RankedTensorType>(all.getType()).getDimSize(1));
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
        sizes{rows, columns}, strides(2, b.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(b, loc, all, offsets, sizes, strides);
  };
  auto type = cast<RankedTensorType>(op.getType());
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  AffineExpr m, n, k;
  bindDims(b.getContext(), m, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, b.getContext());
  };
  NamedAttribute maps = b.getNamedAttr(
      "indexing_maps",
      b.getAffineMapArrayAttr({map(k, m), map(k, n), map(m, n)}));
  return linalg::MatmulOp::create(b, loc, ValueRange{rowsOf(lhs), rowsOf(rhs)},
                                  ValueRange{init}, {maps})
      .getResult(0);
}

} // namespace cellgrad
