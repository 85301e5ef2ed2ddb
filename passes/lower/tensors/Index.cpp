//===- Index.cpp - positions and elements at positions as linalg ----------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

constexpr utils::IteratorType kParallel = utils::IteratorType::parallel;
constexpr utils::IteratorType kReduction = utils::IteratorType::reduction;

/// The value of a loop as a number of `type`.
static Value loopAs(OpBuilder &b, Location loc, int64_t loop, Type type) {
  Value index = linalg::IndexOp::create(b, loc, loop);
  if (!isa<FloatType>(type))
    return arith::IndexCastOp::create(b, loc, type, index);
  index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return arith::SIToFPOp::create(b, loc, type, index);
}

LogicalResult cellgrad::lower(IotaOp op, PatternRewriter &rewriter) {
  auto type = op.getType();
  Value init = emptyTensor(rewriter, op.getLoc(), type);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange(), init,
      ArrayRef{rewriter.getMultiDimIdentityMap(type.getRank())},
      SmallVector(type.getRank(), kParallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        linalg::YieldOp::create(
            b, loc, loopAs(b, loc, op.getDim(), type.getElementType()));
      });
  return success();
}

/// One slice at the number of a trip, which the program around the loops knows:
/// a view.
static bool lowerToSlice(GatherOp op, PatternRewriter &rewriter) {
  auto number = op.getIndices().getDefiningOp<tensor::FromElementsOp>();
  if (!number || op.getIndices().getType().getRank() != 0)
    return false;
  Location loc = op.getLoc();
  auto from = op.getX().getType();
  SmallVector<OpFoldResult> offsets(from.getRank(), rewriter.getIndexAttr(0)),
      strides(from.getRank(), rewriter.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(op.getContext(), from.getShape());
  offsets[op.getDim()] =
      clampedIndex(rewriter, loc, number.getElements().front(),
                   from.getDimSize(op.getDim()));
  sizes[op.getDim()] = rewriter.getIndexAttr(1);
  rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
      op, op.getType(), op.getX(), offsets, sizes, strides);
  return true;
}

/// A loop for every element of the result; its body reads x where the index
/// says.
LogicalResult cellgrad::lower(GatherOp op, PatternRewriter &rewriter) {
  if (lowerToSlice(op, rewriter))
    return success();
  Location loc = op.getLoc();
  int64_t dim = op.getDim(), batchDims = op.getBatchDims();
  auto from = op.getX().getType(), indices = op.getIndices().getType();
  int64_t count = indices.getRank() - batchDims;
  int64_t rest = from.getRank() - dim - 1;

  // A slice is walked as one dimension, which vectorises.
  SmallVector<int64_t> ones(dim + 1, 1), wholes(dim + count, 1);
  ones.push_back(rest);
  wholes.push_back(rest);
  Value x = collapseGroups(rewriter, loc, op.getX(), ones);
  SmallVector<int64_t> shape(op.getType().getShape().drop_back(rest));
  if (rest > 0)
    shape.push_back(cast<RankedTensorType>(x.getType()).getShape().back());
  auto type = RankedTensorType::get(shape, from.getElementType());

  SmallVector<AffineExpr> read;
  for (int64_t d = 0; d < batchDims; ++d)
    read.push_back(rewriter.getAffineDimExpr(d));
  for (int64_t d = dim; d < dim + count; ++d)
    read.push_back(rewriter.getAffineDimExpr(d));
  Value init = emptyTensor(rewriter, loc, type);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), op.getIndices(), init,
      ArrayRef{AffineMap::get(type.getRank(), 0, read, op.getContext()),
               rewriter.getMultiDimIdentityMap(type.getRank())},
      SmallVector(type.getRank(), kParallel),
      [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
        SmallVector<Value> position;
        for (int64_t d = 0; d < dim; ++d)
          position.push_back(linalg::IndexOp::create(b, bodyLoc, d));
        position.push_back(
            clampedIndex(b, bodyLoc, args[0], from.getDimSize(dim)));
        if (rest > 0)
          position.push_back(linalg::IndexOp::create(b, bodyLoc, dim + count));
        Value element = tensor::ExtractOp::create(b, bodyLoc, x, position);
        linalg::YieldOp::create(b, bodyLoc, element);
      });
  rewriter.replaceOp(op, expandGroups(rewriter, loc, generic.getResult(0),
                                      op.getType(), wholes));
  return success();
}

