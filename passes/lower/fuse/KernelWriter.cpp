//===- KernelWriter.cpp - the loops of a group of ops ---------------------===//

#include "passes/lower/fuse/KernelWriter.h"

#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/fuse/RowProduct.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cellgrad;

double cellgrad::nanosecondsOf(const KernelGroup &group) {
  double sum = 0;
  for (KernelMember member : group.ops())
    sum += nanosecondsOfMember(member.op);
  return sum;
}

namespace {

/// Even small groups have so many tiles, as their temporaries take memory: a
/// tile of each for every worker.
constexpr int64_t kFewestTiles = 8;

/// How the items of a group are cut.
struct Tiling {
  int64_t rows;  ///< of a tile
  int64_t tiles; ///< of that size
  int64_t tilesPerItem, items;
  int64_t rest; ///< rows that fill no tile
  bool inOrder; ///< all tiles and the rest, one after the other

  /// How many parts results of all items have: the rest has one of its own, as
  /// its rows would else be added to the total one by one.
  int64_t parts() const { return inOrder ? 1 : items + (rest ? 1 : 0); }
};

/// Bytes of one row in all slices.
int64_t rowBytes(const KernelGroup &group) {
  int64_t bytes = 0;
  for (auto [buffer, position] : group.slices())
    bytes += group.sliceBytes(buffer);
  return bytes;
}

Tiling tilingOf(const KernelGroup &group, const KernelLimits &limits) {
  int64_t bytes = rowBytes(group);
  int64_t size = group.items();
  int64_t most =
      std::clamp<int64_t>(limits.tileBytes / std::max<int64_t>(bytes, 1), 1,
                          std::max<int64_t>(size / kFewestTiles, 1));
  // An item with products is long enough for one by itself.
  if (group.products() == KernelProducts::ByItems)
    most = std::clamp<int64_t>(limits.itemNanoseconds * size /
                                   std::max(nanosecondsOf(group), 1.0),
                               1, most);
  bool cutsProducts = group.products() == KernelProducts::ByRows;
  if (cutsProducts) {
    int64_t fewest = limits.isWithin        ? kFewestRowsInOrder
                     : group.addsUpInLoop() ? kFewestRowsOfSum
                                            : kFewestRowsOfProduct;
    most = std::clamp(most, std::min(fewest, size / 2), size / 2);
  }
  // A tile that divides the rows leaves no rest.
  int64_t rows = most;
  for (int64_t r = most; r > most / 2; --r)
    if (size % r == 0) {
      rows = r;
      break;
    }
  // A product of one row is none of matrices, and adds in another order.
  if (cutsProducts)
    while (size % rows == 1)
      ++rows;
  Tiling tiling{rows, size / rows, 1, 1, size % rows, limits.isWithin};
  int64_t items = limits.items;
  if (limits.itemNanoseconds > 0)
    items = std::clamp<int64_t>(nanosecondsOf(group) / limits.itemNanoseconds,
                                1, limits.items);
  if (group.addsUpInLoop())
    items = std::min(items, kMostPartsOfSum);
  tiling.tilesPerItem = llvm::divideCeil(tiling.tiles, items);
  tiling.items = llvm::divideCeil(tiling.tiles, tiling.tilesPerItem);
  return tiling;
}

/// Writes the loops of one group at the place of its last op.
class KernelWriter {
public:
  KernelWriter(const KernelGroup &group, const KernelLimits &limits)
      : group(group), tiling(tilingOf(group, limits)),
        last(group.ops().back().op), b(last), loc(last->getLoc()) {}

  /// Returns the block of a tile.
  Block *write(const KernelLimits &limits) {
    transposeMatrices();
    makePartials();
    if (limits.innerTiles)
      findLastWriters();
    Block *tile = limits.isWithin ? writeTiles() : writeItems();
    if (tiling.rest)
      writeTile(b.getIndexAttr(tiling.tiles * tiling.rows), tiling.rest,
                sumsOf(b.getIndexAttr(tiling.items)));
    combinePartials();
    erase();
    return tile;
  }

