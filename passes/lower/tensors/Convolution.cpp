//===- Convolution.cpp - windows and convolutions as linalg ---------------===//
//
// Each is one linalg.generic whose indexing maps say where a window reads: at
// o * stride + k * dilation. Nothing is copied here; what walks the maps
// (packing, vectorising, folding into a consumer) is decided on linalg.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"
#include "passes/lower/tensors/RunningSum.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace cellgrad;

constexpr auto kParallel = utils::IteratorType::parallel;
constexpr auto kReduction = utils::IteratorType::reduction;

/// For each spatial dimension: loop `first` + i times the stride, plus loop
/// `firstOfWindow` + i times the dilation.
static void appendPositions(MLIRContext *context, unsigned first,
                            unsigned firstOfWindow, ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations,
                            SmallVectorImpl<AffineExpr> &exprs) {
  for (auto [i, stride] : llvm::enumerate(strides))
    exprs.push_back(getAffineDimExpr(first + i, context) * stride +
                    getAffineDimExpr(firstOfWindow + i, context) *
                        dilations[i]);
}

static void appendDims(MLIRContext *context, unsigned first, unsigned count,
                       SmallVectorImpl<AffineExpr> &exprs) {
  for (unsigned i = 0; i < count; ++i)
    exprs.push_back(getAffineDimExpr(first + i, context));
}

/// The map from the loops of [B.., O.., K..] to the tensor that windows slide
/// over, `leading` being the number of B.
static AffineMap slidingMap(MLIRContext *context, unsigned leading,
                            ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations) {
  unsigned count = strides.size();
  SmallVector<AffineExpr> exprs;
  appendDims(context, 0, leading, exprs);
  appendPositions(context, leading, leading + count, strides, dilations, exprs);
  return AffineMap::get(leading + 2 * count, 0, exprs, context);
}

/// Sizes of the part of a tensor of shape `shape` that windows reach. In the
/// maps of linalg, a dimension that is one loop must be as long as the loop.
static SmallVector<int64_t> reached(ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> counts,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> strides,
                                    ArrayRef<int64_t> dilations) {
  SmallVector<int64_t> extents(shape);
  size_t leading = shape.size() - strides.size();
  for (size_t i = 0; i < strides.size(); ++i)
    extents[leading + i] =
        strides[i] * (counts[i] - 1) + dilations[i] * (sizes[i] - 1) + 1;
  return extents;
}

/// The first elements of `x`; itself where that is all.
static Value firstElements(OpBuilder &b, Location loc, Value x,
                           ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getShape() == sizes)
    return x;
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)),
      ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      b, loc, type.clone(sizes), x, zeros,
      getAsIndexOpFoldResult(b.getContext(), sizes), ones);
}

LogicalResult cellgrad::lower(WindowsOp op, PatternRewriter &rewriter) {
  unsigned rank = op.getType().getRank(), count = op.getStrides().size();
  AffineMap map = slidingMap(op.getContext(), rank - 2 * count, op.getStrides(),
                             op.getDilations());
  ArrayRef<int64_t> shape = op.getType().getShape();
  Value x =
      firstElements(rewriter, op.getLoc(), op.getX(),
                    reached(op.getX().getType().getShape(),
                            shape.drop_back(count).take_back(count),
                            op.getSizes(), op.getStrides(), op.getDilations()));
  Value init = emptyTensor(rewriter, op.getLoc(), op.getType());
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, init.getType(), x, init,
      ArrayRef{map, rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, kParallel),
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args[0]);
      });
  return success();
}

/// The most elements of windows that are added up in one place.
static int64_t mostTerms(OverlapAddOp op) {
  ArrayRef<int64_t> sizes = op.getSizes(), strides = op.getStrides();
  int64_t terms = 1;
  for (auto [size, stride, dilation] :
       llvm::zip_equal(sizes, strides, op.getDilations()))
    terms *= llvm::divideCeil(size * std::gcd(stride, dilation), stride);
  return terms;
}

/// A sum in which windows share elements of the result: only the leading loops
/// are parallel, and an element takes its terms one by one.
LogicalResult cellgrad::lower(OverlapAddOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  unsigned rank = op.getY().getType().getRank();
  unsigned count = op.getStrides().size(), leading = rank - 2 * count;
  RunningSum terms(type.getElementType(), mostTerms(op));
  SmallVector<Value> zeros, parts;
  SmallVector<int64_t> extents = reached(
      type.getShape(), op.getY().getType().getShape().slice(leading, count),
      op.getSizes(), op.getStrides(), op.getDilations());
  for (TypedAttr zero : terms.zeros()) {
    zeros.push_back(
        filledTensor(rewriter, loc, type.clone(zero.getType()), zero));
    parts.push_back(firstElements(rewriter, loc, zeros.back(), extents));
  }
  SmallVector<AffineMap> maps(
      1 + parts.size(),
      slidingMap(op.getContext(), leading, op.getStrides(), op.getDilations()));
  maps[0] = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, kReduction);
  std::fill_n(kinds.begin(), leading, kParallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, ValueRange(parts).getTypes(), op.getY(), parts, maps,
      kinds, [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
        linalg::YieldOp::create(
            b, bodyLoc, terms.add(b, bodyLoc, args.drop_front(), args[0]));
      });
  SmallVector<Value> sums(generic.getResults());
  SmallVector<OpFoldResult> origin(extents.size(), rewriter.getIndexAttr(0)),
      ones(extents.size(), rewriter.getIndexAttr(1));
  if (parts != zeros)
    for (auto [sum, zero] : llvm::zip_equal(sums, zeros))
      sum = tensor::InsertSliceOp::create(
          rewriter, loc, sum, zero, origin,
          getAsIndexOpFoldResult(op.getContext(), extents), ones);
  rewriter.replaceOp(op, terms.roundAll(rewriter, loc, sums));
  return success();
}

