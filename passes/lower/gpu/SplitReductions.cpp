//===- SplitReductions.cpp - long reductions to few results in parts ------===//
//
//   linalg.generic (%x : 1048576 -> %s)      linalg.fill (%part)
//                                            linalg.generic (%x : 64x16384 ->
//                                            %part : 64) linalg.generic (%part
//                                            : 64 -> %s)
//
// A sum to one number would keep one block busy. A dimension that is reduced is
// cut into equal parts, each with results of its own, which are combined in
// order: a launch each. How many parts there are follows from sizes, so every
// device computes the same bits.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/Passes.h"

#include "passes/lower/buffers/AsGeneric.h"
#include "passes/lower/buffers/Combiner.h"
#include "passes/lower/gpu/GridNest.h"
#include "passes/lower/gpu/SpreadNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace cellgrad {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// A reduced loop, and the equal parts that it is cut into.
struct Cut {
  unsigned loop;
  int64_t parts, size; ///< parts * size is at most the loop's length
};

/// Writes the ops of one reduction in parts, at its place.
class PartWriter {
public:
  PartWriter(linalg::GenericOp op, ArrayRef<Combiner> combiners, Cut cut)
      : op(op), combiners(combiners), cut(cut),
        rest(op.getStaticLoopRanges()[cut.loop] - cut.parts * cut.size), b(op),
        loc(op.getLoc()) {}

  void write() {
    for (auto [out, combiner] : llvm::zip_equal(op.getOutputs(), combiners)) {
      auto type = cast<MemRefType>(out.getType());
      SmallVector<int64_t> shape{cut.parts + (rest ? 1 : 0)};
      llvm::append_range(shape, type.getShape());
      // Parts of sums in half precision are not rounded to it.
      Type element = accumulatorElement(type.getElementType(), combiner);
      parts.push_back(
          memref::AllocOp::create(b, loc, MemRefType::get(shape, element)));
    }
    writeParts();
    if (rest)
      writeRest();
    for (unsigned o = 0; o < parts.size(); ++o)
      combineParts(o);
    op.erase();
  }

private:
  /// `buffer`, with nothing in it that combines with output `o`.
  Value cleared(Value buffer, unsigned o) {
    Value neutral = arith::ConstantOp::create(b, loc, combiners[o].neutral);
    Type element = getElementTypeOrSelf(buffer.getType());
    linalg::FillOp::create(b, loc, convertFloat(b, loc, neutral, element),
                           buffer);
    return buffer;
  }

  /// `count` slices from `begin` on; as one that is no dimension with `drop`.
  Value slice(Value buffer, unsigned place, int64_t begin, int64_t count,
              bool drop = false) {
    auto type = cast<MemRefType>(buffer.getType());
    if (!drop && count == type.getDimSize(place))
      return buffer;
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
        sizes(type.getShape());
    offsets[place] = begin;
    sizes[place] = count;
    SmallVector<int64_t> shape(sizes);
    if (drop)
      shape.erase(shape.begin() + place);
    MemRefType view = memref::SubViewOp::inferRankReducedResultType(
        shape, type, offsets, sizes, strides);
    return memref::SubViewOp::create(b, loc, view, buffer, offsets, sizes,
                                     strides);
  }

  /// Dimension `place` as two: which part, and where in it.
  Value splitDim(Value buffer, unsigned place) {
    SmallVector<int64_t> shape;
    SmallVector<ReassociationIndices> groups;
    for (auto [d, size] :
         llvm::enumerate(cast<MemRefType>(buffer.getType()).getShape())) {
      ReassociationIndices group{static_cast<int64_t>(shape.size())};
      if (d == place) {
        group.push_back(shape.size() + 1);
        llvm::append_values(shape, cut.parts, cut.size);
      } else {
        shape.push_back(size);
      }
      groups.push_back(group);
    }
    return memref::ExpandShapeOp::create(b, loc, shape, buffer, groups);
  }

