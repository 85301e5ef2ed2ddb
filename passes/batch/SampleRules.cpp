//===- SampleRules.cpp - which results of an op have samples --------------===//
//
// A rule says where the batch is in the result, given where it is in the
// operands. It is right if the op, on the parts of some samples, gives the
// parts of the results of these samples; of a sum, what they add to it. What
// has no rule is refused.
//
//===----------------------------------------------------------------------===//

#include "passes/batch/SampleRules.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cellgrad;

namespace {
const char *const kAlong =
    "goes along the batch, so that results of a sample depend on the others";
const char *const kMeets = "lets rows of different samples meet";

constexpr int64_t kAny = -1;

/// Random numbers are drawn by a position for each of so many groups at most.
constexpr int64_t kMostGroups = 1024;

/// The batch in a dimension of a tensor: `before` elements of the dimension are
/// before the batch. kAny where all of the dimension is alike.
struct Place {
  int64_t dim = -1;
  int64_t before = kAny;
};

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

RankedTensorType tensorOf(Type type) {
  if (auto stash = dyn_cast<StashType>(type))
    return stash.getElement();
  return dyn_cast<RankedTensorType>(type);
}

class Rules {
public:
  Rules(Operation *op, const OpenBatch &batch,
        llvm::function_ref<Share(Value)> shareOf)
      : op(op), batch(batch), shareOf(shareOf) {}

  Outcome apply();

private:
  bool hasSamples(Value value) const { return shareOf(value).hasSamples(); }
  bool isShared(Value value) const {
    return shareOf(value).kind == Share::Shared;
  }
  bool isPartial(Value value) const {
    return shareOf(value).kind == Share::Partial;
  }
  Place placeOf(Value value) const {
    Share share = shareOf(value);
    RankedTensorType type = tensorOf(value.getType());
    Place place{batchDimOf(type, batch).dim, kAny};
    if (share.kind == Share::Known)
      place.before =
          share.outer / product(type.getShape().take_front(place.dim));
    return place;
  }
  /// The share of the first result, with the batch at `place`.
  Outcome at(Place place) const {
    auto type = tensorOf(op->getResult(0).getType());
    BatchDim found = batchDimOf(type, batch);
    if (found.dim != place.dim)
      return Outcome::refused(kMeets);
    if (place.before == kAny)
      return alike(type);
    return Share{Share::Known,
                 product(type.getShape().take_front(place.dim)) * place.before};
  }
  /// Of a result whose samples are all alike.
  Share alike(RankedTensorType type) const {
    BatchDim found = batchDimOf(type, batch);
    if (found.count > 1)
      return Share{Share::Along};
    return Share{Share::Known, product(type.getShape().take_front(found.dim))};
  }
  /// The place of values that have the batch in dimensions that correspond.
  std::optional<int64_t> sameBefore(Place a, Place b) const {
    if (a.before != kAny && b.before != kAny && a.before != b.before)
      return std::nullopt;
    return a.before == kAny ? b.before : a.before;
  }
  Outcome moved(Value x, int64_t dim) const {
    return at({dim, placeOf(x).before});
  }

  Outcome ofEqualTypes(ValueRange operands) const;
  Outcome ofParts() const;
  Outcome ofBroadcast(BroadcastOp broadcast) const;
  Outcome ofReshape(ReshapeOp reshape) const;
  Outcome ofReduction(Value x, ArrayRef<int64_t> dims, Combine combine) const;
  Outcome ofMatMul(MatMulOp matmul) const;
  Outcome ofConv(ConvOp conv) const;
  Outcome ofGather(GatherOp gather) const;
  Outcome ofScatter(ScatterOp scatter) const;
  Outcome ofConcat(ConcatOp concat) const;
  Outcome ofGroups(ConcatOp concat) const;
  Outcome ofSlice(SliceOp slice) const;
  Outcome ofPad(PadOp pad) const;
  Outcome ofRandomBits(RandomBitsOp bits) const;
  Outcome ofMatrices() const;
  Outcome ofUntouched(Value x, bool untouched, const char *why) const {
    return untouched ? moved(x, placeOf(x).dim) : Outcome::refused(why);
  }

