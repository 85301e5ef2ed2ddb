//===- SlicePatterns.cpp - computing only what a slice keeps --------------===//
//
// The adjoint of a padded operand is a slice: what the rule of its user
// computes around the operand would be thrown away.
//
//===----------------------------------------------------------------------===//

#include "dialect/CellDialect.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {
namespace {

/// The bounds of a slice, and how to make one where it leaves elements out.
struct Bounds {
  SmallVector<int64_t> starts, limits, strides;

  explicit Bounds(RankedTensorType whole)
      : starts(whole.getRank(), 0), limits(whole.getShape()),
        strides(whole.getRank(), 1) {}

  Value of(OpBuilder &builder, Location loc, Value x) const {
    return builder.createOrFold<SliceOp>(loc, x, starts, limits, strides);
  }
};

/// slice(slice(x)) -> slice(x)
struct SliceOfSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<SliceOp>();
    if (!inner || op.getType().getNumElements() == 0)
      return failure();
    Bounds bounds(inner.getX().getType());
    for (auto [i, size] : llvm::enumerate(op.getType().getShape())) {
      int64_t step = inner.getStrides()[i];
      bounds.starts[i] = inner.getStarts()[i] + step * op.getStarts()[i];
      // No element lies outside of x: the product does not overflow. A stride
      // that takes one element may be any.
      bounds.strides[i] = size == 1 ? 1 : step * op.getStrides()[i];
      bounds.limits[i] = bounds.starts[i] + bounds.strides[i] * (size - 1) + 1;
    }
    rewriter.replaceOp(op, bounds.of(rewriter, op.getLoc(), inner.getX()));
    return success();
  }
};

/// slice(pad(x)) -> pad(slice(x)), where every dimension keeps some of x and
/// its strides take all positions or those of the elements of x only.
struct SliceOfPad : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  /// What is left along one dimension.
  struct Part {
    int64_t start, limit, stride, low, high, interior;
  };

  static std::optional<Part> partOf(SliceOp op, PadOp pad, unsigned dim) {
    int64_t size = pad.getX().getType().getDimSize(dim);
    int64_t low = pad.getLow()[dim], step = pad.getInterior()[dim] + 1;
    int64_t start = op.getStarts()[dim], limit = op.getLimits()[dim],
            stride = op.getStrides()[dim];
    if (low == 0 && pad.getHigh()[dim] == 0 && step == 1)
      return Part{start, limit, stride, 0, 0, 0};
    if (stride == step && (start - low) % step == 0) {
      int64_t count = llvm::divideCeil(limit - start, stride);
      int64_t first = (start - low) / step, last = first + count;
      int64_t from = std::max<int64_t>(first, 0), to = std::min(last, size);
      if (from >= to)
        return std::nullopt;
      return Part{from, to, 1, from - first, last - to, 0};
    }
    if (stride != 1)
      return std::nullopt;
    int64_t from = llvm::divideCeil(std::max<int64_t>(start - low, 0), step);
    int64_t to =
        limit <= low ? 0 : std::min((limit - 1 - low) / step + 1, size);
    if (from >= to)
      return std::nullopt;
    return Part{from,
                to,
                1,
                low + from * step - start,
                limit - 1 - (low + (to - 1) * step),
                step - 1};
  }

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    if (!pad || op.getType().getNumElements() == 0)
      return failure();
    Bounds bounds(pad.getX().getType());
    SmallVector<int64_t> low, high, interior;
    for (unsigned dim = 0; dim < op.getStarts().size(); ++dim) {
      std::optional<Part> part = partOf(op, pad, dim);
      if (!part)
        return failure();
      bounds.starts[dim] = part->start;
      bounds.limits[dim] = part->limit;
      bounds.strides[dim] = part->stride;
      low.push_back(part->low);
      high.push_back(part->high);
      interior.push_back(part->interior);
    }
    Value x = bounds.of(rewriter, op.getLoc(), pad.getX());
    rewriter.replaceOp(
        op, rewriter.createOrFold<PadOp>(pad.getLoc(), x, low, high, interior));
    return success();
  }
};

/// slice(conv(x, w)) -> conv(slice(x), w), for a slice of images and of the
/// dimensions that windows slide over, that alone reads the convolution.
struct SliceOfConv : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto conv = op.getX().getDefiningOp<ConvOp>();
    auto isOne = [](int64_t stride) { return stride == 1; };
    if (!conv || !conv->hasOneUse() || !llvm::all_of(op.getStrides(), isOne) ||
        op.getType().getDimSize(1) != conv.getType().getDimSize(1) ||
        op.getType().getNumElements() == 0)
      return failure();
    Bounds bounds(conv.getX().getType());
    bounds.starts[0] = op.getStarts()[0];
    bounds.limits[0] = op.getLimits()[0];
    for (auto [i, stride] : llvm::enumerate(conv.getStrides())) {
      unsigned dim = i + 2;
      int64_t reach =
          conv.getDilations()[i] * (conv.getW().getType().getDimSize(dim) - 1);
      bounds.starts[dim] = op.getStarts()[dim] * stride;
      bounds.limits[dim] = (op.getLimits()[dim] - 1) * stride + reach + 1;
    }
    Value x = bounds.of(rewriter, op.getLoc(), conv.getX());
    rewriter.replaceOpWithNewOp<ConvOp>(op, x, conv.getW(), conv.getStrides(),
                                        conv.getDilations(), conv.getGroups());
    return success();
  }
};

} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                          MLIRContext *ctx) {
  set.add<SliceOfSlice, SliceOfPad, SliceOfConv>(ctx);
}

} // namespace cellgrad
