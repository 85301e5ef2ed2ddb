//===- ReductionOps.cpp - reductions and contractions ---------------------===//

#include "dialect/CellDialect.h"
#include "dialect/Inference.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult inferReductionType(StringRef name, std::optional<Location> loc,
                                 Value x, ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Type> &types) {
  auto from = cast<RankedTensorType>(x.getType());
  llvm::SmallBitVector dropped(from.getRank());
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= from.getRank())
      return emitError(loc.value_or(UnknownLoc::get(x.getContext())))
             << "'" << name << "' op dims [" << dims
             << "] must ascend and be below the rank of the operand, "
             << from.getRank();
    dropped.set(dim);
    previous = dim;
  }
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(from.getShape()))
    if (!dropped[i])
      shape.push_back(size);
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) {
  return getDims().empty() ? getX() : Value();
}
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) {
  return getDims().empty() ? getX() : Value();
}
OpFoldResult ReduceMinOp::fold(FoldAdaptor) {
  return getDims().empty() ? getX() : Value();
}

namespace {

/// reduce_sum(reduce_sum(x)) -> reduce_sum(x)
struct SumOfSum : OpRewritePattern<ReduceSumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceSumOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReduceSumOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    SmallVector<int64_t>
        kept; // dimensions of the innermost x that inner leaves
    for (int64_t dim = 0; dim < inner.getX().getType().getRank(); ++dim)
      if (!llvm::is_contained(inner.getDims(), dim))
        kept.push_back(dim);
    SmallVector<int64_t> dims(inner.getDims());
    for (int64_t dim : op.getDims())
      dims.push_back(kept[dim]);
    llvm::sort(dims);
    rewriter.replaceOpWithNewOp<ReduceSumOp>(op, inner.getX(), dims);
    return success();
  }
};

} // namespace

void ReduceSumOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                              MLIRContext *ctx) {
  set.add<SumOfSum>(ctx);
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto error = [&]() { return inferenceError<MatMulOp>(context, loc); };
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (lhs.getRank() < 2 || lhs.getRank() != rhs.getRank())
    return error() << "takes two operands of equal rank, at least 2, not "
                   << lhs << " and " << rhs;
  if (lhs.getElementType() != rhs.getElementType())
    return error() << "takes operands of one element type, not "
                   << lhs.getElementType() << " and " << rhs.getElementType();
  int64_t rank = lhs.getRank();
  if (lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return error() << "takes equal batch dimensions, not those of " << lhs
                   << " and " << rhs << "; broadcast first";
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  int64_t rows = lhs.getDimSize(ta ? rank - 1 : rank - 2);
  int64_t inner = lhs.getDimSize(ta ? rank - 2 : rank - 1);
  int64_t innerRhs = rhs.getDimSize(tb ? rank - 1 : rank - 2);
  int64_t columns = rhs.getDimSize(tb ? rank - 2 : rank - 1);
  if (inner != innerRhs)
    return error() << "sums over " << inner << " columns of the left operand "
                   << lhs << (ta ? " (transposed)" : "") << " and " << innerRhs
                   << " rows of the right operand " << rhs
                   << (tb ? " (transposed)" : "") << "; they must be equal";
  SmallVector<int64_t> shape(lhs.getShape().drop_back(2));
  shape.append({rows, columns});
  types.push_back(RankedTensorType::get(shape, lhs.getElementType()));
  return success();
}

namespace {

/// What `value` is with its last two dimensions exchanged, if it is made so.
Value exchanged(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  ArrayRef<int64_t> perm = transpose.getPerm();
  int64_t rank = perm.size();
  for (int64_t i = 0; i < rank - 2; ++i)
    if (perm[i] != i)
      return {};
  return rank > 1 && perm[rank - 1] == rank - 2 ? transpose.getX() : Value();
}

/// Folds an exchange of the last two dimensions of an operand into its flag.
struct MatMulOfTranspose : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = exchanged(op.getLhs()), rhs = exchanged(op.getRhs());
    if (!lhs && !rhs)
      return failure();
    rewriter.replaceOpWithNewOp<MatMulOp>(
        op, op.getType(), lhs ? lhs : op.getLhs(), rhs ? rhs : op.getRhs(),
        op.getTransposeA() != static_cast<bool>(lhs),
        op.getTransposeB() != static_cast<bool>(rhs));
    return success();
  }
};

/// transpose(a b) -> transpose(b) transpose(a), by flags, where nothing else
/// uses the product: the gradient of a weight that is read transposed.
struct TransposeOfMatMul : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Value product = exchanged(op.getResult());
    auto inner = product ? product.getDefiningOp<MatMulOp>() : MatMulOp();
    if (!inner || !inner->hasOneUse())
      return failure();
    // In its place, with its name: it is the same product.
    rewriter.setInsertionPoint(inner);
    auto turned = MatMulOp::create(
        rewriter, inner.getLoc(), op.getType(), inner.getRhs(), inner.getLhs(),
        !inner.getTransposeB(), !inner.getTransposeA());
    rewriter.replaceOp(op, turned);
    rewriter.eraseOp(inner);
    return success();
  }
};

} // namespace

void MatMulOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                           MLIRContext *ctx) {
  set.add<MatMulOfTranspose, TransposeOfMatMul>(ctx);
}

} // namespace cellgrad
