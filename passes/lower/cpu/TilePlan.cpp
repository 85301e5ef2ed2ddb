//===- TilePlan.cpp - how a product of strided tensors is computed --------===//

#include "passes/lower/cpu/TilePlan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace cellgrad {

namespace {

using Dims = llvm::SmallVector<ProductDim>;

/// Steps of a sum that stay in registers before they are added to C: enough to
/// make up for the addition, and few, as errors grow with the longest chain.
constexpr int64_t kLeastDepth = 64, kMostDepth = 1024;

/// The innermost loop of a sum disappears when it has at most this many
/// multiply-adds.
constexpr int64_t kUnrolled = 160;

int64_t count(llvm::ArrayRef<ProductDim> dims) {
  int64_t n = 1;
  for (const ProductDim &dim : dims)
    n *= dim.size;
  return n;
}

/// Half cycles for one step of the sum on a tile: multiply-adds, loads,
/// or the latency of a dependent multiply-add, whichever binds; and the loop.
double stepCycles(int64_t rows, int64_t vectors, const Target &target) {
  return std::max(
             {rows * vectors, rows + vectors, int64_t{2} * target.addLatency}) +
         1;
}

/// Cuts `dims`, innermost first, into tiles of at most `limit` elements; the
/// dimension where the limit is met is cut evenly.
llvm::SmallVector<TiledDim> tile(const Dims &dims, int64_t limit) {
  llvm::SmallVector<TiledDim> tiled;
  for (const ProductDim &dim : llvm::reverse(dims)) {
    int64_t most = std::max<int64_t>(1, std::min(limit, dim.size));
    int64_t even = llvm::divideCeil(dim.size, llvm::divideCeil(dim.size, most));
    tiled.push_back({dim, even});
    limit = even == dim.size ? limit / even : 0;
  }
  std::reverse(tiled.begin(), tiled.end());
  return tiled;
}

/// The sizes of the tiles of a dimension, each with how often it occurs.
llvm::SmallVector<std::pair<int64_t, int64_t>> pieces(int64_t size,
                                                      int64_t tile) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> result;
  if (size / tile)
    result.push_back({tile, size / tile});
  if (size % tile)
    result.push_back({size % tile, 1});
  return result;
}

/// How many tiles of each size (in rows or vectors) there are.
llvm::SmallVector<std::pair<int64_t, int64_t>>
tilesOf(llvm::ArrayRef<TiledDim> dims, int64_t lanes) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> sizes{{1, 1}};
  for (auto [i, tiled] : llvm::enumerate(dims)) {
    bool isVector = lanes > 1 && i + 1 == dims.size();
    llvm::SmallVector<std::pair<int64_t, int64_t>> next;
    for (auto [size, times] : sizes)
      for (auto [piece, number] : pieces(tiled.dim.size, tiled.tile))
        next.push_back(
            {size * (isVector ? llvm::divideCeil(piece, lanes) : piece),
             times * number});
    sizes = next;
  }
  return sizes;
}

/// `columns` cut into tiles of at most `vectors` vectors of the last one.
llvm::SmallVector<TiledDim> tileColumns(const Dims &columns, int64_t vectors,
                                        int64_t lanes) {
  Dims units = columns;
  units.back().size = llvm::divideCeil(columns.back().size, lanes);
  llvm::SmallVector<TiledDim> tiled = tile(units, vectors);
  tiled.back().dim = columns.back();
  tiled.back().tile = std::min(tiled.back().tile * lanes, columns.back().size);
  return tiled;
}

/// Cycles for all tiles, per step of the sum.
double tileCycles(const TilePlan &plan, const Target &target) {
  double cycles = 0;
  for (auto [rows, rowTimes] : tilesOf(plan.rows, 1))
    for (auto [vectors, columnTimes] : tilesOf(plan.columns, plan.lanes))
      cycles += stepCycles(rows, vectors, target) * rowTimes * columnTimes;
  return cycles;
}

/// The dimension of `dims` that crosses a border.
const ProductDim *crossing(llvm::ArrayRef<ProductDim> dims, unsigned border) {
  auto *dim = llvm::find_if(
      dims, [&](const ProductDim &d) { return d.across(border) != 0; });
  return dim == dims.end() ? nullptr : dim;
}

