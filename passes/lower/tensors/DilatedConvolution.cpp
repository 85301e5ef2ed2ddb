//===- DilatedConvolution.cpp - convolutions of spread-out tensors --------===//
//
// The adjoint of a convolution with strides, and a transposed convolution,
// slide over a tensor with zeros between its elements. Results whose positions
// agree modulo the stride see the same elements of the filters meet elements of
// the tensor, and only zeros beside them: each such phase is a convolution of
// the tensor itself with a part of the filters.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace cellgrad;

namespace {

/// More phases than this are too much code.
constexpr int64_t kMostPhases = 32;

/// One phase along one dimension: results `result`, `result` + stride, ... take
/// the elements `tap`, `tap` + `tapStep`, ... of the filters, and the first
/// window starts at element `start` of the tensor, which may be outside.
struct Phase {
  int64_t result, results, tap, tapStep, taps, start, dilation;

  /// Elements from the first to the last that are read.
  int64_t extent() const { return results + dilation * (taps - 1); }
};

/// The phases of a dimension that any element of the filters takes part in.
SmallVector<Phase> phasesOf(int64_t results, int64_t taps, int64_t dilation,
                            int64_t stride, int64_t low) {
  SmallVector<Phase> phases;
  int64_t common = std::gcd(dilation, stride);
  for (int64_t r = 0; r < std::min(stride, results); ++r)
    for (int64_t tap = 0; tap < std::min(taps, stride / common); ++tap) {
      int64_t at = r + dilation * tap - low;
      if (at % stride != 0)
        continue;
      int64_t step = stride / common;
      phases.push_back({r, (results - r - 1) / stride + 1, tap, step,
                        (taps - tap - 1) / step + 1, at / stride,
                        dilation / common});
      break;
    }
  return phases;
}

SmallVector<OpFoldResult> indices(OpBuilder &b, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

struct ConvOfSpread : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getX().getDefiningOp<PadOp>();
    auto isOne = [](int64_t stride) { return stride == 1; };
    if (!pad || !llvm::all_of(op.getStrides(), isOne) ||
        op.getType().getNumElements() == 0 ||
        op.getW().getType().getNumElements() == 0 ||
        pad.getX().getType().getNumElements() == 0)
      return failure();
    auto spatial = [](ArrayRef<int64_t> values) {
      return values.drop_front(2);
    };
    for (ArrayRef<int64_t> values :
         {pad.getLow(), pad.getHigh(), pad.getInterior()})
      if (values[0] != 0 || values[1] != 0)
        return failure();
    int64_t count = 1;
    for (int64_t interior : spatial(pad.getInterior()))
      count *= interior + 1;
    if (count == 1 || count > kMostPhases)
      return failure();
    rewrite(op, pad, rewriter);
    return success();
  }

  void rewrite(ConvOp op, PadOp pad, PatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType(), from = pad.getX().getType(),
                     filters = op.getW().getType();
    unsigned rank = type.getRank();
    SmallVector<int64_t> low(rank, 0), high(rank, 0), none(rank, 0);
    SmallVector<SmallVector<Phase>> phases;
    bool complete = true;
    for (unsigned d = 2; d < rank; ++d) {
      int64_t stride = pad.getInterior()[d] + 1;
      phases.push_back(phasesOf(type.getDimSize(d), filters.getDimSize(d),
                                op.getDilations()[d - 2], stride,
                                pad.getLow()[d]));
      complete &= static_cast<int64_t>(phases.back().size()) ==
                  std::min(stride, type.getDimSize(d));
      for (const Phase &phase : phases.back()) {
        low[d] = std::max(low[d], -phase.start);
        high[d] = std::max(high[d],
                           phase.start + phase.extent() - from.getDimSize(d));
      }
    }
    Value x = pad.getX();
    if (low != none || high != none)
      x = PadOp::create(rewriter, loc, x, low, high, none);
    Value result = complete ? emptyTensor(rewriter, loc, type)
                            : filledTensor(rewriter, loc, type,
                                           cast<TypedAttr>(rewriter.getZeroAttr(
                                               type.getElementType())));
    SmallVector<const Phase *> chosen(rank, nullptr);
    addPhases(op, pad, rewriter, x, low, phases, 2, chosen, result);
    rewriter.replaceOp(op, result);
  }

  /// Puts the results of all combinations of phases of dimensions `dim` and
  /// above into `result`.
  void addPhases(ConvOp op, PadOp pad, PatternRewriter &rewriter, Value x,
                 ArrayRef<int64_t> low, ArrayRef<SmallVector<Phase>> phases,
                 unsigned dim, SmallVectorImpl<const Phase *> &chosen,
                 Value &result) const {
    unsigned rank = op.getType().getRank();
    if (dim < rank) {
      for (const Phase &phase : phases[dim - 2]) {
        chosen[dim] = &phase;
        addPhases(op, pad, rewriter, x, low, phases, dim + 1, chosen, result);
      }
      return;
    }
    Location loc = op.getLoc();
    auto whole = cast<RankedTensorType>(x.getType());
    RankedTensorType filters = op.getW().getType();
    SmallVector<int64_t> zeros(rank, 0), ones(rank, 1), xStarts(zeros),
        xLimits(whole.getShape()), wStarts(zeros), wLimits(filters.getShape()),
        wSteps(ones), starts(zeros), sizes(op.getType().getShape()),
        steps(ones), dilations;
    for (unsigned d = 2; d < rank; ++d) {
      const Phase &phase = *chosen[d];
      xStarts[d] = phase.start + low[d];
      xLimits[d] = xStarts[d] + phase.extent();
      wStarts[d] = phase.tap;
      wLimits[d] = phase.tap + (phase.taps - 1) * phase.tapStep + 1;
      wSteps[d] = phase.tapStep;
      starts[d] = phase.result;
      sizes[d] = phase.results;
      steps[d] = pad.getInterior()[d] + 1;
      dilations.push_back(phase.dilation);
    }
    Value part = SliceOp::create(rewriter, loc, x, xStarts, xLimits, ones);
    Value taps =
        SliceOp::create(rewriter, loc, op.getW(), wStarts, wLimits, wSteps);
    Value y = ConvOp::create(rewriter, loc, part, taps, op.getStrides(),
                             dilations, op.getGroups());
    result = tensor::InsertSliceOp::create(
        rewriter, loc, y, result, indices(rewriter, starts),
        indices(rewriter, sizes), indices(rewriter, steps));
  }
};

} // namespace

void cellgrad::populateConvolutionPhases(RewritePatternSet &patterns) {
  patterns.add<ConvOfSpread>(patterns.getContext());
}
