//===- GemmPlan.cpp - how one matrix product is computed ------------------===//

#include "passes/lower/cpu/GemmPlan.h"

#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/SumLoop.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <tuple>

namespace cellgrad {

namespace {

struct Tile {
  int64_t rows, vectors;
};

/// Register tiles, the ones to prefer first: accumulators, one row of B and a
/// broadcast element of A fit in 32 registers or 16. Of the 32, 16 accumulators
/// leave as many for the sums of chains, which wait in memory beside 28.
constexpr Tile kTiles32[] = {
    {4, 4},  {8, 2},  {5, 4},  {6, 4},  {7, 3},  {8, 3},  {9, 2},
    {10, 2}, {11, 2}, {12, 2}, {13, 2}, {14, 2}, {16, 1}, {3, 4},
    {2, 4},  {8, 1},  {4, 1},  {2, 1},  {4, 2},  {1, 4},  {1, 1}};
constexpr Tile kTiles16[] = {{6, 2}, {5, 2}, {4, 2}, {4, 3}, {3, 3},
                             {2, 4}, {3, 2}, {2, 2}, {8, 1}, {4, 1},
                             {2, 1}, {1, 4}, {1, 1}};

/// What a further kind of tile has to gain: each is as much code again, which
/// takes milliseconds to generate.
constexpr double kGainOfKind = 0.025;

/// Columns of B that are packed at a time.
constexpr int64_t kColumnBlock = 1024;

/// Steps of k from which on it pays to ask for B ahead.
constexpr int64_t kLongSum = 128;

/// From so many bytes on, lines are far apart for what processors read ahead.
constexpr int64_t kFarBytes = 1024;

/// Bytes in half a cycle from the second level of caches, and from behind it.
constexpr double kBytesFromL2 = 12, kBytesFromFar = 5;

/// Steps of k whose rows of B pass by a block of A.
int64_t depthFor(const GemmShape &shape, const Target &target) {
  return target.l1Bytes / 32 / (shape.elementBits / 8);
}

double rowBytes(int64_t vectors, const Target &target) {
  return vectors * target.vectorBits / 8;
}

/// Half cycles for one step of the k loop on a tile: multiply-adds, loads, of
/// which as many begin in a cycle, rows of B where a panel is larger than the
/// first level, or the latency of a dependent multiply-add and a little more,
/// whichever binds.
double stepCycles(const GemmShape &shape, Tile tile, const Target &target) {
  double each = 2.0 / target.multiplyAdds;
  double fma = tile.rows * tile.vectors * each;
  double loads = (tile.rows + tile.vectors) * each;
  double row = rowBytes(tile.vectors, target);
  double panel = row * std::min(shape.k, depthFor(shape, target));
  double fromL2 = panel > target.l1Bytes ? row / kBytesFromL2 : 0;
  return std::max({fma, loads, fromL2, 2.5 * target.addLatency});
}

/// Estimated cycles for all tiles of an m x n result, per step of k, and some
/// more for code. Ragged edges are tiles of their own.
double totalCycles(const GemmShape &shape, int64_t lanes, Tile tile,
                   const Target &target) {
  int64_t m = shape.m, n = shape.n;
  int64_t columns = tile.vectors * lanes;
  int64_t fullRows = m / tile.rows, restRows = m % tile.rows;
  int64_t fullColumns = n / columns, restColumns = n % columns;
  int64_t restVectors = llvm::divideCeil(restColumns, lanes);
  bool isFar = shape.k * n * shape.elementBits / 8 > target.l2Bytes;
  auto strip = [&](int64_t count, int64_t vectors) {
    double step = stepCycles(shape, {tile.rows, vectors}, target);
    double cycles = fullRows * step;
    if (restRows)
      cycles += stepCycles(shape, {restRows, vectors}, target);
    // The first rows wait for B, the others find it in a cache.
    if (isFar)
      cycles += std::max(0.0, rowBytes(vectors, target) / kBytesFromFar - step);
    return count * cycles;
  };
  double cycles = strip(fullColumns, tile.vectors) +
                  (restColumns ? strip(1, restVectors) : 0);
  int64_t kinds = (restRows ? 2 : 1) * (fullColumns && restColumns ? 2 : 1);
  return cycles * (1 + kGainOfKind * (kinds - 1));
}

/// Rows for which it may pay to copy a panel of B, or to make an item: as many
/// as the registers hold sums of two vectors for.
int64_t manyRows(const Target &target) {
  return target.vectorRegisters >= 32 ? 14 : 6;
}

/// `size` cut into equal blocks of at most `limit`, each a multiple of `unit`.
int64_t evenBlock(int64_t size, int64_t limit, int64_t unit) {
  int64_t blocks = std::max<int64_t>(1, llvm::divideCeil(size, limit));
  return llvm::alignTo(llvm::divideCeil(size, blocks), unit);
}

} // namespace

bool GemmPlan::operator==(const GemmPlan &other) const {
  auto fields = [](const GemmPlan &p) {
    return std::tie(p.lanes, p.tileRows, p.tileVectors, p.rowBlock,
                    p.columnBlock, p.depthBlock, p.packA, p.packB, p.cacheLine,
                    p.prefetchB, p.prefetchC, p.transposeB, p.rowItems,
                    p.rowsFirst, p.columnItems, p.depthItems);
  };
  return fields(*this) == fields(other);
}

GemmPlan planGemm(const GemmShape &shape, const Target &target) {
  GemmPlan plan;
  plan.lanes = target.vectorBits / shape.elementBits;
  plan.cacheLine = target.cacheLine;
  int64_t bytes = shape.elementBits / 8;

  llvm::ArrayRef<Tile> tiles = target.vectorRegisters >= 32
                                   ? llvm::ArrayRef(kTiles32)
                                   : llvm::ArrayRef(kTiles16);
  Tile best = tiles.front();
  double bestCycles = 0;
  for (Tile tile : tiles) {
    // Halves of a tile, and halves of these, are for the rows left over.
    if (tile.rows > shape.m ||
        (shape.rowsAreOpen && !llvm::isPowerOf2_64(tile.rows)))
      continue;
    double cycles = totalCycles(shape, plan.lanes, tile, target);
    if (bestCycles == 0 || cycles < bestCycles * 0.98) {
      best = tile;
      bestCycles = cycles;
    }
  }
  plan.tileRows = best.rows;
  plan.tileVectors =
      std::min<int64_t>(best.vectors, llvm::divideCeil(shape.n, plan.lanes));

  // A panel of B (depthBlock x tile columns) stays in the first-level cache
  // while the panels of a block of A (rowBlock x depthBlock, second level) pass
  // by.
  plan.depthBlock = evenBlock(shape.k, depthFor(shape, target), plan.lanes);
  if (plan.depthBlock >= shape.k)
    plan.depthBlock = shape.k;
  plan.rowBlock = llvm::alignDown(
      std::max<int64_t>(plan.tileRows,
                        target.l2Bytes / 2 / (plan.depthBlock * bytes)),
      plan.tileRows);
  plan.columnBlock = evenBlock(shape.n, kColumnBlock, plan.tileColumns());

  // Added to more than once, and gone from the second level in between.
  plan.prefetchC =
      plan.depthBlock < shape.k && shape.m * shape.n * bytes > target.l2Bytes;

  // Rows that lie a multiple of so many cache lines apart fall into few sets.
  auto conflicts = [&](int64_t stride) {
    return stride * bytes % (16 * target.cacheLine) == 0;
  };
  plan.transposeB = shape.bColumn != 1;
  // Blocks of rows that make up for packing, as each reads B.
  int64_t readers = conflicts(shape.bRow) ? 4 : 8;
  plan.packB =
      plan.transposeB ||
      (shape.m >= readers * manyRows(target) &&
       (conflicts(shape.bRow) || shape.k * shape.n * bytes > target.l2Bytes));
  // An A that is contiguous in neither direction would be read one element of
  // a cache line at a time, for each panel of B again.
  bool scattered = shape.aRow != 1 && shape.aColumn != 1;
  int64_t distance = shape.aRow == 1 ? shape.aColumn : shape.aRow;
  // Lines that are a page apart are all in one set of the first level. A tile
  // of a transposed A has each of its lines once, so one panel of B is too few.
  bool pagesApart = distance * bytes % 4096 == 0 &&
                    plan.tileRows > target.pageRows &&
                    (shape.aRow != 1 || shape.n >= 2 * plan.tileColumns());
  // Down the columns of a transposed A, each step of k is on other lines.
  bool down = shape.aRow == 1 && distance * bytes >= kFarBytes;
  plan.packA = plan.tileRows > 1 && !shape.rowsAreOpen &&
               (pagesApart || (shape.n >= 8 * plan.tileColumns() &&
                               (scattered || down || conflicts(distance))));
  // Processors do not look ahead from one row of B to the next where these are
  // on other pages, nor where a panel begins.
  plan.prefetchB = !plan.packB && shape.k >= kLongSum &&
                   shape.k * shape.n * bytes > target.l1Bytes;
  return plan;
}

double estimateNanoseconds(const GemmShape &shape, mlir::Type element) {
  double m = shape.m, n = shape.n, k = shape.k;
  double bytes = (m * k + k * n + m * n) * shape.elementBits / 8;
  return std::max(nanosecondsOfProducts(2 * m * n * k, element),
                  nanosecondsOfTraffic(bytes));
}

GemmShape shapeOf(const Contraction &contraction) {
  const LoopNest &nest = contraction.nest;
  const Access &a = nest.inputs[0], &b = nest.inputs[1];
  GemmShape shape;
  shape.m = nest.sizes[contraction.m];
  shape.n = nest.sizes[contraction.n];
  shape.k = nest.sizes[contraction.k];
  shape.aRow = a.strides[contraction.m];
  shape.aColumn = a.strides[contraction.k];
  shape.bRow = b.strides[contraction.k];
  shape.bColumn = b.strides[contraction.n];
  shape.elementBits = nest.outputs[0].elementType().getIntOrFloatBitWidth();
  return shape;
}

bool completesTiles(const GemmShape &shape, const GemmPlan &plan) {
  int64_t trips = llvm::divideCeil(shape.k, plan.depthBlock);
  return planSum(trips, 1, kChainsOfTiles).blocks.empty();
}

void shareGemm(const GemmShape &shape, const Target &target, GemmPlan &plan) {
  // A multiple of the threads of most machines: so each has as much to do.
  constexpr int64_t kItems = 8;
  // Of an unknown number of rows, so many are an item.
  constexpr int64_t kRowsOfItem = 32;
  int64_t rowPanels = shape.m / plan.tileRows;
  int64_t columnPanels = shape.n / plan.tileColumns();
  int64_t itemRows = manyRows(target);
  int64_t bytesOfA = shape.m * shape.k * shape.elementBits / 8;
  auto shareColumns = [&] {
    int64_t blocks = llvm::divideCeil(shape.n, kColumnBlock);
    plan.columnItems =
        std::min<int64_t>(columnPanels, llvm::alignTo(blocks, kItems));
    plan.columnBlock =
        llvm::divideCeil(columnPanels, plan.columnItems) * plan.tileColumns();
  };
  if (shape.rowsAreOpen) {
    if (columnPanels >= kItems / 2)
      return shareColumns();
    plan.rowItems = 1;
    plan.rowBlock = llvm::alignTo(kRowsOfItem, plan.tileRows);
    return;
  }
  // Each item of columns reads all of A.
  bool mayShareColumns = bytesOfA <= target.l2Bytes;
  // Too few rows to be shared evenly.
  if (mayShareColumns && shape.m < 2 * kItems * itemRows &&
      columnPanels >= kItems)
    return shareColumns();
  SumBlocks sum =
      planSum(llvm::divideCeil(shape.k, plan.depthBlock), 1, kChainsOfTiles);
  if (!sum.blocks.empty() && shape.m / itemRows * columnPanels < 4 * kItems) {
    plan.depthItems = llvm::divideCeil(sum.trips, sum.blocks.back());
    return;
  }
  // Few of both: more items of columns than of rows.
  if (mayShareColumns && shape.m < kItems / 2 * itemRows &&
      rowPanels < columnPanels)
    return shareColumns();
  int64_t blocks = llvm::divideCeil(rowPanels * plan.tileRows, plan.rowBlock);
  plan.rowItems = std::min<int64_t>(rowPanels, llvm::alignTo(blocks, kItems));
  plan.rowBlock = llvm::divideCeil(rowPanels, plan.rowItems) * plan.tileRows;
  plan.rowsFirst = !plan.packB && plan.depthBlock < shape.k &&
                   sum.blocks.empty() &&
                   shape.k * shape.n * shape.elementBits / 8 <= target.l2Bytes;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const GemmPlan &plan) {
  os << "tile " << plan.tileRows << "x" << plan.tileColumns() << ", rows "
     << plan.rowBlock << ", columns " << plan.columnBlock << ", depth "
     << plan.depthBlock;
  if (plan.packA)
    os << ", pack A";
  if (plan.packB)
    os << (plan.transposeB ? ", pack and transpose B" : ", pack B");
  if (plan.prefetchB)
    os << ", ask for B";
  if (plan.prefetchC)
    os << ", ask for C";
  if (plan.rowItems)
    os << ", " << plan.rowItems << " items of rows"
       << (plan.rowsFirst ? ", each for all of the sum" : "");
  if (plan.columnItems)
    os << ", " << plan.columnItems << " items of columns";
  if (plan.depthItems)
    os << ", " << plan.depthItems << " items of the sum";
  return os;
}

} // namespace cellgrad