/// The tiled dimension that crosses a border; one that is plain if there is
/// none.
TiledDim crossingTiles(const TilePlan &plan, unsigned border) {
  for (const auto *dims : {&plan.rows, &plan.columns})
    for (const TiledDim &tiled : *dims)
      if (tiled.dim.across(border) != 0)
        return tiled;
  const ProductDim *outer = crossing(plan.outer, border);
  return {outer ? *outer : ProductDim(), 1};
}

/// The part of the sum's steps that tiles take, as borders leave out others:
/// those that are outside for all of a tile or, where a tile has the whole
/// dimension and no loop runs over steps, so that places are constants, for a
/// row.
double partInside(const TilePlan &plan) {
  if (plan.borders.empty())
    return 1;
  double part = 1;
  bool unrolls =
      plan.unrolls(plan.depth.back(), plan.tilePlaces(), plan.tileVectors());
  for (auto [k, border] : llvm::enumerate(plan.borders)) {
    const ProductDim *taps = crossing(plan.depth, k);
    TiledDim tiled = crossingTiles(plan, k);
    if (!taps)
      continue;
    int64_t size = tiled.dim.size, step = tiled.dim.across(k), inside = 0;
    bool isVector = plan.columns.back().dim.across(k) != 0;
    bool isApart = tiled.tile == size && !isVector && unrolls &&
                   taps == &plan.depth.back();
    int64_t group = isApart ? 1 : tiled.tile;
    for (int64_t from = 0; from < size; from += group) {
      int64_t count = std::min(group, size - from);
      for (int64_t tap = 0; tap < taps->size; ++tap) {
        int64_t first = border.start + from * step + tap * taps->across(k);
        auto [least, most] = std::minmax({first, first + (count - 1) * step});
        inside += least < border.high && most >= border.low ? count : 0;
      }
    }
    part *= double(inside) / double(size * taps->size);
  }
  return part;
}

/// A view that shows an element of memory more than once cannot be packed
/// without growing.
bool overlaps(const StridedProduct &p) {
  Dims dims(p.batch);
  dims.append(p.columns);
  dims.append(p.depth);
  llvm::sort(dims, [](const ProductDim &x, const ProductDim &y) {
    return std::abs(x.b) < std::abs(y.b);
  });
  int64_t extent = 0;
  for (const ProductDim &dim : dims) {
    if (dim.size > 1 && std::abs(dim.b) <= extent)
      return true;
    extent += std::abs(dim.b) * (dim.size - 1);
  }
  return false;
}

/// Splits the sum: the innermost dimensions that make a block go to registers.
void splitDepth(TilePlan &plan, const Dims &depth) {
  int64_t steps = 1;
  for (const ProductDim &dim : llvm::reverse(depth)) {
    bool outside = steps >= kLeastDepth && steps * dim.size > kMostDepth;
    Dims &to = outside ? plan.outerDepth : plan.depth;
    to.insert(to.begin(), dim);
    if (!outside)
      steps *= dim.size;
  }
}

/// Loops over rows (and columns but the vectorised one) around the buffer of C,
/// so that it stays in the second-level cache.
void splitOuter(TilePlan &plan, Dims &rows, Dims &columns, int64_t bytes,
                const Target &target) {
  while (count(rows) * count(columns) * bytes > target.l2Bytes / 2) {
    bool fromRows = rows.size() > 1 &&
                    (columns.size() == 1 || rows.front().c > columns.front().c);
    if (!fromRows && columns.size() == 1)
      return;
    Dims &from = fromRows ? rows : columns;
    plan.outer.push_back(from.front());
    from.erase(from.begin());
  }
}

struct Candidate {
  TilePlan plan;
  double cycles;
};

