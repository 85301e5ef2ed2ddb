//===- Reduction.cpp - reductions and contractions as linalg --------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What one reduction starts from and combines with.
template <typename OpT> struct Combiner;

template <> struct Combiner<ReduceSumOp> {
  static TypedAttr initial(OpBuilder &builder, Type type) {
    return cast<TypedAttr>(builder.getZeroAttr(type));
  }
  static Value combine(OpBuilder &builder, Location loc, Value a, Value b) {
    if (isa<FloatType>(a.getType()))
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  }
};

template <> struct Combiner<ReduceMaxOp> {
  static TypedAttr initial(OpBuilder &builder, Type type) {
    if (auto floats = dyn_cast<FloatType>(type))
      return builder.getFloatAttr(
          type, APFloat::getInf(floats.getFloatSemantics(), /*Negative=*/true));
    return builder.getIntegerAttr(
        type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
  }
  static Value combine(OpBuilder &builder, Location loc, Value a, Value b) {
    if (isa<FloatType>(a.getType()))
      return arith::MaximumFOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  }
};

template <> struct Combiner<ReduceMinOp> {
  static TypedAttr initial(OpBuilder &builder, Type type) {
    if (auto floats = dyn_cast<FloatType>(type))
      return builder.getFloatAttr(type,
                                  APFloat::getInf(floats.getFloatSemantics()));
    return builder.getIntegerAttr(
        type, APInt::getSignedMaxValue(type.getIntOrFloatBitWidth()));
  }
  static Value combine(OpBuilder &builder, Location loc, Value a, Value b) {
    if (isa<FloatType>(a.getType()))
      return arith::MinimumFOp::create(builder, loc, a, b);
    return arith::MinSIOp::create(builder, loc, a, b);
  }
};

} // namespace

template <typename OpT>
static LogicalResult lowerReduction(OpT op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  Type wide = accumulatorType(element);
  Value init = filledTensor(rewriter, loc, type.clone(wide),
                            Combiner<OpT>::initial(rewriter, wide));
  auto reduce = linalg::ReduceOp::create(
      rewriter, loc, ValueRange{op.getX()}, ValueRange{init}, op.getDims(),
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        Value x = args[0];
        if (wide != element)
          x = arith::ExtFOp::create(builder, bodyLoc, wide, x);
        Value sum = Combiner<OpT>::combine(builder, bodyLoc, x, args[1]);
        linalg::YieldOp::create(builder, bodyLoc, sum);
      });
  Value result = reduce.getResult(0);
  if (wide != element)
    result = convertElements(rewriter, loc, result, type);
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult cellgrad::lower(ReduceMaxOp op, PatternRewriter &rewriter) {
  return lowerReduction(op, rewriter);
}
LogicalResult cellgrad::lower(ReduceMinOp op, PatternRewriter &rewriter) {
  return lowerReduction(op, rewriter);
}
LogicalResult cellgrad::lower(ReduceSumOp op, PatternRewriter &rewriter) {
  return lowerReduction(op, rewriter);
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

/// Reassociation that makes one dimension of all but the last two; empty where
/// there is nothing to collapse.
static SmallVector<ReassociationIndices> batchAsOne(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  if (rank <= 3)
    return groups;
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, rank - 2)));
  groups.push_back({rank - 2});
  groups.push_back({rank - 1});
  return groups;
}

/// Indexing maps of lhs, rhs and result over (batch?, m, n, k).
static SmallVector<AffineMap> indexing(MatMulOp op, bool batched) {
  MLIRContext *context = op.getContext();
  unsigned first = batched ? 1 : 0, count = first + 3;
  AffineExpr m = getAffineDimExpr(first, context),
             n = getAffineDimExpr(first + 1, context),
             k = getAffineDimExpr(first + 2, context);
  auto map = [&](AffineExpr row, AffineExpr column, bool exchange) {
    SmallVector<AffineExpr> exprs;
    if (batched)
      exprs.push_back(getAffineDimExpr(0, context));
    exprs.push_back(exchange ? column : row);
    exprs.push_back(exchange ? row : column);
    return AffineMap::get(count, 0, exprs, context);
  };
  return {map(m, k, op.getTransposeA()), map(k, n, op.getTransposeB()),
          map(m, n, false)};
}

LogicalResult cellgrad::lower(MatMulOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rank = type.getRank();
  SmallVector<ReassociationIndices> groups = batchAsOne(rank);
  auto collapse = [&](Value v) -> Value {
    return groups.empty()
               ? v
               : tensor::CollapseShapeOp::create(rewriter, loc, v, groups);
  };
  Value lhs = collapse(op.getLhs()), rhs = collapse(op.getRhs());

  auto flat = cast<RankedTensorType>(type);
  if (!groups.empty())
    flat = tensor::CollapseShapeOp::inferCollapsedType(type, groups);
  Type wide = accumulatorType(type.getElementType());
  Value init = filledTensor(rewriter, loc, flat.clone(wide),
                            cast<TypedAttr>(rewriter.getZeroAttr(wide)));
  SmallVector<AffineMap> maps = indexing(op, rank > 2);
  NamedAttribute indexingMaps = rewriter.getNamedAttr(
      "indexing_maps", rewriter.getAffineMapArrayAttr(maps));
  Value result;
  if (rank > 2)
    result = linalg::BatchMatmulOp::create(rewriter, loc, ValueRange{lhs, rhs},
                                           ValueRange{init}, {indexingMaps})
                 .getResult(0);
  else
    result = linalg::MatmulOp::create(rewriter, loc, ValueRange{lhs, rhs},
                                      ValueRange{init}, {indexingMaps})
                 .getResult(0);
  if (wide != type.getElementType())
    result = convertElements(rewriter, loc, result, flat);
  if (!groups.empty())
    result = tensor::ExpandShapeOp::create(rewriter, loc, type, result, groups);
  rewriter.replaceOp(op, result);
  return success();
}
