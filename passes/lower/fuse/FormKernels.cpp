//===- FormKernels.cpp - ops that share rows as one loop over them --------===//
//
// After bufferisation every op walks all of its buffers before the next op
// begins: softmax over a large matrix reads and writes it four times. Where ops
// share an item dimension (KernelGroup.h), this pass runs all of them on a few
// rows at a time:
//
//   linalg.generic A ins(%x : memref<4096x1024>) outs(%t : memref<4096x1024>)
//   linalg.generic B ins(%t : memref<4096x1024>) outs(%y : memref<4096x1024>)
//
// becomes
//
//   scf.forall (%i) in (128) {           // items: in any order, at once
//     scf.for %j = ... {                 // tiles of 8 rows: in the cache
//       %t = memref.alloc() : memref<8x1024>
//       A ins(subview %x) outs(%t)
//       B ins(%t) outs(subview %y)
//
// A temporary that only the group uses is never there as a whole. What reduces
// over the rows (the gradient of a bias, a loss) keeps a result for each item,
// and these are combined after the loop, in a fixed order: how many items there
// are follows from shapes alone, so bits do not depend on who runs them.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/fuse/KernelGroup.h"
#include "passes/lower/fuse/Passes.h"

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/OpCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace cellgrad {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Even small groups have so many tiles, as their temporaries take memory: a
/// tile of each for every worker.
constexpr int64_t kFewestTiles = 8;
/// With fewer images, cores are busier when each convolution is cut by itself.
constexpr int64_t kFewestImages = 8;
/// A result of this size that is made long before it is used costs more than
/// a pass over it saves: memory is what limits the models that train.
constexpr int64_t kLargeBytes = 16 * 1024;
/// Ops passed beyond the last one that joined, which must come after the group.
constexpr unsigned kWindow = 32;
/// All ops looked at beyond the last one that joined. Without, a group that
/// little depends on is compared with all the rest of the program.
constexpr unsigned kFarthest = 256;

/// What limits tiles and items.
struct Limits {
  int64_t tileBytes, items, itemNanoseconds;
  int64_t images; ///< fewest of a convolution among other ops
};

/// How the items of a group are cut.
struct Tiling {
  int64_t rows;  ///< of a tile
  int64_t tiles; ///< of that size
  int64_t tilesPerItem, items;
  int64_t rest; ///< rows that fill no tile

  /// How many parts results of all items have: the rest has one of its own, as
  /// its rows would else be added to the total one by one.
  int64_t parts() const { return items + (rest ? 1 : 0); }
};

double nanosecondsOf(const KernelGroup &group) {
  double sum = 0;
  for (KernelMember member : group.ops())
    sum += estimateNanoseconds(member.op);
  return sum;
}

Tiling tilingOf(const KernelGroup &group, const Limits &limits) {
  int64_t bytes = 0;
  for (auto [buffer, position] : group.slices())
    bytes += group.sliceBytes(buffer);
  int64_t size = group.items();
  int64_t most =
      std::clamp<int64_t>(limits.tileBytes / std::max<int64_t>(bytes, 1), 1,
                          std::max<int64_t>(size / kFewestTiles, 1));
  // A tile that divides the rows leaves no rest.
  int64_t rows = most;
  for (int64_t r = most; r > most / 2; --r)
    if (size % r == 0) {
      rows = r;
      break;
    }
  Tiling tiling{rows, size / rows, 1, 1, size % rows};
  int64_t items = limits.items;
  if (limits.itemNanoseconds > 0)
    items = std::clamp<int64_t>(nanosecondsOf(group) / limits.itemNanoseconds,
                                1, limits.items);
  tiling.tilesPerItem = llvm::divideCeil(tiling.tiles, items);
  tiling.items = llvm::divideCeil(tiling.tiles, tiling.tilesPerItem);
  return tiling;
}

/// Writes the loops of one group at the place of its last op.
class KernelWriter {
public:
  KernelWriter(const KernelGroup &group, const Limits &limits)
      : group(group), tiling(tilingOf(group, limits)),
        last(group.ops().back().op), b(last), loc(last->getLoc()) {}

  void write() {
    makePartials();
    auto loop = scf::ForallOp::create(
        b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(tiling.items)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), std::nullopt);
    loop->setAttr(kNanoseconds, b.getI64IntegerAttr(nanosecondsOf(group)));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      writeItem(loop.getInductionVar(0));
    }
    if (tiling.rest)
      writeTile(b.getIndexAttr(tiling.tiles * tiling.rows), tiling.rest,
                sumsOf(b.getIndexAttr(tiling.items)));
    combinePartials();
    erase();
  }

  /// Says what is written, and how many ops come after it that were among it.
  void print(unsigned deferred) const {
    auto count = [&](auto is) { return llvm::count_if(group.ops(), is); };
    int64_t bytes = 0, local = 0;
    for (auto [buffer, position] : group.slices())
      (group.isLocal(buffer) ? local : bytes) +=
          group.sliceBytes(buffer) * group.items();
    last->emitRemark()
        << tiling.items << " items of " << tiling.tilesPerItem << " tiles of "
        << tiling.rows << " rows, rest " << tiling.rest << ": "
        << group.ops().size() << " ops, "
        << count([](KernelMember member) { return member.reduces; })
        << " reduce, " << count([](KernelMember member) {
             return isa<linalg::FillOp>(member.op.getOperation());
           })
        << " fill, "
        << llvm::count_if(
               group.slices(),
               [&](auto slice) { return group.isLocal(slice.first); })
        << " temporaries, " << deferred << " deferred, " << bytes
        << " bytes in memory, " << local << " in tiles, about "
        << int64_t(nanosecondsOf(group) / 1000) << " microseconds";
  }