/// The best plan that vectorises column dimension `vector` of `p`.
std::optional<Candidate> plan(const StridedProduct &p, size_t vector,
                              const Target &target) {
  Candidate best;
  TilePlan base;
  base.lanes = target.vectorBits / p.elementBits;
  base.registers = target.vectorRegisters;
  base.borders = p.borders;
  Dims columns(p.columns), rows(p.rows);
  ProductDim vectorDim = columns[vector];
  columns.erase(columns.begin() + vector);
  columns.push_back(vectorDim);
  base.packB = vectorDim.b != 1;
  base.bufferC = vectorDim.c != 1;
  if (base.packB && overlaps(p))
    return std::nullopt;
  base.outer = p.batch;
  splitDepth(base, p.depth);
  if (base.bufferC)
    splitOuter(base, rows, columns, p.elementBits / 8, target);

  double others = count(base.outer) * count(p.depth);
  double moves = 0;
  if (base.packB)
    moves += double(count(p.batch) * count(p.columns) * count(p.depth));
  if (base.bufferC)
    moves += 2.0 * count(p.batch) * count(p.rows) * count(p.columns);
  best.cycles = 0;
  for (int64_t vectors = 1; vectors <= 4; ++vectors) {
    int64_t most = vectors == 1 ? base.registers - 2
                                : (base.registers - 1 - vectors) / vectors;
    for (int64_t limit = most; limit >= 1; limit -= limit > 8 ? 2 : 1) {
      TilePlan plan = base;
      plan.rows = tile(rows, limit);
      plan.columns = tileColumns(columns, vectors, base.lanes);
      double cycles =
          tileCycles(plan, target) * others * partInside(plan) + moves;
      if (best.cycles == 0 || cycles < best.cycles * 0.98) {
        best.plan = plan;
        best.cycles = cycles;
      }
    }
  }
  return best;
}

StridedProduct exchanged(const StridedProduct &p) {
  StridedProduct q = p;
  std::swap(q.rows, q.columns);
  for (Dims *dims : {&q.batch, &q.rows, &q.columns, &q.depth})
    for (ProductDim &dim : *dims)
      std::swap(dim.a, dim.b);
  return q;
}

} // namespace

int64_t TilePlan::tileRows() const {
  int64_t n = 1;
  for (const TiledDim &dim : rows)
    n *= dim.tile;
  return n;
}

int64_t TilePlan::tileVectors() const {
  int64_t n = 1;
  for (const TiledDim &dim : llvm::drop_end(columns))
    n *= dim.tile;
  return n * llvm::divideCeil(columns.back().tile, lanes);
}

llvm::SmallVector<int64_t> TilePlan::tilePlaces() const {
  llvm::SmallVector<int64_t> places{0};
  for (const TiledDim &tiled : rows) {
    llvm::SmallVector<int64_t> next;
    for (int64_t place : places)
      for (int64_t i = 0; i < tiled.tile; ++i)
        next.push_back(place + i * tiled.dim.a);
    places = next;
  }
  return places;
}

bool TilePlan::unrolls(const ProductDim &innermost,
                       llvm::ArrayRef<int64_t> places, int64_t vectors) const {
  int64_t rows = places.size(), taken = rows * innermost.size;
  if (taken * vectors > kUnrolled)
    return false;
  llvm::SmallDenseSet<int64_t> elements;
  for (int64_t place : places)
    for (int64_t i = 0; i < innermost.size; ++i)
      elements.insert(place + i * innermost.a);
  int64_t loaded = elements.size();
  return loaded == taken || (rows + 1) * vectors + loaded <= registers;
}

std::optional<TilePlan> planTiles(const StridedProduct &product,
                                  const Target &target) {
  if (count(product.rows) < 2 || count(product.columns) < 2)
    return std::nullopt;
  // Plain loops vectorise a sum that is contiguous in both operands.
  int64_t lanes = target.vectorBits / product.elementBits;
  double plain = 4.0 * count(product.batch) * count(product.rows) *
                 count(product.columns) * count(product.depth) / lanes;
  bool contiguous = llvm::any_of(product.depth, [&](const ProductDim &dim) {
    return dim.a == 1 && dim.b == 1 && dim.size >= lanes;
  });
  std::optional<Candidate> best;
  for (bool exchange : {false, true}) {
    StridedProduct p = exchange ? exchanged(product) : product;
    for (size_t vector = 0; vector < p.columns.size(); ++vector) {
      std::optional<Candidate> next = plan(p, vector, target);
      if (!next || (best && best->cycles <= next->cycles))
        continue;
      next->plan.exchange = exchange;
      best = next;
    }
  }
  if (!best || (contiguous && plain < best->cycles))
    return std::nullopt;
  return best->plan;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const TilePlan &plan) {
  os << "tile " << plan.tileRows() << "x" << plan.tileVectors() << " vectors";
  if (plan.exchange)
    os << ", exchanged";
  if (plan.packB)
    os << ", pack B";
  if (plan.bufferC)
    os << ", buffer C";
  os << ", " << count(plan.outerDepth) << " blocks of " << count(plan.depth);
  if (!plan.borders.empty())
    os << ", " << plan.borders.size() << " borders";
  return os;
}

} // namespace cellgrad