  Operation *op;
  const OpenBatch &batch;
  llvm::function_ref<Share(Value)> shareOf;
};

Outcome Rules::ofEqualTypes(ValueRange operands) const {
  std::optional<Share> all;
  for (Value operand : operands) {
    if (!hasSamples(operand))
      return Outcome::refused(kMeets);
    all = all ? joined(*all, shareOf(operand)) : shareOf(operand);
    if (!all)
      return Outcome::refused(kMeets);
  }
  return *all;
}

/// Parts of sums: what is linear in them.
Outcome Rules::ofParts() const {
  Outcome part(Share{Share::Partial});
  bool linear =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case<ReshapeOp, TransposeOp, NegOp, BroadcastOp, ReduceSumOp,
                SliceOp, PadOp, ReverseOp>([](Operation *) { return true; })
          .Case<AddOp, SubOp>([&](Operation *) {
            return llvm::all_of(op->getOperands(), [&](Value value) {
              return isPartial(value) || (isShared(value) && isZero(value));
            });
          })
          .Case([&](ScatterOp scatter) {
            return isShared(scatter.getIndices()) &&
                   (isPartial(scatter.getX()) || isZero(scatter.getX())) &&
                   (isPartial(scatter.getUpdates()) ||
                    isZero(scatter.getUpdates()));
          })
          .Default([](Operation *) { return false; });
  return linear ? part
                : Outcome::refused("uses a sum over the batch inside of a loop "
                                   "or branch before the sum is complete");
}

Outcome Rules::ofBroadcast(BroadcastOp broadcast) const {
  Value x = broadcast.getX();
  auto type = cast<RankedTensorType>(broadcast.getType());
  int64_t dim = batchDimOf(type, batch).dim;
  bool isNew = llvm::is_contained(broadcast.getDims(), dim);
  if (isShared(x) || shareOf(x).kind == Share::Alike) {
    if (isShared(x) && !isNew)
      return Outcome::refused(kMeets);
    bool varies = isShared(x) && tensorOf(x.getType()).getRank() > 0;
    return varies ? alike(type) : Share{Share::Alike};
  }
  return isNew ? Outcome::refused(kMeets) : moved(x, dim);
}

Outcome Rules::ofReshape(ReshapeOp reshape) const {
  Share share = shareOf(reshape.getX());
  if (share.kind == Share::Alike)
    return share;
  if (share.kind == Share::Along)
    return Outcome::refused(kMeets);
  auto type = cast<RankedTensorType>(reshape.getType());
  BatchDim found = batchDimOf(type, batch);
  int64_t ahead = product(type.getShape().take_front(found.dim));
  // Samples are in one dimension, whole.
  if (share.outer % ahead != 0 || found.count % (share.outer / ahead) != 0)
    return Outcome::refused("takes the batch apart");
  return share;
}

Outcome Rules::ofReduction(Value x, ArrayRef<int64_t> dims,
                           Combine combine) const {
  int64_t dim = placeOf(x).dim;
  if (llvm::is_contained(dims, dim))
    return combine == Combine::None ? Outcome::refused(kAlong)
                                    : Outcome(Share{Share::Partial}, combine);
  if (shareOf(x).kind == Share::Alike && combine != Combine::None)
    return Share{Share::Alike};
  return moved(x,
               dim - llvm::count_if(dims, [&](int64_t d) { return d < dim; }));
}

Outcome Rules::ofMatMul(MatMulOp matmul) const {
  Value lhs = matmul.getLhs(), rhs = matmul.getRhs();
  int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
  // Dimensions of an operand by their meaning.
  int64_t rows = rank - (matmul.getTransposeA() ? 1 : 2);
  int64_t columns = rank - (matmul.getTransposeB() ? 2 : 1);
  int64_t deepOfLhs = 2 * rank - 3 - rows, deepOfRhs = 2 * rank - 3 - columns;
  if (isShared(rhs))
    return placeOf(lhs).dim == rows ? moved(lhs, rank - 2)
                                    : Outcome::refused(kMeets);
  if (isShared(lhs))
    return placeOf(rhs).dim == columns ? moved(rhs, rank - 1)
                                       : Outcome::refused(kMeets);
  Place a = placeOf(lhs), b = placeOf(rhs);
  auto before = sameBefore(a, b);
  if (!before)
    return Outcome::refused(kMeets);
  if (a.dim < rank - 2 && a.dim == b.dim)
    return at({a.dim, *before});
  if (a.dim == deepOfLhs && b.dim == deepOfRhs)
    return Outcome(Share{Share::Partial}, Combine::Add);
  return Outcome::refused(kMeets);
}

Outcome Rules::ofConv(ConvOp conv) const {
  Value x = conv.getX(), w = conv.getW();
  if (isShared(w))
    return placeOf(x).dim == 0 ? moved(x, 0) : Outcome::refused(kAlong);
  int64_t groups = conv.getGroups();
  if (isShared(x)) {
    // Filters are samples. Each group has all of them: groups come first.
    Place filters = placeOf(w);
    if (filters.before == kAny && groups > 1)
      filters.before = groups;
    return filters.dim == 0 && (groups == 1 || filters.before % groups == 0)
               ? at({1, filters.before})
               : Outcome::refused(kMeets);
  }
  // The gradient of weights: channels are samples, and added up.
  Place a = placeOf(x), b = placeOf(w);
  if (a.dim != 1 || b.dim != 1)
    return Outcome::refused(kMeets);
  if (groups > 1 && (a.before == kAny || b.before == kAny))
    return Outcome::refused(kMeets);
  if (a.before != kAny && b.before != kAny && a.before != groups * b.before)
    return Outcome::refused(kMeets);
  return Outcome(Share{Share::Partial}, Combine::Add);
}

Outcome Rules::ofGather(GatherOp gather) const {
  Value x = gather.getX(), indices = gather.getIndices();
  int64_t dim = gather.getDim(), batches = gather.getBatchDims();
  if (isShared(x)) {
    int64_t place = placeOf(indices).dim;
    if (place < batches)
      return Outcome::refused(kMeets);
    return moved(indices, dim + place - batches);
  }
  int64_t place = placeOf(x).dim;
  if (place == dim)
    return Outcome::refused("takes elements of other samples");
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  if (isShared(indices))
    return place < batches
               ? Outcome::refused(kMeets)
               : moved(x, place < dim ? place : place - 1 + rank - batches);
  auto before = sameBefore(placeOf(x), placeOf(indices));
  if (!before || place >= batches || placeOf(indices).dim != place)
    return Outcome::refused("takes elements of other samples");
  return at({place, *before});
}

Outcome Rules::ofScatter(ScatterOp scatter) const {
  Value x = scatter.getX(), indices = scatter.getIndices(),
        updates = scatter.getUpdates();
  int64_t dim = scatter.getDim(), batches = scatter.getBatchDims();
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  const char *const together = "puts elements of all samples into one place";
  if (!hasSamples(updates))
    return Outcome::refused(kMeets);
  Place from = placeOf(updates);
  if (isShared(x)) { // as the gradient of a table
    int64_t place = hasSamples(indices) ? placeOf(indices).dim : -1;
    auto before = hasSamples(indices) ? sameBefore(from, placeOf(indices))
                                      : std::optional<int64_t>();
    if (!scatter.adds() || !isZero(x) || !before || place < batches ||
        from.dim != dim + place - batches)
      return Outcome::refused(together);
    return Outcome(Share{Share::Partial}, Combine::Add);
  }
  if (!hasSamples(x))
    return Outcome::refused(together);
  Place into = placeOf(x);
  if (into.dim == dim)
    return Outcome::refused(together);
  auto before = sameBefore(from, into);
  if (isShared(indices)) {
    int64_t found = into.dim < dim ? into.dim : into.dim - 1 + rank - batches;
    if (into.dim < batches || !before || from.dim != found)
      return Outcome::refused(together);
    return at({into.dim, *before});
  }
  if (!hasSamples(indices) || !before)
    return Outcome::refused(together);
  Place by = placeOf(indices);
  before = sameBefore({into.dim, *before}, by);
  if (!before || into.dim >= batches || by.dim != into.dim ||
      from.dim != into.dim)
    return Outcome::refused(together);
  return at({into.dim, *before});
}

/// Samples of one operand behind those of another, as two views of images that
/// a network sees at once: groups of samples, which must be of equal size.
Outcome Rules::ofGroups(ConcatOp concat) const {
  int64_t dim = int64_t(concat.getDim()), inner = 0;
  for (Value operand : concat->getOperands())
    if (Place place = placeOf(operand); place.before != kAny) {
      int64_t own = batchDimOf(operand.getType(), batch).count / place.before;
      if (inner > 0 && own != inner)
        return Outcome::refused(kMeets);
      inner = own;
    }
  inner = std::max<int64_t>(inner, 1);
  int64_t count = batchDimOf(concat.getType(), batch).count;
  for (Value operand : concat->getOperands())
    if (batchDimOf(operand.getType(), batch).count % inner != 0)
      return Outcome::refused(kMeets);
  return at({dim, count / inner});
}

Outcome Rules::ofConcat(ConcatOp concat) const {
  std::optional<int64_t> before = kAny;
  int64_t dim = batchDimOf(concat.getType(), batch).dim;
  for (Value operand : concat->getOperands())
    if (!hasSamples(operand) || placeOf(operand).dim != dim)
      return Outcome::refused(kAlong);
  if (int64_t(concat.getDim()) == dim)
    return ofGroups(concat);
  for (Value operand : concat->getOperands()) {
    before = sameBefore({dim, *before}, placeOf(operand));
    if (!before)
      return Outcome::refused(kMeets);
  }
  return at({dim, *before});
}

/// All samples, or some groups of them.
Outcome Rules::ofSlice(SliceOp slice) const {
  Value x = slice.getX();
  auto [dim, before] = placeOf(x);
  int64_t first = slice.getStarts()[dim], end = slice.getLimits()[dim];
  int64_t extent = cast<RankedTensorType>(x.getType()).getDimSize(dim);
  if (first == 0 && end == extent && slice.getStrides()[dim] == 1)
    return moved(x, dim);
  int64_t group = before == kAny ? batch.size : extent / before;
  if (first % group != 0 || end % group != 0 || slice.getStrides()[dim] != 1)
    return Outcome::refused("takes some samples of the batch");
  return at({dim, before == kAny ? kAny : (end - first) / group});
}

/// Groups of samples that are zero.
Outcome Rules::ofPad(PadOp pad) const {
  Value x = pad.getX();
  auto [dim, before] = placeOf(x);
  int64_t low = pad.getLow()[dim], high = pad.getHigh()[dim];
  if (low == 0 && high == 0 && pad.getInterior()[dim] == 0)
    return moved(x, dim);
  int64_t extent = cast<RankedTensorType>(x.getType()).getDimSize(dim);
  int64_t group = before == kAny ? batch.size : extent / before;
  if (low % group != 0 || high % group != 0 || pad.getInterior()[dim] != 0)
    return Outcome::refused("adds samples to the batch");
  return at({dim, (extent + low + high) / group});
}

/// Numbers by their positions, those of a sample behind those of the samples
/// before it: see countFromSample of SumPhases.
Outcome Rules::ofRandomBits(RandomBitsOp bits) const {
  auto type = cast<RankedTensorType>(bits.getType());
  auto key = cast<RankedTensorType>(bits.getKey().getType());
  int64_t dim = batchDimOf(type, batch).dim;
  int64_t groups = product(type.getShape().take_front(dim));
  if (!isShared(bits.getKey()) || key.getShape() != ArrayRef<int64_t>{2})
    return Outcome::refused("draws random numbers for samples by keys of their "
                            "own, or from a position on");
  if (groups > kMostGroups)
    return Outcome::refused(
        "draws random numbers for samples behind more than " +
        std::to_string(kMostGroups) + " elements of other dimensions");
  return Share{Share::Known, groups};
}

/// Samples are matrices, or columns of what one matrix for all is applied to.
Outcome Rules::ofMatrices() const {
  int64_t rank = tensorOf(op->getOperand(0).getType()).getRank();
  bool swaps = isa<SwapRowsOp>(op);
  if (op->getNumOperands() == 2) {
    Value x = op->getOperand(swaps ? 0 : 1), by = op->getOperand(swaps ? 1 : 0);
    if (isShared(by))
      return placeOf(x).dim == rank - 1 ? moved(x, rank - 1)
                                        : Outcome::refused(kMeets);
  }
  Place found{placeOf(op->getOperand(0)).dim, kAny};
  for (Value operand : op->getOperands()) {
    auto before = sameBefore(found, placeOf(operand));
    if (!hasSamples(operand) || !before || placeOf(operand).dim != found.dim ||
        found.dim >= rank - 2)
      return Outcome::refused(kMeets);
    found.before = *before;
  }
  return at(found);
}

Outcome Rules::apply() {
  if (llvm::any_of(op->getOperands(), [&](Value v) { return isPartial(v); }))
    return ofParts();
  bool makes =
      isa<ConstantOp, IotaOp, BroadcastOp, StashEmptyOp, RandomBitsOp>(op);
  if (!makes &&
      llvm::none_of(op->getOperands(), [&](Value v) { return hasSamples(v); }))
    return Outcome::refused(isa<PadOp>(op) ? "adds samples to the batch"
                                           : "makes samples of what has none");
  if (op->hasTrait<OpTrait::Elementwise>() || isa<PolygammaOp>(op))
    return ofEqualTypes(op->getOperands());
  auto reduces = [&](Combine combine) {
    return [this, combine](auto reduction) {
      return ofReduction(reduction.getX(), reduction.getDims(), combine);
    };
  };
  auto along = [&](auto scan) {
    Outcome outcome = ofEqualTypes(scan->getOperands());
    if (outcome.why.empty() && outcome.share.kind == Share::Alike)
      outcome.share = alike(tensorOf(scan->getResult(0).getType()));
    return outcome.why.empty() &&
                   int64_t(scan.getDim()) == placeOf(scan->getOperand(0)).dim
               ? Outcome::refused(kAlong)
               : outcome;
  };
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<CastOp, StopGradientOp, BarrierOp>(
          [&](Operation *) { return Outcome(shareOf(op->getOperand(0))); })
      .Case([&](ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue())
                   ? Outcome(Share{Share::Alike})
                   : Outcome::refused("has elements for a batch of one size");
      })
      .Case([&](IotaOp iota) {
        // Along the batch, the numbers of samples: see countFromSample of
        // SumPhases.
        auto type = cast<RankedTensorType>(iota.getType());
        int64_t dim = batchDimOf(type, batch).dim;
        return int64_t(iota.getDim()) == dim ? at({dim, 1})
                                             : Outcome(alike(type));
      })
      .Case([&](BroadcastOp broadcast) { return ofBroadcast(broadcast); })
      .Case([&](ReshapeOp reshape) { return ofReshape(reshape); })
      .Case<ReduceSumOp>(reduces(Combine::Add))
      .Case<ReduceMaxOp>(reduces(Combine::Max))
      .Case<ReduceMinOp>(reduces(Combine::Min))
      .Case<ArgMaxOp, ArgMinOp>(reduces(Combine::None))
      .Case<CumSumOp, CumProdOp, CumMaxOp, CumMinOp, RecurrenceOp,
            SegmentCumSumOp, ArgSortOp>(along)
      .Case([&](ReverseOp reverse) {
        Value x = reverse.getX();
        return ofUntouched(
            x, !llvm::is_contained(reverse.getDims(), placeOf(x).dim), kAlong);
      })
      .Case([&](TransposeOp transpose) {
        Value x = transpose.getX();
        auto perm = transpose.getPerm();
        return moved(x, llvm::find(perm, placeOf(x).dim) - perm.begin());
      })
      .Case([&](SliceOp slice) { return ofSlice(slice); })
      .Case([&](PadOp pad) { return ofPad(pad); })
      .Case([&](ConcatOp concat) { return ofConcat(concat); })
      .Case([&](MatMulOp matmul) { return ofMatMul(matmul); })
      .Case([&](ConvOp conv) { return ofConv(conv); })
      .Case([&](WindowsOp windows) {
        Value x = windows.getX();
        int64_t kept = cast<RankedTensorType>(x.getType()).getRank() -
                       int64_t(windows.getSizes().size());
        return ofUntouched(x, placeOf(x).dim < kept, kAlong);
      })
      .Case([&](OverlapAddOp overlap) {
        Value y = overlap.getY();
        int64_t kept = cast<RankedTensorType>(y.getType()).getRank() -
                       2 * int64_t(overlap.getSizes().size());
        return ofUntouched(y, placeOf(y).dim < kept, kAlong);
      })
      .Case([&](TriangleOp triangle) {
        Value x = triangle->getOperand(0);
        int64_t kept = cast<RankedTensorType>(x.getType()).getRank() - 2;
        return ofUntouched(x, placeOf(x).dim < kept, kAlong);
      })
      .Case([&](GatherOp gather) { return ofGather(gather); })
      .Case([&](ScatterOp scatter) { return ofScatter(scatter); })
      .Case<StashEmptyOp>(
          [&](Operation *) { return Outcome(Share{Share::Alike}); })
      .Case([&](StashReadOp read) { return Outcome(shareOf(read.getStash())); })
      .Case<StashWriteOp, StashAddOp>([&](auto change) {
        return ofEqualTypes({change.getX(), change.getStash()});
      })
      .Case<CheckOp>([&](Operation *) { return Outcome(); })
      .Case([&](RandomBitsOp bits) { return ofRandomBits(bits); })
      .Case<SwapRowsOp, CholeskyOp, LUOp, QROp, EighOp, SVDOp,
            TriangularSolveOp, SolveOp>(
          [&](Operation *) { return ofMatrices(); })
      .Default([](Operation *) {
        return Outcome::refused("is not known to treat samples one by one");
      });
}
} // namespace

Outcome cellgrad::outcomeOf(Operation *op, const OpenBatch &batch,
                            llvm::function_ref<Share(Value)> shareOf) {
  return Rules(op, batch, shareOf).apply();
}

std::optional<Share> cellgrad::joined(Share a, Share b) {
  if (!a.hasSamples() || !b.hasSamples())
    return std::nullopt;
  if (a == b || b.kind == Share::Alike)
    return a;
  if (a.kind == Share::Alike || a.kind == Share::Along)
    return b;
  return b.kind == Share::Along ? std::optional(a) : std::nullopt;
}

bool cellgrad::isZero(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp, TransposeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat || constant->hasAttr("cell.batch_form"))
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(splat.getElementType()) &&
         splat.getSplatValue<APInt>().isZero();
}