private:
  using Views = DenseMap<Value, Value>;

  /// Memory for what each item adds to results of all items.
  void makePartials() {
    if (tiling.parts() == 1)
      return;
    for (KernelMember member : group.ops())
      if (member.reduces)
        for (Value out : member.op.getDpsInits()) {
          auto type = cast<MemRefType>(out.getType());
          SmallVector<int64_t> shape{tiling.parts()};
          llvm::append_range(shape, type.getShape());
          partials[out] = memref::AllocOp::create(
              b, loc, MemRefType::get(shape, type.getElementType()));
        }
  }

  /// Part `part` of the results of all items, with nothing added yet.
  Views sumsOf(OpFoldResult part) {
    Views sums;
    for (KernelMember member : group.ops())
      if (member.reduces && !partials.empty())
        for (auto [o, out] : llvm::enumerate(member.op.getDpsInits())) {
          Value sum = slice(partials[out], 0, part, 1, /*drop=*/true);
          Value neutral = arith::ConstantOp::create(
              b, loc, combinationOf(member.op, o).neutral);
          linalg::FillOp::create(b, loc, neutral, sum);
          sums[out] = sum;
        }
    return sums;
  }

  /// The tiles of an item, one after the other.
  void writeItem(Value item) {
    Views sums = sumsOf(item);
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    AffineExpr d0 = b.getAffineDimExpr(0);
    Value first = affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 0, d0 * tiling.tilesPerItem), item);
    Value last = affine::AffineApplyOp::create(
        b, loc, AffineMap::get(1, 0, d0 + tiling.tilesPerItem), first);
    if (tiling.tiles % tiling.tilesPerItem)
      last = arith::MinSIOp::create(b, loc, last, index(tiling.tiles));
    if (tiling.tilesPerItem == 1)
      return writeTile(rowOf(item), tiling.rows, sums);
    auto loop = scf::ForOp::create(b, loc, first, last, index(1));
    loop->setAttr(kTiles,
                  b.getF64FloatAttr(double(tiling.tiles) / tiling.items));
    b.setInsertionPointToStart(loop.getBody());
    writeTile(rowOf(loop.getInductionVar()), tiling.rows, sums);
  }

  OpFoldResult rowOf(Value tile) {
    return affine::AffineApplyOp::create(
               b, loc,
               AffineMap::get(1, 0, b.getAffineDimExpr(0) * tiling.rows), tile)
        .getResult();
  }

  /// All ops on `rows` rows from `offset` on; what they add to results of all
  /// items goes to `sums`, where that has them.
  void writeTile(OpFoldResult offset, int64_t rows, const Views &sums) {
    Views views;
    for (auto [buffer, position] : group.slices()) {
      auto type = cast<MemRefType>(buffer.getType());
      if (group.isLocal(buffer)) {
        SmallVector<int64_t> shape(type.getShape());
        shape[position] = rows;
        views[buffer] = memref::AllocOp::create(
            b, loc, MemRefType::get(shape, type.getElementType()));
      } else {
        views[buffer] = slice(buffer, position, offset, rows, /*drop=*/false);
      }
    }
    for (KernelMember member : group.ops()) {
      Operation *op = b.clone(*member.op.getOperation());
      auto copy = cast<linalg::LinalgOp>(op);
      for (OpOperand &operand : op->getOpOperands()) {
        Value buffer = operand.get();
        if (member.reduces && copy.isDpsInit(&operand)) {
          if (Value sum = sums.lookup(buffer))
            operand.set(sum);
        } else if (isa<MemRefType>(buffer.getType()) &&
                   copy.getMatchingIndexingMap(&operand).isFunctionOfDim(
                       member.dim)) {
          operand.set(views[buffer]);
        }
      }
    }
  }

  /// `count` slices of `buffer` along a dimension, which goes with `drop`.
  Value slice(Value buffer, unsigned position, OpFoldResult offset,
              int64_t count, bool drop) {
    auto type = cast<MemRefType>(buffer.getType());
    unsigned rank = type.getRank();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
        strides(rank, b.getIndexAttr(1)), sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    offsets[position] = offset;
    sizes[position] = b.getIndexAttr(count);
    if (!drop)
      return memref::SubViewOp::create(b, loc, buffer, offsets, sizes, strides);
    MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
        type.getShape().drop_front(), type, offsets, sizes, strides);
    return memref::SubViewOp::create(b, loc, reduced, buffer, offsets, sizes,
                                     strides);
  }

  /// Adds the parts to the results, in order.
  void combinePartials() {
    for (KernelMember member : group.ops())
      if (member.reduces && !partials.empty())
        for (auto [o, out] : llvm::enumerate(member.op.getDpsInits()))
          combine(partials[out], out, combinationOf(member.op, o).op,
                  member.op.getRegionOutputArgs()[o]);
  }

  void combine(Value partial, Value out, Operation *combination,
               BlockArgument old) {
    unsigned rank = cast<MemRefType>(out.getType()).getRank();
    AffineMap all = b.getMultiDimIdentityMap(rank + 1);
    AffineMap result = all.dropResult(0);
    SmallVector<utils::IteratorType> kinds(rank + 1,
                                           utils::IteratorType::parallel);
    kinds[0] = utils::IteratorType::reduction;
    bool oldFirst = combination->getOperand(0) == old;
    linalg::GenericOp::create(
        b, loc, ValueRange(partial), ValueRange(out),
        ArrayRef<AffineMap>{all, result}, kinds,
        [&](OpBuilder &inner, Location at, ValueRange args) {
          IRMapping map;
          map.map(combination->getOperand(oldFirst ? 0 : 1), args[1]);
          map.map(combination->getOperand(oldFirst ? 1 : 0), args[0]);
          Operation *op = inner.clone(*combination, map);
          linalg::YieldOp::create(inner, at, op->getResults());
        });
  }

  /// Takes away the ops, and the temporaries that are not there as a whole.
  void erase() {
    SmallVector<Value> locals;
    for (auto [buffer, position] : group.slices())
      if (group.isLocal(buffer))
        locals.push_back(buffer);
    for (KernelMember member : llvm::reverse(group.ops())) {
      member.op->erase();
    }
    for (Value buffer : locals)
      buffer.getDefiningOp()->erase();
  }

  const KernelGroup &group;
  Tiling tiling;
  Operation *last;
  OpBuilder b;
  Location loc;
  Views partials;
};