template <typename OpT> static Value extremum(OpBuilder &builder, OpT op) {
  constexpr bool isMax = std::is_same_v<OpT, ArgMaxOp>;
  auto x = op.getX().getType();
  Type element = x.getElementType();
  TypedAttr start;
  if (auto floats = dyn_cast<FloatType>(element)) {
    start = builder.getFloatAttr(
        element, APFloat::getInf(floats.getFloatSemantics(), isMax));
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    start = builder.getIntegerAttr(element,
                                   isMax ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
  }
  Value init =
      filledTensor(builder, op.getLoc(), op.getType().clone(element), start);
  auto reduce = linalg::ReduceOp::create(
      builder, op.getLoc(), ValueRange{op.getX()}, ValueRange{init},
      op.getDims(), [&](OpBuilder &b, Location loc, ValueRange args) {
        Value a = args[0], c = args[1], best;
        if (isa<FloatType>(element))
          best = isMax ? Value(arith::MaximumFOp::create(b, loc, a, c))
                       : Value(arith::MinimumFOp::create(b, loc, a, c));
        else
          best = isMax ? Value(arith::MaxSIOp::create(b, loc, a, c))
                       : Value(arith::MinSIOp::create(b, loc, a, c));
        linalg::YieldOp::create(b, loc, best);
      });
  return reduce.getResult(0);
}

/// Whether `x` is the extremum; NaN is where there is one.
static Value attains(OpBuilder &b, Location loc, Value x, Value best) {
  if (!isa<FloatType>(x.getType()))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, best);
  Value equal =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, best);
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  return arith::OrIOp::create(b, loc, equal, isNan);
}

/// The extremum first, then the least position that attains it: two vector
/// reductions.
template <typename OpT>
static LogicalResult lowerPosition(OpT op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto x = op.getX().getType(), type = op.getType();
  Type integer = type.getElementType();
  auto none = rewriter.getIntegerAttr(
      integer, APInt::getSignedMaxValue(integer.getIntOrFloatBitWidth()));
  Value best = extremum(rewriter, op);
  Value init = filledTensor(rewriter, loc, type, none);

  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> loops(x.getRank(), kParallel);
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (llvm::is_contained(op.getDims(), d))
      loops[d] = kReduction;
    else
      kept.push_back(rewriter.getAffineDimExpr(d));
  AffineMap reduced =
      AffineMap::get(x.getRank(), 0, kept, rewriter.getContext());
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, ValueRange{op.getX(), best}, init,
      ArrayRef{rewriter.getMultiDimIdentityMap(x.getRank()), reduced, reduced},
      loops, [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
        auto constant = [&](TypedAttr value) {
          return arith::ConstantOp::create(b, bodyLoc, value);
        };
        Value position = constant(b.getIntegerAttr(integer, 0));
        for (int64_t d : op.getDims()) {
          Value size = constant(b.getIntegerAttr(integer, x.getDimSize(d)));
          position = arith::MulIOp::create(b, bodyLoc, position, size);
          position = arith::AddIOp::create(b, bodyLoc, position,
                                           loopAs(b, bodyLoc, d, integer));
        }
        position = arith::SelectOp::create(
            b, bodyLoc, attains(b, bodyLoc, args[0], args[1]), position,
            constant(none));
        Value least = arith::MinSIOp::create(b, bodyLoc, position, args[2]);
        linalg::YieldOp::create(b, bodyLoc, least);
      });
  return success();
}

LogicalResult cellgrad::lower(ArgMaxOp op, PatternRewriter &rewriter) {
  return lowerPosition(op, rewriter);
}
LogicalResult cellgrad::lower(ArgMinOp op, PatternRewriter &rewriter) {
  return lowerPosition(op, rewriter);
}
