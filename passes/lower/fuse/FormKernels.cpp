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
// A temporary that only the group uses is never there as a whole. Products that
// are too short for items of their own join (RowProduct.h), and so do those
// that each item has for itself; an item that is larger than a cache is cut
// again, over rows of its own. What reduces over the rows (the gradient of a
// bias, a loss) keeps a result for each item, and these are combined after the
// loop, in a fixed order: how many items there are follows from shapes alone,
// so bits do not depend on who runs them.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/fuse/KernelWriter.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/fuse/RowProduct.h"

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

namespace cellgrad {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// With fewer images, cores are busier when each convolution is cut by itself.
constexpr int64_t kFewestImages = 8;
/// A result of this size that is made long before it is used costs more than
/// a pass over it saves: memory is what limits the models that train.
constexpr int64_t kLargeBytes = 16 * 1024;
/// More rows are not added up in order, tile by tile: other sums of so many are
/// trees.
constexpr int64_t kMostRowsInOrder = 4096;
/// A temporary of a tile that is larger is none of each worker.
constexpr int64_t kMostWorkerBytes = 1 << 20;
/// Ops passed beyond the last one that joined, which must come after the group.
constexpr unsigned kWindow = 32;
/// All ops looked at beyond the last one that joined. Without, a group that
/// little depends on is compared with all the rest of the program.
constexpr unsigned kFarthest = 256;

class KernelFormer {
public:
  KernelFormer(Block &block, int64_t fewestBytes, int64_t fewestNanoseconds,
               const KernelLimits &limits, bool printPlan)
      : block(block), fewestBytes(fewestBytes),
        fewestNanoseconds(fewestNanoseconds), limits(limits),
        printPlan(printPlan) {
    findFills();
    hasItemProducts =
        limits.itemBytes > 0 && llvm::any_of(block, [](Operation &op) {
          auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
          return linalgOp && mayBeOfItems(linalgOp);
        });
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
      bool cutsProducts = plan->group.products() == KernelProducts::ByRows;
      int64_t items = plan->group.items();
      Block *large =
          writeKernel(plan->group, limits, printPlan, plan->deferred.size());
      if (large && !cutsProducts) {
        cutAgain(*large);
        keepOutside(*large, items);
      }
      op = after;
    }
  }

private:
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
        if (!llvm::is_contained(deferred, passed) && mayTouch(passed, root)) {
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
      forEachTouched(&op, [&](Value root) {
        if (isKnownRoot(root))
          filled.erase(root);
        else // it may be any of them
          filled.clear();
      });
      if (auto fill = dyn_cast<linalg::FillOp>(op);
          fill && isDistinctRoot(rootOf(fill.getOutputs()[0])))
        filled[rootOf(fill.getOutputs()[0])] = fill;
    }
  }

  /// One row of a kernel is more than stays in a cache: its ops run on a few
  /// rows of that at a time, where they share these as well. Sums over the rows
  /// stay whole: tile by tile they would be less precise.
  void cutAgain(Block &tile) {
    KernelLimits within = limits;
    within.items = 1;
    within.isWithin = true;
    within.itemBytes = 0;
    within.joining = {
        /*images=*/std::numeric_limits<int64_t>::max(),
        /*productNanoseconds=*/std::numeric_limits<double>::infinity(),
        /*sums=*/false};
    within.joining.matrixBytes = 4 * limits.itemBytes;
    within.joining.inOrder = true;
    within.joining.rowsInOrder = limits.isOfPart ? 0 : kMostRowsInOrder;
    KernelFormer(tile, fewestBytes, std::numeric_limits<int64_t>::max(), within,
                 printPlan)
        .run();
  }

  /// Temporaries of a tile of one item that could not be cut are parts of one
  /// for all items again: else there would be as many as there are workers.
  static void keepOutside(Block &tile, int64_t items) {
    auto tiles = dyn_cast<scf::ForOp>(tile.getParentOp());
    auto kernel = tiles ? tiles->getParentOfType<scf::ForallOp>()
                        : dyn_cast<scf::ForallOp>(tile.getParentOp());
    if (!kernel)
      return;
    Value item = tiles ? tiles.getInductionVar() : kernel.getInductionVar(0);
    for (auto alloc :
         llvm::make_early_inc_range(tile.getOps<memref::AllocOp>())) {
      MemRefType type = alloc.getType();
      SmallVector<int64_t> shape(type.getShape());
      if (shape.empty() || shape[0] != 1 || bytesOf(alloc) <= kMostWorkerBytes)
        continue;
      OpBuilder b(kernel);
      SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(
                                    type.getContext(), shape),
                                offsets(shape.size(), b.getIndexAttr(0)),
                                strides(shape.size(), b.getIndexAttr(1));
      shape[0] = items;
      offsets[0] = item;
      Value all = memref::AllocOp::create(
          b, alloc.getLoc(), MemRefType::get(shape, type.getElementType()));
      b.setInsertionPoint(alloc);
      replaceMemory(alloc, memref::SubViewOp::create(b, alloc.getLoc(), all,
                                                     offsets, sizes, strides));
      alloc.erase();
    }
  }

  /// Has what uses a buffer use another one, of the same shape.
  static void replaceMemory(Value buffer, Value other) {
    for (OpOperand &use : llvm::make_early_inc_range(buffer.getUses())) {
      auto view = dyn_cast<memref::SubViewOp>(use.getOwner());
      if (!view) {
        use.set(other);
        continue;
      }
      OpBuilder b(view);
      replaceMemory(view, memref::SubViewOp::create(
                              b, view.getLoc(), other, view.getMixedOffsets(),
                              view.getMixedSizes(), view.getMixedStrides()));
      view.erase();
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
    // Sums over items would be cut otherwise than without the products.
    JoinLimits ofItems{limits.joining.images, /*productNanoseconds=*/0,
                       /*sums=*/false, limits.itemBytes};
    auto consider = [&](unsigned dim, const JoinLimits &joining) {
      Plan plan = planFrom(seed, dim, joining);
      const KernelGroup &group = plan.group;
      if (group.empty())
        return false;
      // A product is as quick by itself, but for what threads share.
      bool cutsProducts = group.products() == KernelProducts::ByRows;
      bool saves = (!cutsProducts || limits.isWithin) &&
                   group.savedBytes() >= fewestBytes;
      bool isLong = nanosecondsOf(group) >= fewestNanoseconds;
      // Products of items are items by themselves.
      bool pays = joining.itemBytes > 0
                      ? saves && group.products() == KernelProducts::ByItems
                      : saves || isLong;
      if (group.items() > 1 && pays &&
          (!best || group.savedBytes() > best->group.savedBytes()))
        best = std::move(plan);
      return cutsProducts && !pays;
    };
    for (unsigned dim = 0; dim < seed.getNumLoops(); ++dim) {
      if (hasItemProducts) {
        consider(dim, ofItems);
        if (!best && limits.innerTiles) {
          JoinLimits cutAgain = ofItems;
          cutAgain.itemBytes = std::numeric_limits<int64_t>::max();
          consider(dim, cutAgain);
        }
      }
      if (consider(dim, limits.joining))
        consider(dim, {limits.joining.images, /*productNanoseconds=*/0});
    }
    return best;
  }

  /// The group of `seed` and what fits along its loop `dim`.
  Plan planFrom(linalg::GenericOp seed, unsigned dim,
                const JoinLimits &joining) {
    Plan plan{KernelGroup(seed, dim, fills, joining), {}};
    if (plan.group.empty())
      return plan;
    plan.deferred = grow(plan.group, seed, {});
    DenseSet<Operation *> refused;
    while (Operation *early = madeEarly(plan.group)) {
      refused.insert(early);
      plan.group = KernelGroup(seed, dim, fills, joining);
      plan.deferred = grow(plan.group, seed, refused);
    }
    return plan;
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
      if (group.contains(op)) // with its product
        continue;
      // A product stays with its epilogue.
      linalg::GenericOp epilogue =
          linalgOp ? findEpilogue(op) : linalg::GenericOp();
      bool waits = later.conflictsWith(op) ||
                   (epilogue && later.conflictsWith(epilogue));
      bool isRefused =
          refused.contains(op) || (epilogue && refused.contains(epilogue));
      if (linalgOp && !waits && !isRefused && group.add(linalgOp)) {
        llvm::append_range(deferred, passed);
        passed.clear();
        looked = 0;
        if (!deferred.empty()) {
          hoisted.push_back(linalgOp);
          if (epilogue)
            hoisted.push_back(cast<linalg::LinalgOp>(epilogue.getOperation()));
        }
        continue;
      }
      waits |= epilogue && group.isBefore(epilogue);
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
  /// large result that waits in memory; or null. What products make may wait in
  /// a cache together: what they save is time. A result in the place of what
  /// other members use waits where that would.
  Operation *madeEarly(const KernelGroup &group) const {
    int64_t waiting =
        group.products() == KernelProducts::None ? 0 : limits.tileBytes;
    for (linalg::LinalgOp op : hoisted)
      for (Value out : op.getDpsInits()) {
        if (!out.getDefiningOp<memref::AllocOp>() ||
            !group.slices().contains(out) || group.isLocal(out) ||
            isUsedByOthers(group, out))
          continue;
        int64_t bytes = group.sliceBytes(out) * group.items();
        waiting -= bytes;
        if (bytes >= kLargeBytes && waiting < 0)
          return op;
      }
    return nullptr;
  }

  /// Whether members of the group that stay where they are use `buffer`.
  bool isUsedByOthers(const KernelGroup &group, Value buffer) const {
    return llvm::any_of(group.ops(), [&](KernelMember member) {
      return !isa<linalg::FillOp>(member.op.getOperation()) &&
             !llvm::is_contained(hoisted, member.op) &&
             llvm::is_contained(member.op->getOperands(), buffer);
    });
  }

  Block &block;
  /// Ops of the last group that come before others which were before them.
  SmallVector<linalg::LinalgOp> hoisted;
  int64_t fewestBytes, fewestNanoseconds;
  KernelLimits limits;
  bool printPlan;
  bool hasItemProducts;
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
    KernelLimits limits{tileBytes,
                        mostItems,
                        itemNanoseconds,
                        {kFewestImages, double(productNanoseconds)}};
    if (4 * fewestBytes < tileBytes)
      limits = {4 * fewestBytes,
                mostItems,
                0,
                {/*images=*/2, limits.joining.productNanoseconds}};
    limits.innerTiles = innerTiles;
    limits.itemBytes = itemBytes;
    limits.isOfPart = getOperation()->hasAttr(kBatchTiles);
    for (Block *block : blocks) {
      KernelLimits here = limits;
      // Where a step runs once, what it is worth is small, and sums over rows
      // keep the order that they have in a program that computes more again.
      // Items of items are not shared.
      Operation *parent = block->getParentOp();
      if (!productsAnywhere && (!isa<scf::ForOp, scf::WhileOp>(parent) ||
                                parent->getParentOfType<scf::ForallOp>()))
        here.joining.productNanoseconds = 0;
      KernelFormer(*block, fewestBytes, fewestNanoseconds, here, printPlan)
          .run();
    }
  }
};

} // namespace