  /// The body, adding to what may have another type than the results.
  void fillBody(OpBuilder &inner, ValueRange args) {
    IRMapping map;
    map.map(op.getBody()->getArguments(), args);
    for (Operation &each : op.getBody()->without_terminator()) {
      auto combiner = llvm::find_if(
          combiners, [&](const Combiner &c) { return c.op == &each; });
      if (combiner == combiners.end()) {
        inner.clone(each, map);
        continue;
      }
      Value old = args[op.getNumDpsInputs() + (combiner - combiners.begin())];
      Value value = map.lookupOrDefault(each.getOperand(combiner->valueIndex));
      value = convertFloat(inner, loc, value, old.getType());
      map.map(each.getResult(0),
              combiner->valueIndex == 1
                  ? combine(inner, loc, *combiner, old, value)
                  : combine(inner, loc, *combiner, value, old));
    }
    linalg::YieldOp::create(
        inner, loc,
        llvm::map_to_vector(
            op.getBody()->getTerminator()->getOperands(),
            [&](Value value) { return map.lookupOrDefault(value); }));
  }

  void create(ValueRange inputs, ValueRange outputs, ArrayRef<AffineMap> maps,
              ArrayRef<utils::IteratorType> kinds) {
    linalg::GenericOp::create(b, loc, inputs, outputs, maps, kinds,
                              [&](OpBuilder &inner, Location, ValueRange args) {
                                fillBody(inner, args);
                              });
  }

  /// Which dimension of the operand the cut loop walks.
  std::optional<unsigned> placeOf(OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).getResultPosition(
        b.getAffineDimExpr(cut.loop));
  }

  void writeParts() {
    // The parts are the first loop; the cut one walks a part.
    unsigned loops = op.getNumLoops();
    AffineExpr part = b.getAffineDimExpr(0);
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs, outputs;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand).shiftDims(1);
      SmallVector<AffineExpr> exprs(map.getResults());
      if (op.isDpsInit(&operand)) {
        exprs.insert(exprs.begin(), part);
      } else {
        Value input = operand.get();
        if (std::optional<unsigned> place = placeOf(operand)) {
          exprs.insert(exprs.begin() + *place, part);
          input =
              splitDim(slice(input, *place, 0, cut.parts * cut.size), *place);
        }
        inputs.push_back(input);
      }
      maps.push_back(AffineMap::get(loops + 1, 0, exprs, b.getContext()));
    }
    for (auto [o, all] : llvm::enumerate(parts))
      outputs.push_back(cleared(slice(all, 0, 0, cut.parts), o));
    SmallVector<utils::IteratorType> kinds{utils::IteratorType::parallel};
    llvm::append_range(kinds, op.getIteratorTypesArray());
    create(inputs, outputs, maps, kinds);
  }

  /// What fills no part has one of its own.
  void writeRest() {
    SmallVector<Value> inputs, outputs;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      std::optional<unsigned> place = placeOf(*operand);
      inputs.push_back(
          place ? slice(operand->get(), *place, cut.parts * cut.size, rest)
                : operand->get());
    }
    for (auto [o, all] : llvm::enumerate(parts))
      outputs.push_back(cleared(slice(all, 0, cut.parts, 1, /*drop=*/true), o));
    create(inputs, outputs, op.getIndexingMapsArray(),
           op.getIteratorTypesArray());
  }

  void combineParts(unsigned o) {
    Value out = op.getOutputs()[o], part = parts[o];
    const Combiner &combiner = combiners[o];
    auto type = cast<MemRefType>(out.getType());
    auto partType = cast<MemRefType>(part.getType());
    AffineMap all = b.getMultiDimIdentityMap(partType.getRank());
    SmallVector<utils::IteratorType> kinds(partType.getRank(),
                                           utils::IteratorType::parallel);
    kinds[0] = utils::IteratorType::reduction;
    bool isRounded = partType.getElementType() != type.getElementType();
    Value total = out;
    if (isRounded) {
      auto totalType =
          MemRefType::get(type.getShape(), partType.getElementType());
      total = cleared(memref::AllocOp::create(b, loc, totalType), o);
    }
    linalg::GenericOp::create(
        b, loc, part, total, ArrayRef<AffineMap>{all, all.dropResult(0)}, kinds,
        [&](OpBuilder &inner, Location, ValueRange args) {
          linalg::YieldOp::create(
              inner, loc, combine(inner, loc, combiner, args[1], args[0]));
        });
    if (!isRounded)
      return;
    AffineMap each = b.getMultiDimIdentityMap(type.getRank());
    kinds.assign(type.getRank(), utils::IteratorType::parallel);
    linalg::GenericOp::create(
        b, loc, total, out, ArrayRef<AffineMap>{each, each}, kinds,
        [&](OpBuilder &inner, Location, ValueRange args) {
          Value old = convertFloat(inner, loc, args[1], args[0].getType());
          Value sum = combine(inner, loc, combiner, old, args[0]);
          linalg::YieldOp::create(
              inner, loc, convertFloat(inner, loc, sum, type.getElementType()));
        });
  }

  linalg::GenericOp op;
  ArrayRef<Combiner> combiners;
  Cut cut;
  int64_t rest; ///< steps of the cut loop that fill no part
  OpBuilder b;
  Location loc;
  SmallVector<Value> parts;
};

