//===- Shape.cpp - shape ops as tensor and linalg ops ---------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace cellgrad;

static SmallVector<OpFoldResult> indices(OpBuilder &builder,
                                         ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

/// `x` with the one-dimensional shape of all its elements.
static Value flatten(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() == 1)
    return x;
  SmallVector<ReassociationIndices> groups;
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (type.getRank() == 0)
    return tensor::ExpandShapeOp::create(builder, loc, flat, x, groups);
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  return tensor::CollapseShapeOp::create(builder, loc, flat, x, groups);
}

/// One-dimensional `x` with the shape of `type`.
static Value unflatten(OpBuilder &builder, Location loc, Value x,
                       RankedTensorType type) {
  if (type.getRank() == 1)
    return x;
  SmallVector<ReassociationIndices> groups;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, type, x, groups);
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  return tensor::ExpandShapeOp::create(builder, loc, type, x, groups);
}

LogicalResult cellgrad::lower(ReshapeOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType from = op.getX().getType(), to = op.getType();
  if (from == to) {
    rewriter.replaceOp(op, op.getX());
    return success();
  }
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, to, op.getX(),
                                                           *groups);
    else
      rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, to, op.getX(),
                                                         *groups);
    return success();
  }
  Value flat = flatten(rewriter, loc, op.getX());
  rewriter.replaceOp(op, unflatten(rewriter, loc, flat, to));
  return success();
}

LogicalResult cellgrad::lower(BroadcastOp op, PatternRewriter &rewriter) {
  Value init = emptyTensor(rewriter, op.getLoc(), op.getType());
  rewriter.replaceOpWithNewOp<linalg::BroadcastOp>(op, op.getX(), init,
                                                   op.getDims());
  return success();
}

LogicalResult cellgrad::lower(TransposeOp op, PatternRewriter &rewriter) {
  Value init = emptyTensor(rewriter, op.getLoc(), op.getType());
  rewriter.replaceOpWithNewOp<linalg::TransposeOp>(op, op.getX(), init,
                                                   op.getPerm());
  return success();
}

LogicalResult cellgrad::lower(SliceOp op, PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      op, op.getType(), op.getX(), indices(rewriter, op.getStarts()),
      indices(rewriter, op.getType().getShape()),
      indices(rewriter, op.getStrides()));
  return success();
}

LogicalResult cellgrad::lower(PadOp op, PatternRewriter &rewriter) {
  auto zero =
      cast<TypedAttr>(rewriter.getZeroAttr(op.getType().getElementType()));
  Value zeros = filledTensor(rewriter, op.getLoc(), op.getType(), zero);
  if (op.getX().getType().getNumElements() == 0) {
    rewriter.replaceOp(op, zeros);
    return success();
  }
  auto strides =
      llvm::map_to_vector(op.getInterior(), [](int64_t i) { return i + 1; });
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      op, op.getX(), zeros, indices(rewriter, op.getLow()),
      indices(rewriter, op.getX().getType().getShape()),
      indices(rewriter, strides));
  return success();
}

LogicalResult cellgrad::lower(ConcatOp op, PatternRewriter &rewriter) {
  Value whole = emptyTensor(rewriter, op.getLoc(), op.getType());
  SmallVector<int64_t> start(op.getType().getRank(), 0);
  SmallVector<int64_t> ones(op.getType().getRank(), 1);
  for (Value x : op.getXs()) {
    auto type = cast<RankedTensorType>(x.getType());
    if (type.getNumElements() == 0)
      continue;
    whole = tensor::InsertSliceOp::create(
        rewriter, op.getLoc(), x, whole, indices(rewriter, start),
        indices(rewriter, type.getShape()), indices(rewriter, ones));
    start[op.getDim()] += type.getDimSize(op.getDim());
  }
  rewriter.replaceOp(op, whole);
  return success();
}

namespace {

/// Whatever an op does to no elements, it gives none. linalg and tensor ops are
/// not all legal on empty tensors, and what is reduced to them is dead.
struct EmptyResult : RewritePattern {
  EmptyResult(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}
  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<CellDialect>(op->getDialect()) || op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.getNumElements() != 0)
      return failure();
    rewriter.replaceOp(op, emptyTensor(rewriter, op->getLoc(), type));
    return success();
  }
};

} // namespace

void cellgrad::populateEmptyResultToLinalg(RewritePatternSet &patterns) {
  patterns.add<EmptyResult>(patterns.getContext());
}
