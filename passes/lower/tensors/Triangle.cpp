//===- Triangle.cpp - triangles of matrices as masks ----------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace cellgrad;

/// A mask of the indices, merged into what reads it.
LogicalResult cellgrad::lower(TriangleOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  AffineMap each = rewriter.getMultiDimIdentityMap(rank);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(op.getX()),
      ValueRange(emptyTensor(rewriter, loc, type)),
      ArrayRef<AffineMap>{each, each},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location, ValueRange args) {
        // [i, j] is kept where j - i <= diagonal, or >= it.
        Value row = linalg::IndexOp::create(b, loc, rank - 2);
        Value column = linalg::IndexOp::create(b, loc, rank - 1);
        Value last = row;
        if (op.getDiagonal() != 0)
          last = arith::AddIOp::create(
              b, loc, row,
              arith::ConstantIndexOp::create(b, loc, op.getDiagonal()));
        Value outside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                              op.getLower() ? last : column,
                                              op.getLower() ? column : last);
        Value zero = arith::ConstantOp::create(
            b, loc,
            cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType())));
        linalg::YieldOp::create(
            b, loc,
            arith::SelectOp::create(b, loc, outside, zero, args[0])
                .getResult());
      });
  return success();
}