  /// All tiles, in one item that is no kernel of its own.
  Block *writeTiles() {
    OpBuilder::InsertionGuard guard(b);
    return writeItem(arith::ConstantIndexOp::create(b, loc, 0));
  }

  Block *writeItems() {
    auto loop = scf::ForallOp::create(
        b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(tiling.items)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), std::nullopt);
    loop->setAttr(kNanoseconds, b.getI64IntegerAttr(nanosecondsOf(group)));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    return writeItem(loop.getInductionVar(0));
  }

  /// Says what is written, and how many ops come after it that were among it.
  void print(unsigned deferred, bool isWithin) const {
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
        << int64_t(nanosecondsOf(group) / 1000) << " microseconds"
        << (group.products() == KernelProducts::None ? ""
            : group.products() == KernelProducts::ByRows
                ? ", with products"
                : ", with products of items")
        << (!group.addsUpInLoop() ? ""
            : isWithin            ? ", some added up in order"
                                  : ", some added up behind the loop")
        << (isWithin ? ", within a tile" : "");
  }

private:
  using Views = DenseMap<Value, Value>;

  /// Once for all tiles: each would do it again.
  void transposeMatrices() {
    for (KernelMember member : group.ops())
      if (std::optional<RowProduct> product = rowProduct(member.op, member.dim);
          product && product->isTransposed) {
        Value &copy = transposed[product->b->get()];
        if (!copy)
          copy = transposedCopy(last, product->b->get());
      }
  }

  /// Memory for what each item adds to results of all items.
  void makePartials() {
    if (tiling.parts() == 1)
      return;
    for (KernelMember member : group.ops())
      if (member.reduces)
        for (auto [o, out] : llvm::enumerate(member.op.getDpsInits())) {
          Value &partial = partials[out];
          if (partial) // several products are added up there
            continue;
          OpBuilder::InsertionGuard guard(b);
          bool isOfLoop = group.isAddedUpInLoop(out);
          if (isOfLoop)
            b.setInsertionPoint(last->getParentOp());
          auto type = cast<MemRefType>(out.getType());
          SmallVector<int64_t> shape{tiling.parts()};
          llvm::append_range(shape, type.getShape());
          partial = memref::AllocOp::create(
              b, loc, MemRefType::get(shape, type.getElementType()));
          if (isOfLoop)
            fillNeutral(partial, member, o);
        }
  }

  /// Part `part` of the results of all items, with nothing added yet that no
  /// loop adds up.
  Views sumsOf(OpFoldResult part) {
    Views sums;
    for (KernelMember member : group.ops())
      if (member.reduces && !partials.empty())
        for (auto [o, out] : llvm::enumerate(member.op.getDpsInits())) {
          Value &sum = sums[out];
          if (sum)
            continue;
          sum = slice(partials[out], 0, part, 1, /*drop=*/true);
          if (!group.isAddedUpInLoop(out))
            fillNeutral(sum, member, o);
        }
    return sums;
  }

  void fillNeutral(Value sum, KernelMember member, unsigned output) {
    Value neutral = arith::ConstantOp::create(
        b, loc, combinationOf(member.op, output).neutral);
    linalg::FillOp::create(b, loc, neutral, sum);
  }

