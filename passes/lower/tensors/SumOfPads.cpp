//===- SumOfPads.cpp - parts that are put together by adding zeros --------===//
//
// Where a tensor is cut into slices, its gradient is a sum: each slice's
// gradient with zeros around it. Where the slices are all of the tensor, side
// by side along one dimension, each element of the sum is one of a slice and
// zeros otherwise, so the gradients can be put one after the other. Zero is
// added to each, as the sum does: -0 becomes 0.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Appends the pads of a sum, and the sums that are part of it, each before its
/// own parts; false if anything else is added.
bool collectPads(AddOp sum, SmallVectorImpl<PadOp> &pads,
                 SmallVectorImpl<Operation *> &sums) {
  for (Value term : sum->getOperands()) {
    if (auto pad = term.getDefiningOp<PadOp>()) {
      pads.push_back(pad);
      continue;
    }
    auto inner = term.getDefiningOp<AddOp>();
    if (!inner || !inner->hasOneUse())
      return false;
    sums.push_back(inner);
    if (!collectPads(inner, pads, sums))
      return false;
  }
  return true;
}

/// The one dimension along which something is padded; nothing where it is
/// another number of dimensions, or zeros are between elements.
std::optional<unsigned> dimOf(PadOp pad) {
  std::optional<unsigned> found;
  for (unsigned dim = 0; dim < pad.getLow().size(); ++dim) {
    if (pad.getInterior()[dim] != 0)
      return std::nullopt;
    if (pad.getLow()[dim] == 0 && pad.getHigh()[dim] == 0)
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

struct SumOfPads : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<PadOp> pads;
    SmallVector<Operation *> sums;
    if (!collectPads(op, pads, sums))
      return failure();
    std::optional<unsigned> dim = dimOf(pads.front());
    if (!dim ||
        !llvm::all_of(pads, [&](PadOp pad) { return dimOf(pad) == dim; }))
      return failure();
    llvm::sort(pads, [&](PadOp a, PadOp b) {
      return a.getLow()[*dim] < b.getLow()[*dim];
    });
    auto type = cast<RankedTensorType>(op.getType());
    int64_t end = 0;
    for (PadOp pad : pads) {
      if (pad.getLow()[*dim] != end ||
          pad.getX().getType().getDimSize(*dim) == 0)
        return failure();
      end += pad.getX().getType().getDimSize(*dim);
    }
    if (end != type.getDimSize(*dim))
      return failure();
    SmallVector<Value> parts;
    for (PadOp pad : pads) {
      RankedTensorType part = pad.getX().getType();
      Attribute zero = rewriter.getZeroAttr(part.getElementType());
      Value zeros = ConstantOp::create(rewriter, pad.getLoc(), part,
                                       DenseElementsAttr::get(part, zero));
      parts.push_back(AddOp::create(rewriter, pad.getLoc(), pad.getX(), zeros));
    }
    rewriter.replaceOpWithNewOp<ConcatOp>(op, parts, *dim);
    for (Operation *inner : sums)
      rewriter.eraseOp(inner);
    for (PadOp pad : pads)
      if (pad->use_empty())
        rewriter.eraseOp(pad);
    return success();
  }
};

} // namespace

void cellgrad::populateSumsOfPads(RewritePatternSet &patterns) {
  patterns.add<SumOfPads>(patterns.getContext());
}
