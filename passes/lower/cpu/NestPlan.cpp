//===- NestPlan.cpp - how one nest is vectorised --------------------------===//

#include "passes/lower/cpu/NestPlan.h"

#include "passes/lower/buffers/BodyIndices.h"
#include "passes/lower/buffers/FlatMemory.h"
#include "passes/lower/buffers/OpCost.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cellgrad;

bool NestPlan::isSummed(unsigned output) const {
  return isAccumulated(output) &&
         isa_and_nonnull<arith::AddFOp>(combiners[output].op);
}

Type NestPlan::accumulatorElement(unsigned output) const {
  return cellgrad::accumulatorElement(nest.outputs[output].elementType(),
                                      combiners[output]);
}

bool cellgrad::bodyVectorises(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return isa<arith::ConstantOp, linalg::IndexOp, memref::LoadOp>(inner) ||
           OpTrait::hasElementwiseMappableTraits(&inner);
  });
}

/// The width of the widest element that a vector along the dimension of
/// `indices` holds; half-precision floats count as the single-precision ones
/// they are computed in.
static unsigned elementBits(const NestPlan &plan, const BodyIndices &indices) {
  unsigned bits = 8;
  auto consider = [&](Type type) {
    if (isa<IndexType>(type))
      bits = std::max(bits, 64u);
    else if (isa<FloatType>(type))
      bits = std::max({bits, 32u, type.getIntOrFloatBitWidth()});
    else if (type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
  };
  for (unsigned i = 0; i < plan.numInputs() + plan.numOutputs(); ++i)
    if (i >= plan.numInputs() || !indices.isScalarInput(i))
      consider(plan.access(i).elementType());
  linalg::GenericOp op = plan.nest.op;
  for (Operation &inner : op.getBody()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (indices.isScalar(&inner) || (index && !indices.isWideIndex(index)))
      continue;
    for (Type type : inner.getResultTypes())
      consider(type);
  }
  return bits;
}

/// Whether `op` is for a part of a batch of any size. Sums of a sample are then
/// ordered alike in all parts: how many samples there are decides nothing.
static bool isForPartOfBatch(linalg::GenericOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return function && function->hasAttr(kBatchTiles);
}

/// The parallel dimension whose steps are the longest in results: where there
/// are samples, they are in it.
static std::optional<unsigned> outermostParallel(const LoopNest &nest) {
  std::optional<unsigned> found;
  int64_t longest = -1;
  for (unsigned d = 0; d < nest.rank(); ++d) {
    int64_t step = 0;
    for (const Access &out : nest.outputs)
      step += std::abs(out.strides[d]);
    if (nest.isReduction[d] || step <= longest)
      continue;
    found = d;
    longest = step;
  }
  return found;
}

/// Picks the dimension in which most accesses are contiguous, or broadcast; no
/// reduction where sums are `inOneLane`.
static void chooseVectorDim(NestPlan &plan, const Target &target,
                            bool inOneLane = false) {
  const LoopNest &nest = plan.nest;
  std::optional<unsigned> samples;
  if (nest.hasReduction() && isForPartOfBatch(nest.op))
    samples = outermostParallel(nest);
  double bestCost = 0;
  for (unsigned d = 0; d < nest.rank(); ++d) {
    BodyIndices indices(nest, d);
    int64_t maxLanes =
        std::max(1u, target.vectorBits / elementBits(plan, indices));
    if (nest.isReduction[d]) {
      bool known = !inOneLane;
      for (unsigned o = 0; o < plan.numOutputs(); ++o)
        known &= !plan.isAccumulated(o) || plan.combiners[o].op;
      if (!known)
        continue;
    }
    double cost = nest.isReduction[d] ? 2 : 0;
    auto addLoad = [&](std::optional<int64_t> stride) {
      if (stride && *stride >= 2 && *stride <= FlatMemory::kWidestShuffled)
        cost += 2 + *stride;
      else
        cost += !stride || std::abs(*stride) > 1 ? 8 : *stride < 0 ? 2 : 1;
    };
    for (const Access &in : nest.inputs)
      addLoad(in.strides[d]);
    for (memref::LoadOp load : bodyLoads(nest.op))
      addLoad(indices.stride(load));
    for (const Access &out : nest.outputs)
      cost += out.strides[d] == 0 || out.strides[d] == 1 ? 1 : 16;
    int64_t vectors = llvm::divideCeil(nest.sizes[d], maxLanes);
    if (d != samples)
      cost *= double(vectors * maxLanes) / nest.sizes[d];
    if (!plan.vectorDim || cost <= bestCost) {
      plan.vectorDim = d;
      plan.lanes =
          std::min<int64_t>(maxLanes, llvm::PowerOf2Ceil(nest.sizes[d]));
      bestCost = cost;
    }
  }
}

/// Of a nest for one sample of a part of a batch: whether several samples would
/// have their sums in the lanes of a vector, each in one. So has this one,
/// which is in an item of a kernel, say.
static bool sumsInOneLane(const LoopNest &nest, const Target &target) {
  if (!nest.hasReduction() || !isForPartOfBatch(nest.op))
    return false;
  std::optional<unsigned> samples = outermostParallel(nest);
  if (!samples || nest.sizes[*samples] != 1)
    return false;
  NestPlan two;
  two.nest = nest;
  two.nest.sizes[*samples] = 2;
  two.nest.simplify();
  two.combiners = findCombiners(two.nest);
  chooseVectorDim(two, target);
  return two.vectorDim && !two.nest.isReduction[*two.vectorDim];
}

/// Several vectors at a time hide latencies when the body is short; a long one
/// has parallelism of its own and needs the registers.
static int64_t chooseUnroll(const NestPlan &plan) {
  unsigned ops = 0;
  bool heavy = false;
  linalg::GenericOp op = plan.nest.op;
  for (Operation &inner : op.getBody()->without_terminator()) {
    heavy |= costOf(inner) == OpCost::Long;
    ops += !isa<arith::ConstantOp>(inner);
  }
  int64_t unroll = heavy || ops > 16 ? 1 : ops > 6 ? 2 : 4;
  if (plan.nest.hasReduction())
    unroll = heavy ? 2 : 4;
  return std::min<int64_t>(
      unroll, llvm::divideCeil(plan.nest.sizes[*plan.vectorDim], plan.lanes));
}

/// The dimension along which inputs that are strided in the vectorised one are
/// contiguous.
static std::optional<unsigned> findTileDim(NestPlan &plan) {
  const LoopNest &nest = plan.nest;
  if (nest.hasReduction() || plan.lanes < 4)
    return std::nullopt;
  for (const Access &out : nest.outputs)
    if (out.strides[*plan.vectorDim] != 1)
      return std::nullopt;
  std::optional<unsigned> tileDim;
  for (unsigned i = 0; i < plan.numInputs(); ++i) {
    const Access &in = nest.inputs[i];
    if (in.strides[*plan.vectorDim] <= 1)
      continue;
    auto contiguous = llvm::find(in.strides, 1);
    if (contiguous == in.strides.end())
      continue;
    unsigned dim = contiguous - in.strides.begin();
    if (nest.sizes[dim] < 4 || (tileDim && *tileDim != dim))
      continue;
    tileDim = dim;
    plan.transposed.push_back(i);
  }
  return tileDim;
}

/// Streaming by rows pays when results do not fit in a few registers and every
/// step of the reduction reads a row that is contiguous along them.
static bool streamsRows(const NestPlan &plan) {
  const LoopNest &nest = plan.nest;
  if (!plan.vectorDim || nest.isReduction[*plan.vectorDim] ||
      !nest.hasReduction() || nest.sizes[*plan.vectorDim] < 8 * plan.lanes)
    return false;
  for (unsigned o = 0; o < plan.numOutputs(); ++o)
    if (!plan.isAccumulated(o) || !plan.combiners[o].op ||
        plan.vectorStride(plan.numInputs() + o) != 1 ||
        plan.accumulatorElement(o) != nest.outputs[o].elementType())
      return false;
  for (const Access &in : nest.inputs)
    if (std::abs(in.strides[*plan.vectorDim]) > 1)
      return false;
  return true;
}

/// Orders the dimensions as `NestPlan` says, large strides outside.
static void orderDims(NestPlan &plan, std::optional<unsigned> tileDim) {
  LoopNest &nest = plan.nest;
  auto key = [&](unsigned d) {
    int64_t weight = 0;
    for (const Access &a : nest.isReduction[d] ? nest.inputs : nest.outputs)
      weight += std::abs(a.strides[d]);
    bool isVector = plan.vectorDim == d;
    int level = isVector && plan.kind == NestKind::Rows ? 4
                : nest.isReduction[d]                   ? 2
                                                        : 0;
    if (isVector || tileDim == d)
      ++level;
    return std::make_tuple(level, isVector, -weight, d);
  };
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, nest.rank()));
  llvm::sort(order, [&](unsigned x, unsigned y) { return key(x) < key(y); });
  if (plan.vectorDim)
    plan.vectorDim = llvm::find(order, *plan.vectorDim) - order.begin();
  nest.permute(order);
}

