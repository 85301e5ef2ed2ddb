//===- ZeroBorder.cpp - terms of a sum that padding makes zero ------------===//

#include "passes/lower/buffers/ZeroBorder.h"

#include "passes/lower/buffers/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace cellgrad {

namespace {

/// Positions along a dimension of memory.
struct Range {
  int64_t low = 0, high = 0;
};

/// The elements of the source that `view` shows, or may show.
SmallVector<Range> shownBy(memref::SubViewOp view) {
  SmallVector<Range> ranges;
  for (auto [offset, size, stride, whole] : llvm::zip_equal(
           view.getMixedOffsets(), view.getMixedSizes(), view.getMixedStrides(),
           view.getSourceType().getShape())) {
    std::optional<int64_t> o = getConstantIntValue(offset),
                           n = getConstantIntValue(size),
                           s = getConstantIntValue(stride);
    if (o && n && s && *n > 0 && *s > 0)
      ranges.push_back({*o, *o + (*n - 1) * *s + 1});
    else
      ranges.push_back({0, whole});
  }
  return ranges;
}

/// Whether `user`, which is no view, only reads `memref`.
bool onlyReads(Operation *user, Value memref) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user))
    return !llvm::is_contained(linalgOp.getDpsInits(), memref);
  if (auto copy = dyn_cast<memref::CopyOp>(user))
    return copy.getTarget() != memref;
  return isa<memref::LoadOp, memref::DeallocOp>(user);
}

/// Whether memory may be written through `memref` or a view of it.
bool mayBeWritten(Value memref) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
      return mayBeWritten(user->getResult(0));
    return !onlyReads(user, memref);
  });
}

bool fillsWithZero(Operation *op, Value memref) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && fill.getOutputs()[0] == memref &&
         matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// The part of an allocation that may be other than zero.
std::optional<SmallVector<Range>> interiorOf(memref::AllocOp alloc) {
  Value memory = alloc.getResult();
  SmallVector<Range> interior;
  for (int64_t size : alloc.getType().getShape())
    interior.push_back({size, 0});
  bool isFilled = false;
  for (Operation *user : memory.getUsers()) {
    if (fillsWithZero(user, memory)) {
      isFilled = true;
    } else if (auto view = dyn_cast<memref::SubViewOp>(user)) {
      if (!mayBeWritten(view.getResult()))
        continue;
      for (auto [inside, shown] : llvm::zip_equal(interior, shownBy(view))) {
        inside.low = std::min(inside.low, shown.low);
        inside.high = std::max(inside.high, shown.high);
      }
    } else if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1) {
      if (mayBeWritten(user->getResult(0)))
        return std::nullopt;
    } else if (!onlyReads(user, memory)) {
      return std::nullopt;
    }
  }
  if (!isFilled)
    return std::nullopt;
  return interior;
}

/// The part of `memref` that may be other than zero, in its own positions.
std::optional<SmallVector<Range>> interiorOf(Value memref) {
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getType().hasStaticShape() ? interiorOf(alloc) : std::nullopt;
  auto view = memref.getDefiningOp<memref::SubViewOp>();
  if (!view || view.getType().getRank() != view.getSourceType().getRank())
    return std::nullopt;
  std::optional<SmallVector<Range>> interior = interiorOf(view.getSource());
  if (!interior)
    return std::nullopt;
  ArrayRef<int64_t> sizes = view.getType().getShape();
  for (auto [d, range] : llvm::enumerate(*interior)) {
    std::optional<int64_t> offset =
        getConstantIntValue(view.getMixedOffsets()[d]);
    bool isPart = offset && isOneInteger(view.getMixedStrides()[d]);
    range = isPart ? Range{range.low - *offset, range.high - *offset}
                   : Range{0, sizes[d]};
  }
  return interior;
}

/// Whether a parallel and a reduction loop move along the border, and some
/// terms are outside.
bool isCrossed(const ZeroBorder &border, linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t least = border.start, most = border.start;
  bool isMoved[2] = {false, false};
  for (auto [loop, step] : llvm::enumerate(border.steps)) {
    int64_t reach = step * (sizes[loop] - 1);
    (reach < 0 ? least : most) += reach;
    isMoved[op.getIteratorTypesArray()[loop] ==
            utils::IteratorType::reduction] |= reach != 0;
  }
  return isMoved[0] && isMoved[1] &&
         (least < border.low || most >= border.high);
}

} // namespace

/// What `markZeroBorders` wrote.
static SmallVector<ZeroBorder> writtenBorders(ArrayAttr written) {
  SmallVector<ZeroBorder> borders;
  for (auto numbers : written.getAsRange<DenseI64ArrayAttr>()) {
    ArrayRef<int64_t> all = numbers.asArrayRef(), ends = all.take_back(3);
    borders.push_back(
        {SmallVector<int64_t>(all.drop_back(3)), ends[0], ends[1], ends[2]});
  }
  return borders;
}

SmallVector<ZeroBorder> zeroBorders(linalg::GenericOp op) {
  if (auto written = op->getAttrOfType<ArrayAttr>(kZeroBorders))
    return writtenBorders(written);
  SmallVector<ZeroBorder> borders;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (map.isProjectedPermutation(/*allowZeroInResults=*/true))
      continue;
    std::optional<SmallVector<Range>> interior = interiorOf(operand->get());
    if (!interior)
      continue;
    for (auto [expr, range] : llvm::zip_equal(map.getResults(), *interior)) {
      ZeroBorder border{SmallVector<int64_t>(map.getNumDims(), 0), 0, range.low,
                        range.high};
      if (addLinear(expr, 1, border.steps, border.start) &&
          isCrossed(border, op))
        borders.push_back(std::move(border));
    }
  }
  return borders;
}

void markZeroBorders(linalg::GenericOp op) {
  Builder b(op.getContext());
  SmallVector<Attribute> written;
  for (const ZeroBorder &border : zeroBorders(op)) {
    SmallVector<int64_t> numbers(border.steps);
    numbers.append({border.start, border.low, border.high});
    written.push_back(b.getDenseI64ArrayAttr(numbers));
  }
  if (!written.empty())
    op->setAttr(kZeroBorders, b.getArrayAttr(written));
}

} // namespace cellgrad