class KernelFormer {
public:
  KernelFormer(Block &block, int64_t fewestBytes, int64_t fewestNanoseconds,
               const Limits &limits, bool printPlan)
      : block(block), fewestBytes(fewestBytes),
        fewestNanoseconds(fewestNanoseconds), limits(limits),
        printPlan(printPlan) {
    findFills();
  }

  void run() {
    for (Operation *op = &block.front(); op;) {
      std::optional<Plan> plan;
      if (auto seed = dyn_cast<linalg::GenericOp>(op))
        plan = bestPlan(seed);
      if (!plan) {
        op = op->getNextNode();
        continue;
      }
      linalg::LinalgOp last = plan->group.ops().back().op;
      Operation *after = last->getNextNode();
      for (KernelMember member : plan->group.ops()) { // which are about to go
        for (Value operand : member.op->getOperands())
          fills.erase({member.op, operand});
        if (auto user = userOfFill.find(member.op); user != userOfFill.end())
          fills.erase(user->second);
      }
      for (Operation *later : plan->deferred)
        dropFills(later, last, plan->deferred);
      for (Operation *later : plan->deferred)
        later->moveBefore(after);
      if (!plan->deferred.empty())
        after = plan->deferred.front();
      KernelWriter writer(plan->group, limits);
      if (printPlan)
        writer.print(plan->deferred.size());
      writer.write();
      op = after;
    }
  }

private:
  /// Whether `op` reads or writes memory of `root`.
  static bool touches(Operation &op, Value root) {
    return op
        .walk([&](Operation *inner) {
          return !isMemoryEffectFree(inner) &&
                         llvm::any_of(inner->getOperands(),
                                      [&](Value operand) {
                                        return isa<BaseMemRefType>(
                                                   operand.getType()) &&
                                               rootOf(operand) == root;
                                      })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// `op` is to come after `last`, with the other `deferred` ones. Fills that
  /// ops find which it passes stay where they are.
  void dropFills(Operation *op, Operation *last,
                 ArrayRef<Operation *> deferred) {
    for (Value operand : op->getOperands()) {
      if (!fills.contains({op, operand}))
        continue;
      Value root = rootOf(operand);
      for (Operation *passed = op; passed != last;) {
        passed = passed->getNextNode();
        if (!llvm::is_contained(deferred, passed) && touches(*passed, root)) {
          fills.erase({op, operand});
          break;
        }
      }
    }
  }

  void findFills() {
    DenseMap<Value, linalg::FillOp> filled; // by root
    for (Operation &op : block) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          linalgOp && !isa<linalg::FillOp>(op))
        for (Value operand : op.getOperands())
          if (isa<MemRefType>(operand.getType()))
            if (auto found = filled.find(rootOf(operand));
                found != filled.end() &&
                found->second.getOutputs()[0] == operand) {
              linalg::FillOp fill = found->second;
              fills[{&op, operand}] =
                  cast<linalg::LinalgOp>(fill.getOperation());
              userOfFill[fill] = {&op, operand};
            }
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<BaseMemRefType>(operand.getType()) &&
              !isMemoryEffectFree(inner))
            filled.erase(rootOf(operand));
      });
      if (auto fill = dyn_cast<linalg::FillOp>(op);
          fill && isDistinctRoot(rootOf(fill.getOutputs()[0])))
        filled[rootOf(fill.getOutputs()[0])] = fill;
    }
  }

  /// A group, and the ops among its own that come after it.
  struct Plan {
    KernelGroup group;
    SmallVector<Operation *> deferred;
  };

  /// The group that `seed` begins and that saves most, if any is worth it.
  std::optional<Plan> bestPlan(linalg::GenericOp seed) {
    std::optional<Plan> best;
    for (unsigned dim = 0; dim < seed.getNumLoops(); ++dim) {
      KernelGroup group(seed, dim, fills, limits.images);
      if (group.empty())
        continue;
      SmallVector<Operation *> deferred = grow(group, seed, {});
      DenseSet<Operation *> refused;
      while (Operation *early = madeEarly(group)) {
        refused.insert(early);
        group = KernelGroup(seed, dim, fills, limits.images);
        deferred = grow(group, seed, refused);
      }
      bool pays = group.savedBytes() >= fewestBytes ||
                  nanosecondsOf(group) >= fewestNanoseconds;
      if (group.items() > 1 && pays &&
          (!best || group.savedBytes() > best->group.savedBytes()))
        best = Plan{std::move(group), std::move(deferred)};
    }
    return best;
  }

  /// Adds what follows and fits. What must come after the group, or after an
  /// op that must, is deferred: an op that depends on such a one cannot join.
  SmallVector<Operation *> grow(KernelGroup &group, Operation *seed,
                                const DenseSet<Operation *> &refused) {
    SmallVector<Operation *> deferred, passed;
    hoisted.clear();
    MemoryUse later;
    unsigned looked = 0;
    for (Operation *op = seed->getNextNode();
         op && passed.size() < kWindow && looked < kFarthest &&
         !op->hasTrait<OpTrait::IsTerminator>();
         op = op->getNextNode(), ++looked) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
      bool waits = later.conflictsWith(op);
      if (linalgOp && !waits && !refused.contains(op) && group.add(linalgOp)) {
        llvm::append_range(deferred, passed);
        passed.clear();
        looked = 0;
        if (!deferred.empty())
          hoisted.push_back(linalgOp);
        continue;
      }
      // A product stays with its epilogue.
      if (linalg::GenericOp epilogue =
              linalgOp ? findEpilogue(op) : linalg::GenericOp())
        waits |= later.conflictsWith(epilogue) || group.isBefore(epilogue);
      if (!waits && !group.isBefore(op))
        continue;
      // Results of others would have to move, too.
      if (!linalgOp && !isa<memref::CopyOp>(op))
        break;
      later.add(op);
      passed.push_back(op);
    }
    return deferred;
  }

  /// An op that would run before others for the group's sake, and so make a
  /// large result that waits in memory; or null.
  Operation *madeEarly(const KernelGroup &group) const {
    for (linalg::LinalgOp op : hoisted)
      for (Value out : op.getDpsInits())
        if (out.getDefiningOp<memref::AllocOp>() &&
            group.slices().contains(out) && !group.isLocal(out) &&
            group.sliceBytes(out) * group.items() >= kLargeBytes)
          return op;
    return nullptr;
  }

  Block &block;
  /// Ops of the last group that come before others which were before them.
  SmallVector<linalg::LinalgOp> hoisted;
  int64_t fewestBytes, fewestNanoseconds;
  Limits limits;
  bool printPlan;
  FillsOfOperands fills;
  DenseMap<Operation *, std::pair<Operation *, Value>> userOfFill;
};

struct FormKernels : cellgrad::impl::FormKernelsBase<FormKernels> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()) &&
          !block->getOps<linalg::GenericOp>().empty())
        blocks.push_back(block);
    });
    // Small tiles where kernels are to be small.
    Limits limits{tileBytes, mostItems, itemNanoseconds, kFewestImages};
    if (4 * fewestBytes < tileBytes)
      limits = {4 * fewestBytes, mostItems, 0, 2};
    for (Block *block : blocks)
      KernelFormer(*block, fewestBytes, fewestNanoseconds, limits, printPlan)
          .run();
  }
};

} // namespace