/// Elements from which a reduction waits for memory, rather than additions.
static constexpr int64_t kFarElements = 1 << 16;

NestPlan cellgrad::planNest(LoopNest loops, const Target &target) {
  NestPlan plan;
  bool vectorises = bodyVectorises(loops.op);
  bool inOneLane = vectorises && sumsInOneLane(loops, target);
  plan.nest = std::move(loops);
  plan.nest.simplify();
  plan.combiners = findCombiners(plan.nest);
  if (vectorises)
    chooseVectorDim(plan, target, inOneLane);
  std::optional<unsigned> tileDim;
  if (plan.vectorDim) {
    tileDim = findTileDim(plan);
    if (tileDim)
      plan.lanes = std::min<int64_t>(plan.lanes, 16);
    plan.unroll = chooseUnroll(plan);
    if (plan.nest.isReduction[*plan.vectorDim])
      plan.kind = NestKind::Lanes;
    else if (tileDim)
      plan.kind = NestKind::Tiles;
    else if (streamsRows(plan))
      plan.kind = NestKind::Rows;
  }
  orderDims(plan, tileDim);
  int64_t elements = llvm::product_of(plan.nest.sizes);
  if (plan.kind == NestKind::Lanes && elements >= kFarElements)
    plan.prefetchedLine = target.cacheLine;
  return plan;
}

int64_t cellgrad::partOfRow(const NestPlan &plan) {
  constexpr int64_t kLeastBytes = 2048;
  int64_t size = plan.nest.sizes[*plan.vectorDim];
  int64_t bits = plan.nest.outputs[0].elementType().getIntOrFloatBitWidth();
  for (int64_t parts : {8, 4, 2})
    if (size % (parts * plan.lanes) == 0 &&
        size / parts * bits / 8 >= kLeastBytes)
      return size / parts;
  return size;
}

llvm::raw_ostream &cellgrad::operator<<(llvm::raw_ostream &os,
                                        const NestPlan &plan) {
  if (!plan.vectorDim)
    return os << "nest of scalars";
  constexpr const char *kNames[] = {"blocks", "lanes", "rows", "tiles"};
  os << "nest of " << kNames[static_cast<int>(plan.kind)];
  if (plan.kind == NestKind::Blocks && plan.nest.hasReduction())
    os << ", sum inside";
  return os << ", " << plan.unroll << " vectors of " << plan.lanes;
}