/// `x` with dimension `dim` split into [groups, rest].
static Value splitGroups(OpBuilder &builder, Location loc, Value x, int64_t dim,
                         int64_t groups) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= groups;
  shape.insert(shape.begin() + dim, groups);
  SmallVector<ReassociationIndices> indices;
  int64_t next = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    indices.push_back({next++});
    if (i == dim)
      indices.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), x,
                                       indices);
}

static Value multiplyAdd(OpBuilder &b, Location loc, Value a, Value c,
                         Value sum) {
  if (isa<IntegerType>(sum.getType()))
    return arith::AddIOp::create(b, loc, sum,
                                 arith::MulIOp::create(b, loc, a, c));
  return arith::AddFOp::create(b, loc, sum,
                               arith::MulFOp::create(b, loc, a, c));
}

/// Loops are [n, g?, o, s'.., c, k..].
LogicalResult cellgrad::lower(ConvOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getType();
  Type element = type.getElementType();
  Type wide = accumulatorType(element);
  auto zero = cast<TypedAttr>(rewriter.getZeroAttr(wide));
  if (op.getW().getType().getNumElements() == 0) {
    rewriter.replaceOp(
        op, filledTensor(rewriter, loc, type,
                         cast<TypedAttr>(rewriter.getZeroAttr(element))));
    return success();
  }
  unsigned count = op.getStrides().size();
  int64_t groups = op.getGroups();
  bool grouped = groups != 1;
  Value x = firstElements(rewriter, loc, op.getX(),
                          reached(op.getX().getType().getShape(),
                                  type.getShape().drop_front(2),
                                  op.getW().getType().getShape().drop_front(2),
                                  op.getStrides(), op.getDilations()));
  Value w = op.getW();
  if (wide != element) {
    x = convertElements(rewriter, loc, x,
                        cast<RankedTensorType>(x.getType()).clone(wide));
    w = convertElements(rewriter, loc, w, op.getW().getType().clone(wide));
  }
  Value init = filledTensor(rewriter, loc, type.clone(wide), zero);
  if (grouped) {
    x = splitGroups(rewriter, loc, x, 1, groups);
    w = splitGroups(rewriter, loc, w, 0, groups);
    init = splitGroups(rewriter, loc, init, 1, groups);
  }
  unsigned o = grouped ? 2 : 1, spatial = o + 1, c = spatial + count;
  unsigned numLoops = c + 1 + count;
  SmallVector<AffineExpr> xExprs, wExprs, outExprs;
  appendDims(context, 0, o, xExprs);
  appendDims(context, c, 1, xExprs);
  appendPositions(context, spatial, c + 1, op.getStrides(), op.getDilations(),
                  xExprs);
  appendDims(context, 1, o, wExprs);
  appendDims(context, c, 1 + count, wExprs);
  appendDims(context, 0, c, outExprs);
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> exprs : {xExprs, wExprs, outExprs})
    maps.push_back(AffineMap::get(numLoops, 0, exprs, context));
  SmallVector<utils::IteratorType> kinds(numLoops, kReduction);
  std::fill_n(kinds.begin(), c, kParallel);
  Value sum =
      linalg::GenericOp::create(
          rewriter, loc, init.getType(), ValueRange{x, w}, init, maps, kinds,
          [&](OpBuilder &b, Location bodyLoc, ValueRange args) {
            linalg::YieldOp::create(
                b, bodyLoc, multiplyAdd(b, bodyLoc, args[0], args[1], args[2]));
          })
          .getResult(0);
  if (grouped) {
    SmallVector<ReassociationIndices> indices;
    for (unsigned i = 0; i < type.getRank(); ++i)
      indices.push_back({i == 0 ? 0 : i + 1});
    indices[1] = {1, 2};
    sum = tensor::CollapseShapeOp::create(rewriter, loc, type.clone(wide), sum,
                                          indices);
  }
  if (wide != element)
    sum = convertElements(rewriter, loc, sum, type);
  rewriter.replaceOp(op, sum);
  return success();
}

LogicalResult cellgrad::lower(ReverseOp op, PatternRewriter &rewriter) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> exprs;
  appendDims(op.getContext(), 0, rank, exprs);
  for (int64_t dim : op.getDims())
    exprs[dim] = -exprs[dim] + (type.getDimSize(dim) - 1);
  Value init = emptyTensor(rewriter, op.getLoc(), type);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, type, op.getX(), init,
      ArrayRef{AffineMap::get(rank, 0, exprs, op.getContext()),
               rewriter.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, kParallel),
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args[0]);
      });
  return success();
}