struct SplitReductions : cellgrad::impl::SplitReductionsBase<SplitReductions> {
  using SplitReductionsBase::SplitReductionsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op->getParentOfType<scf::ForallOp>() && gridSteps(op) >= fewestSteps)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (failed(split(op, rewriter)))
        return signalPassFailure();
  }

private:
  LogicalResult split(linalg::LinalgOp op, RewriterBase &rewriter);
  std::optional<Cut> plan(linalg::GenericOp op) const;
};

/// A loop can be cut where each operand walks it along a dimension of its own,
/// or not at all.
bool canBeCut(linalg::GenericOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    unsigned walks = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
      return expr.isFunctionOfDim(loop);
    });
    bool itself = map.getResultPosition(getAffineDimExpr(loop, op.getContext()))
                      .has_value();
    if (walks != (itself ? 1 : 0))
      return false;
  }
  return true;
}

} // namespace

std::optional<Cut> SplitReductions::plan(linalg::GenericOp op) const {
  FailureOr<LoopNest> nest = nestForThreads(op);
  if (failed(nest) || !nest->hasReduction())
    return std::nullopt;
  // Of the loops that can be cut the longest one.
  Cut cut{0, 1, 1};
  int64_t longest = 1;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    int64_t size = op.getStaticLoopRanges()[loop];
    if (kind == utils::IteratorType::reduction && size > longest &&
        canBeCut(op, loop)) {
      cut.loop = loop;
      longest = size;
    }
  }
  double results = countSteps(*nest, false), depth = countSteps(*nest, true);
  // Parts lie one after another: neighbours are of different results.
  GridReads reads = readsOf(*nest);
  GridReads ofParts = results == 1 ? GridReads{2, 5} : GridReads{5, kWarp};
  auto cycles = [](double results, double depth, const GridReads &reads) {
    return estimateCycles(bestTeam(results, depth, reads), results, depth,
                          reads);
  };
  double least = cycles(results, depth, reads);
  for (int64_t parts = 2; parts <= longest / 2; parts *= 2) {
    double all = cycles(results * parts, depth / parts, reads) + launchCycles +
                 cycles(results, parts, ofParts);
    if (all < least) {
      least = all;
      cut.parts = parts;
    }
  }
  if (cut.parts == 1)
    return std::nullopt;
  cut.size = longest / cut.parts;
  return cut;
}

LogicalResult SplitReductions::split(linalg::LinalgOp linalgOp,
                                     RewriterBase &rewriter) {
  if (linalgOp.getNumReductionLoops() == 0 || linalgOp.hasIndexSemantics())
    return success();
  FailureOr<linalg::GenericOp> op = replaceByGeneric(rewriter, linalgOp);
  if (failed(op))
    return failure();
  FailureOr<LoopNest> nest = analyzeNest(*op);
  if (failed(nest))
    return failure();
  SmallVector<Combiner> combiners = findCombiners(*nest);
  if (llvm::any_of(combiners, [](const Combiner &c) { return !c.op; }))
    return success();
  if (std::optional<Cut> cut = plan(*op))
    PartWriter(*op, combiners, *cut).write();
  return success();
}
