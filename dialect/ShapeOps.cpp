//===- ShapeOps.cpp - inference, verification, folding of shape ops -------===//

#include "dialect/CellDialect.h"
#include "dialect/Inference.h"
#include "dialect/Rules.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace cellgrad {

/// Refuses an attribute that does not have one entry per dimension.
template <typename OpT>
static LogicalResult checkLength(MLIRContext *context,
                                 std::optional<Location> loc, StringRef name,
                                 ArrayRef<int64_t> values, int64_t rank) {
  if (static_cast<int64_t>(values.size()) == rank)
    return success();
  return inferenceError<OpT>(context, loc) << name << " has " << values.size()
                                           << " entries for an operand of rank "
                                           << rank << "; give one a dimension";
}

/// Rewrites a splat constant operand to a constant of the result type.
static OpFoldResult foldSplat(Attribute operand, Type type) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(operand);
  if (!dense || !dense.isSplat())
    return {};
  return dense.resizeSplat(cast<RankedTensorType>(type));
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type from ")
           << from.getElementType() << " to " << to.getElementType()
           << "; use cell.cast";
  if (from.getNumElements() != to.getNumElements())
    return emitOpError("cannot give ")
           << from.getNumElements() << " elements the shape of " << to
           << ", which has " << to.getNumElements();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getX());
    return getResult();
  }
  if (auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX()))
    return dense.isSplat() ? dense.resizeSplat(getType())
                           : dense.reshape(getType());
  return {};
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getX().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("cannot change the element type from ")
           << from.getElementType() << " to " << to.getElementType();
  if (from.getRank() + static_cast<int64_t>(getDims().size()) != to.getRank())
    return emitOpError("adds ")
           << getDims().size() << " dimensions to an operand of rank "
           << from.getRank() << ", but the result has rank " << to.getRank();
  int64_t previous = -1, next = 0;
  llvm::SmallBitVector added(to.getRank());
  for (int64_t dim : getDims()) {
    if (dim <= previous || dim >= to.getRank())
      return emitOpError("new dimension ")
             << dim << " is out of order or not below the rank of the result, "
             << to.getRank();
    added.set(dim);
    previous = dim;
  }
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    if (added[dim])
      continue;
    if (from.getDimSize(next) != to.getDimSize(dim))
      return emitOpError("dimension ")
             << next << " of the operand has size " << from.getDimSize(next)
             << ", but dimension " << dim << " of the result has size "
             << to.getDimSize(dim);
    ++next;
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getX();
  return foldSplat(adaptor.getX(), getType());
}

namespace {

/// broadcast(broadcast(x)) -> broadcast(x)
struct BroadcastTwice : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    llvm::SmallBitVector outerNew(op.getType().getRank());
    for (int64_t dim : op.getDims())
      outerNew.set(dim);
    llvm::SmallBitVector innerNew(inner.getType().getRank());
    for (int64_t dim : inner.getDims())
      innerNew.set(dim);
    SmallVector<int64_t> dims;
    int64_t position = 0;
    for (int64_t dim = 0; dim < op.getType().getRank(); ++dim)
      if (outerNew[dim] || innerNew[position++])
        dims.push_back(dim);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(),
                                             dims);
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                              MLIRContext *ctx) {
  set.add<BroadcastTwice>(ctx);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto from = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  if (failed(
          checkLength<TransposeOp>(context, loc, "perm", perm, from.getRank())))
    return failure();
  llvm::SmallBitVector seen(perm.size());
  SmallVector<int64_t> shape;
  for (int64_t p : perm) {
    if (p < 0 || p >= from.getRank() || seen[p])
      return inferenceError<TransposeOp>(context, loc)
             << "perm [" << perm << "] is not a permutation of the "
             << from.getRank() << " dimensions";
    seen.set(p);
    shape.push_back(from.getDimSize(p));
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPerm()))
    return getX();
  return foldSplat(adaptor.getX(), getType());
}

namespace {

/// transpose(transpose(x)) -> transpose(x)
struct TransposeTwice : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> perm;
    for (int64_t p : op.getPerm())
      perm.push_back(inner.getPerm()[p]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getX(), perm);
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                              MLIRContext *ctx) {
  set.add<TransposeTwice>(ctx);
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto from = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  int64_t rank = from.getRank();
  if (failed(checkLength<SliceOp>(context, loc, "starts", starts, rank)) ||
      failed(checkLength<SliceOp>(context, loc, "limits", limits, rank)) ||
      failed(checkLength<SliceOp>(context, loc, "strides", strides, rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (strides[i] < 1)
      return inferenceError<SliceOp>(context, loc)
             << "stride " << strides[i] << " of dimension " << i
             << " must be at least 1";
    if (starts[i] < 0 || limits[i] < starts[i] ||
        limits[i] > from.getDimSize(i))
      return inferenceError<SliceOp>(context, loc)
             << "takes " << starts[i] << " to " << limits[i] << " of dimension "
             << i << ", which has size " << from.getDimSize(i);
    shape.push_back(llvm::divideCeil(limits[i] - starts[i], strides[i]));
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  return foldSplat(adaptor.getX(), getType());
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto from = cast<RankedTensorType>(adaptor.getX().getType());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  int64_t rank = from.getRank();
  if (failed(checkLength<PadOp>(context, loc, "low", low, rank)) ||
      failed(checkLength<PadOp>(context, loc, "high", high, rank)) ||
      failed(checkLength<PadOp>(context, loc, "interior", interior, rank)))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    if (low[i] < 0 || high[i] < 0 || interior[i] < 0)
      return inferenceError<PadOp>(context, loc)
             << "padding of dimension " << i << " must not be negative";
    int64_t size = from.getDimSize(i), stride, between, total;
    if (llvm::AddOverflow<int64_t>(interior[i], 1, stride) ||
        llvm::MulOverflow(interior[i], std::max<int64_t>(size - 1, 0),
                          between) ||
        llvm::AddOverflow(size, between, total) ||
        llvm::AddOverflow(total, low[i], total) ||
        llvm::AddOverflow(total, high[i], total))
      return inferenceError<PadOp>(context, loc)
             << "padding of dimension " << i << " overflows its size";
    shape.push_back(total);
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  if (dense && dense.isSplat()) {
    bool isZero = isa<FloatType>(dense.getElementType())
                      ? dense.getSplatValue<APFloat>().isPosZero()
                      : dense.getSplatValue<APInt>().isZero();
    if (isZero)
      return dense.resizeSplat(getType());
  }
  return {};
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ValueRange inputs = adaptor.getXs();
  if (inputs.empty())
    return inferenceError<ConcatOp>(context, loc)
           << "needs at least one operand";
  auto first = cast<RankedTensorType>(inputs[0].getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank())
    return inferenceError<ConcatOp>(context, loc)
           << "dimension " << dim << " is out of range for rank "
           << first.getRank();
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (auto [i, operand] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> rest(type.getShape());
    bool fits = type.getRank() == first.getRank() &&
                type.getElementType() == first.getElementType();
    if (fits) {
      fits = !llvm::AddOverflow(shape[dim], rest[dim], shape[dim]);
      rest[dim] = first.getDimSize(dim);
      fits &= ArrayRef(rest) == first.getShape();
    }
    if (!fits)
      return inferenceError<ConcatOp>(context, loc)
             << "operand " << i << " is " << type << ", which does not fit "
             << first << " in all dimensions but " << dim;
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getXs().size() == 1)
    return getXs()[0];
  return {};
}

} // namespace cellgrad