  /// The tiles of an item, one after the other.
  Block *writeItem(Value item) {
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
    if (tiling.tilesPerItem == 1) {
      writeTile(rowOf(item), tiling.rows, sums);
      return b.getInsertionBlock();
    }
    auto loop = scf::ForOp::create(b, loc, first, last, index(1));
    loop->setAttr(kTiles,
                  b.getF64FloatAttr(double(tiling.tiles) / tiling.items));
    b.setInsertionPointToStart(loop.getBody());
    writeTile(rowOf(loop.getInductionVar()), tiling.rows, sums);
    return loop.getBody();
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
      Views kept;
      for (Value out : member.op.getDpsInits())
        if (lastWriters.lookup(out) == member.op.getOperation())
          kept[out] = memref::AllocOp::create(
              b, loc,
              MemRefType::get(
                  cast<MemRefType>(views[out].getType()).getShape(),
                  cast<MemRefType>(out.getType()).getElementType()));
      Operation *op = b.clone(*member.op.getOperation());
      auto copy = cast<linalg::LinalgOp>(op);
      for (OpOperand &operand : op->getOpOperands()) {
        Value buffer = operand.get();
        if (member.reduces && copy.isDpsInit(&operand)) {
          if (Value sum = sums.lookup(buffer))
            operand.set(sum);
        } else if (copy.isDpsInit(&operand) && kept.contains(buffer)) {
          operand.set(kept[buffer]);
        } else if (isa<MemRefType>(buffer.getType()) &&
                   copy.getMatchingIndexingMap(&operand).isFunctionOfDim(
                       member.dim)) {
          operand.set(views[buffer]);
        }
      }
      if (std::optional<RowProduct> product = rowProduct(member.op, member.dim);
          product && product->isTransposed)
        readStraight(cast<linalg::GenericOp>(op),
                     product->b->getOperandNumber(),
                     transposed[product->b->get()]);
      for (auto [buffer, tile] : kept)
        views[buffer] = tile;
    }
  }

  /// For each buffer that is written over and that nothing reads behind the
  /// group, the first op to do so: from there on a tile of its own stands for
  /// its slice, and what only the group reads does not go to memory.
  void findLastWriters() {
    for (auto [buffer, position] : group.slices()) {
      auto alloc = buffer.getDefiningOp<memref::AllocOp>();
      if (!alloc || group.isLocal(buffer) ||
          alloc->getBlock() != last->getBlock() ||
          !llvm::all_of(buffer.getUsers(), [&](Operation *user) {
            return group.contains(user) ||
                   (isa<linalg::LinalgOp>(user) &&
                    user->getBlock() == last->getBlock() &&
                    user->isBeforeInBlock(last));
          }))
        continue;
      for (KernelMember member : group.ops())
        if (llvm::is_contained(member.op.getDpsInits(), buffer)) {
          if (replacesAll(member.op, buffer))
            lastWriters[buffer] = member.op;
          break;
        }
    }
  }

  /// Whether `op` writes all of `buffer`, whatever is there.
  static bool replacesAll(linalg::LinalgOp op, Value buffer) {
    OpOperand *out = nullptr;
    for (OpOperand &init : op.getDpsInitsMutable())
      if (init.get() == buffer) {
        if (out)
          return false;
        out = &init;
      }
    return op.getNumReductionLoops() == 0 &&
           !op.payloadUsesValueFromOperand(out) &&
           op.getMatchingIndexingMap(out).isPermutation();
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
    DenseSet<Value> combined;
    for (KernelMember member : group.ops())
      if (member.reduces && !partials.empty())
        for (auto [o, out] : llvm::enumerate(member.op.getDpsInits())) {
          if (!combined.insert(out).second)
            continue;
          OpBuilder::InsertionGuard guard(b);
          if (group.isAddedUpInLoop(out))
            b.setInsertionPointAfter(last->getParentOp());
          combine(partials[out], out, combinationOf(member.op, o).op,
                  member.op.getRegionOutputArgs()[o]);
        }
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
  Views partials, transposed;
  DenseMap<Value, Operation *> lastWriters;
};

} // namespace

Block *cellgrad::writeKernel(const KernelGroup &group,
                             const KernelLimits &limits, bool printPlan,
                             unsigned deferred) {
  KernelWriter writer(group, limits);
  if (printPlan)
    writer.print(deferred, limits.isWithin);
  bool isLarge = rowBytes(group) > limits.tileBytes;
  Block *tile = writer.write(limits);
  return isLarge && limits.innerTiles ? tile : nullptr;
}
