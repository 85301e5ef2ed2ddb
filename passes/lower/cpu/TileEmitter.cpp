//===- TileEmitter.cpp - code for a product of strided tensors ------------===//
//
// Loops over tiles, and for each tile the sum in registers: every step loads
// the tile's vectors of B and broadcasts its elements of A. The positions of
// rows and vectors within a tile are constants, so ragged edges are tiles of
// their own; only the last vector along a dimension is masked.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/TileEmitter.h"

#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/ReadByLoops.h"
#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/ItemLoop.h"
#include "passes/lower/cpu/TileBorders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Items of a product that has no loop for them: each reads an operand anew.
constexpr int64_t kMostParts = 4;

class TileEmitter {
public:
  TileEmitter(OpBuilder &b, Location loc, const TileProblem &problem,
              const TilePlan &plan)
      : b(b), loc(loc), mem(b, loc), problem(problem), plan(plan),
        vectorType(VectorType::get(plan.lanes, problem.element)) {}

  void emit();

private:
  void loop(int64_t size, int64_t step, function_ref<void(FlatIndex)> body);
  void loops(ArrayRef<ProductDim> dims, TilePosition at,
             function_ref<void(TilePosition)> body);
  TilePosition moved(TilePosition at, const ProductDim &dim, FlatIndex by);

  void packB();
  Value viewOf(Value flat, FlatIndex at, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> strides);
  double nanoseconds() const;
  bool isLong() const { return nanoseconds() >= 2 * problem.fewestNanoseconds; }
  bool hasItems() const;
  TiledDim *plainLoop();
  void moveLoopOut();
  void splitIntoItems();
  void outerLoops(TilePosition start, function_ref<void(TilePosition)> body);
  void emitBuffered(TilePosition start);
  void emitBlocks(TilePosition at, bool accumulate);
  void emitOuterDepth(unsigned dim, TilePosition at, bool accumulate);
  TileOperand partialC();
  void addPartialC(TileOperand partial);
  void emitColumns(unsigned dim, TilePosition at, ArrayRef<TileOffset> vectors,
                   bool accumulate);
  void emitRows(unsigned dim, TilePosition at, ArrayRef<TileOffset> vectors,
                ArrayRef<TileOffset> rows, bool accumulate);
  void emitTile(TilePosition at, ArrayRef<TileOffset> rows,
                ArrayRef<TileOffset> vectors, bool accumulate);
  SumBlocks planTile(unsigned dim, int64_t trips);
  SmallVector<Value> emitSum(unsigned dim, TilePosition at,
                             ArrayRef<TileOffset> rows,
                             ArrayRef<TileOffset> vectors, ValueRange sums);
  SmallVector<Value> emitStep(TilePosition at, ArrayRef<TileOffset> rows,
                              ArrayRef<TileOffset> vectors, ValueRange sums);
  TileOffset origin() const {
    TileOffset offset;
    offset.across.resize(plan.borders.size());
    return offset;
  }
  Value zero() {
    return mem.constant(cast<TypedAttr>(b.getZeroAttr(vectorType)));
  }

  OpBuilder &b;
  Location loc;
  FlatMemory mem;
  TileProblem problem;
  TilePlan plan;
  VectorType vectorType;
  /// From where a column of a packed B would begin to where the next would,
  /// if both were the first of a tile.
  std::optional<int64_t> columnStep;
};

} // namespace

//===-- Loops -------------------------------------------------------------===//

void TileEmitter::loop(int64_t size, int64_t step,
                       function_ref<void(FlatIndex)> body) {
  if (size <= step) {
    if (size > 0)
      body({});
    return;
  }
  scf::ForOp::create(b, loc, mem.constant(0), mem.constant(size),
                     mem.constant(step), ValueRange(),
                     [&](OpBuilder &, Location, Value iv, ValueRange) {
                       body({iv, 0});
                       scf::YieldOp::create(b, loc);
                     });
}

void TileEmitter::loops(ArrayRef<ProductDim> dims, TilePosition at,
                        function_ref<void(TilePosition)> body) {
  if (dims.empty())
    return body(at);
  loop(dims[0].size, 1, [&](FlatIndex iv) {
    loops(dims.drop_front(), moved(at, dims[0], iv), body);
  });
}

/// About how long all of it takes.
double TileEmitter::nanoseconds() const {
  double operations = 2;
  for (const auto *dims : {&plan.outer, &plan.outerDepth, &plan.depth})
    for (const ProductDim &dim : *dims)
      operations *= dim.size;
  for (const TiledDim &tiled :
       llvm::concat<const TiledDim>(plan.rows, plan.columns))
    operations *= tiled.dim.size;
  return nanosecondsOfProducts(operations, problem.element);
}

/// Whether the outermost loop walks parts of C.
bool TileEmitter::hasItems() const {
  return !plan.outer.empty() && plan.outer[0].size > 1 && plan.outer[0].c != 0;
}

/// A loop over parts of C that no tile takes several steps of, or null.
TiledDim *TileEmitter::plainLoop() {
  for (auto *tiled : {&plan.rows, &plan.columns})
    for (TiledDim &dim : *tiled)
      if (dim.tile == 1 && dim.dim.size > 1 && dim.dim.c != 0 &&
          &dim != &plan.columns.back())
        return &dim;
  return nullptr;
}

/// A plain loop over parts of C becomes the outermost one, if none is.
void TileEmitter::moveLoopOut() {
  TiledDim *dim = plainLoop();
  if (!plan.outer.empty() || !dim)
    return;
  plan.outer.push_back(dim->dim);
  for (auto *tiled : {&plan.rows, &plan.columns})
    if (dim >= tiled->begin() && dim < tiled->end())
      tiled->erase(dim);
}

/// Where the product is long and no loop over parts of C is the outermost one,
/// or can be, the rows or columns are cut into equal parts of two tiles or
/// more: the sum of each element of C stays as it is, and every part reads one
/// of the operands as a whole.
void TileEmitter::splitIntoItems() {
  if (!isLong() || hasItems() || !plan.outer.empty() ||
      (!plan.bufferC && plainLoop()))
    return;
  TiledDim *widest = nullptr;
  int64_t parts = 1;
  for (auto *tiled : {&plan.rows, &plan.columns})
    for (TiledDim &dim : *tiled) {
      if (&dim == &plan.columns.back() || dim.dim.c == 0)
        continue;
      int64_t most = std::min(kMostParts, dim.dim.size / (2 * dim.tile));
      for (int64_t n = most; n > parts; --n)
        if (dim.dim.size % n == 0) {
          widest = &dim;
          parts = n;
        }
    }
  if (!widest)
    return;
  int64_t size = widest->dim.size / parts;
  ProductDim outer = widest->dim;
  outer.size = parts;
  for (int64_t *stride : {&outer.a, &outer.b, &outer.c})
    *stride *= size;
  for (int64_t &step : outer.borders)
    step *= size;
  plan.outer.push_back(outer);
  widest->dim.size = size;
  widest->tile = llvm::divideCeil(size, llvm::divideCeil(size, widest->tile));
}

/// The loops around tiles, or a buffer of C; the first one is over items where
/// that is worth it.
void TileEmitter::outerLoops(TilePosition start,
                             function_ref<void(TilePosition)> body) {
  if (!isLong())
    return loops(plan.outer, start, body);
  if (!plan.bufferC)
    moveLoopOut();
  if (!hasItems())
    return loops(plan.outer, start, body);
  emitItems(b, loc, b.getIndexAttr(plan.outer[0].size), nanoseconds(),
            [&](Value item) {
              loops(ArrayRef(plan.outer).drop_front(),
                    moved(start, plan.outer[0], {item, 0}), body);
            });
}

TilePosition TileEmitter::moved(TilePosition at, const ProductDim &dim,
                                FlatIndex by) {
  at.a = mem.advance(at.a, by, dim.a);
  at.b = mem.advance(at.b, by, dim.b);
  at.c = mem.advance(at.c, by, dim.c);
  for (auto [k, position] : llvm::enumerate(at.across))
    position = mem.advance(position, by, dim.across(k));
  return at;
}

//===-- Buffers -----------------------------------------------------------===//

Value TileEmitter::viewOf(Value flat, FlatIndex at, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> strides) {
  OpFoldResult offset = b.getIndexAttr(at.constant);
  if (at.var)
    offset = mem.materialize(at);
  auto asIndex = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(b.getContext(), values);
  };
  auto layout = StridedLayoutAttr::get(
      b.getContext(), at.var ? ShapedType::kDynamic : at.constant, strides);
  auto type = MemRefType::get(
      sizes, cast<MemRefType>(flat.getType()).getElementType(), layout);
  return memref::ReinterpretCastOp::create(b, loc, type, flat, offset,
                                           asIndex(sizes), asIndex(strides));
}

/// to (+)= from, element by element.
static void move(OpBuilder &b, Location loc, Value from, Value to, bool add) {
  unsigned rank = cast<MemRefType>(to.getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  linalg::GenericOp::create(
      b, loc, from, to, ArrayRef{identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &, Location, ValueRange args) {
        Value value = args[0];
        if (add)
          value = arith::AddFOp::create(b, loc, args[1], value);
        linalg::YieldOp::create(b, loc, value);
      });
}

/// Copies all of B, with the vectorised dimension contiguous, in panels as wide
/// as a tile: a tile reads its panel from one end to the other. Parts of rows
/// that are far apart would share few places of a cache. Where a kernel has
/// several items of the same B, as images have of filters, it is packed once,
/// before them.
void TileEmitter::packB() {
  OpBuilder::InsertionGuard guard(b);
  if (!problem.b.at.var)
    if (Operation *loop = loopThatReads(b.getInsertionBlock(), problem.b.flat))
      b.setInsertionPoint(loop);
  TiledDim &last = plan.columns.back();
  ProductDim panel = last.dim, within = last.dim;
  panel.b *= last.tile;
  panel.size = llvm::divideCeil(last.dim.size, last.tile);
  within.size = last.tile;
  SmallVector<ProductDim *> dims;
  for (ProductDim &dim : plan.outer)
    if (dim.b != 0)
      dims.push_back(&dim);
  for (TiledDim &column : MutableArrayRef(plan.columns).drop_back())
    dims.push_back(&column.dim);
  size_t place = dims.size();
  dims.push_back(&panel);
  for (auto *depth : {&plan.outerDepth, &plan.depth})
    for (ProductDim &dim : *depth)
      dims.push_back(&dim);
  dims.push_back(&within);

  SmallVector<int64_t> sizes, strides;
  for (ProductDim *dim : dims) {
    sizes.push_back(dim->size);
    strides.push_back(dim->b);
  }
  int64_t total = 1;
  for (ProductDim *dim : llvm::reverse(dims)) {
    dim->b = total;
    total *= dim->size;
  }
  Value packed = memref::AllocOp::create(
      b, loc, MemRefType::get({total}, problem.element));
  SmallVector<int64_t> ours =
      llvm::map_to_vector(dims, [](ProductDim *dim) { return dim->b; });
  int64_t full = last.dim.size / last.tile, rest = last.dim.size % last.tile;
  auto copy = [&](int64_t first, int64_t panels, int64_t columns) {
    sizes[place] = panels;
    sizes.back() = columns;
    move(b, loc,
         viewOf(problem.b.flat, problem.b.at.plus(first * strides[place]),
                sizes, strides),
         viewOf(packed, {Value(), first * panel.b}, sizes, ours),
         /*add=*/false);
  };
  if (full > 0)
    copy(0, full, last.tile);
  if (rest > 0)
    copy(full, 1, rest);
  last.dim.b = 1;
  columnStep = panel.b / last.tile;
  problem.b = {packed, {}};
}

/// Computes C buffer by buffer, and moves each to its place.
void TileEmitter::emitBuffered(TilePosition start) {
  SmallVector<ProductDim *> dims;
  for (auto *tiled : {&plan.rows, &plan.columns})
    for (TiledDim &dim : *tiled)
      dims.push_back(&dim.dim);
  SmallVector<int64_t> sizes, strides, ours;
  int64_t total = 1;
  for (ProductDim *dim : dims) {
    sizes.push_back(dim->size);
    strides.push_back(dim->c);
  }
  for (ProductDim *dim : llvm::reverse(dims)) {
    dim->c = total;
    ours.insert(ours.begin(), total);
    total *= dim->size;
  }
  Value flat = problem.c.flat;
  bool inBlocks = !plan.outerDepth.empty();
  outerLoops(start, [&](TilePosition at) {
    Value buffer = memref::AllocOp::create(
        b, loc, MemRefType::get({total}, problem.element));
    problem.c.flat = buffer;
    FlatIndex place = at.c;
    at.c = {};
    if (inBlocks)
      linalg::FillOp::create(
          b, loc, mem.constant(cast<TypedAttr>(b.getZeroAttr(problem.element))),
          buffer);
    emitBlocks(at, /*accumulate=*/inBlocks);
    move(b, loc, viewOf(buffer, {}, sizes, ours),
         viewOf(flat, place, sizes, strides), problem.accumulate);
  });
}

//===-- Tiles -------------------------------------------------------------===//

void TileEmitter::emitBlocks(TilePosition start, bool accumulate) {
  TileOperand c{problem.c.flat, start.c};
  std::swap(problem.c, c);
  emitOuterDepth(0, start, accumulate);
  std::swap(problem.c, c);
}

/// The loop over one dimension of a sum and all further ones.
static SumBlocks planDepth(ArrayRef<ProductDim> depth, unsigned dim,
                           SumChains chains) {
  int64_t additions = 1;
  if (dim + 1 < depth.size())
    additions = planDepth(depth, dim + 1, chains).additions;
  return planSum(depth[dim].size, additions, chains);
}

/// Adds the blocks of the sum to C, which partial sums of it stand for.
void TileEmitter::emitOuterDepth(unsigned dim, TilePosition at,
                                 bool accumulate) {
  if (dim == plan.outerDepth.size()) {
    at.c = problem.c.at;
    return emitColumns(0, at, {origin()}, accumulate);
  }
  SmallVector<TileOperand> waiting;
  auto begin = [&](ValueRange) {
    waiting.push_back(problem.c);
    problem.c = partialC();
    return SmallVector<Value>();
  };
  auto end = [&](ValueRange, ValueRange) {
    TileOperand partial = problem.c;
    problem.c = waiting.pop_back_val();
    addPartialC(partial);
    return SmallVector<Value>();
  };
  auto body = [&](FlatIndex iv, ValueRange) {
    emitOuterDepth(dim + 1, moved(at, plan.outerDepth[dim], iv), accumulate);
    return SmallVector<Value>();
  };
  emitSumLoop(b, loc, mem, planDepth(plan.outerDepth, dim, kChainsOfTiles), 1,
              Value(), {}, {begin, end, body});
}

/// Zeros that lie as C does.
TileOperand TileEmitter::partialC() {
  int64_t before = 0, after = 0;
  for (const TiledDim &tiled : llvm::concat<TiledDim>(plan.rows, plan.columns))
    (tiled.dim.c < 0 ? before : after) +=
        std::abs(tiled.dim.c) * (tiled.dim.size - 1);
  Value memory = memref::AllocOp::create(
      b, loc, MemRefType::get({before + after + 1}, problem.element));
  linalg::FillOp::create(
      b, loc, mem.constant(cast<TypedAttr>(b.getZeroAttr(problem.element))),
      memory);
  return {memory, {Value(), before}};
}

void TileEmitter::addPartialC(TileOperand partial) {
  SmallVector<int64_t> sizes, strides;
  for (const TiledDim &tiled :
       llvm::concat<TiledDim>(plan.rows, plan.columns)) {
    sizes.push_back(tiled.dim.size);
    strides.push_back(tiled.dim.c);
  }
  move(b, loc, viewOf(partial.flat, partial.at, sizes, strides),
       viewOf(problem.c.flat, problem.c.at, sizes, strides), /*add=*/true);
}

void TileEmitter::emitColumns(unsigned dim, TilePosition at,
                              ArrayRef<TileOffset> vectors, bool accumulate) {
  if (dim == plan.columns.size())
    return emitRows(0, at, vectors, {origin()}, accumulate);
  const TiledDim &tiled = plan.columns[dim];
  bool isVector = dim + 1 == plan.columns.size();
  auto emitPiece = [&](FlatIndex from, int64_t size) {
    SmallVector<TileOffset> inside;
    for (TileOffset v : vectors)
      for (int64_t i = 0; i < size; i += isVector ? plan.lanes : 1)
        inside.push_back(
            v.moved(tiled.dim, tiled.dim.b, i,
                    isVector ? std::min(plan.lanes, size - i) : 1));
    ProductDim start = tiled.dim;
    if (isVector && columnStep)
      start.b = *columnStep;
    emitColumns(dim + 1, moved(at, start, from), inside, accumulate);
  };
  int64_t full = tiled.dim.size / tiled.tile * tiled.tile;
  loop(full, tiled.tile, [&](FlatIndex iv) { emitPiece(iv, tiled.tile); });
  if (full < tiled.dim.size)
    emitPiece({Value(), full}, tiled.dim.size - full);
}

void TileEmitter::emitRows(unsigned dim, TilePosition at,
                           ArrayRef<TileOffset> vectors,
                           ArrayRef<TileOffset> rows, bool accumulate) {
  if (dim == plan.rows.size())
    return emitTile(at, rows, vectors, accumulate);
  const TiledDim &tiled = plan.rows[dim];
  auto emitPiece = [&](FlatIndex from, int64_t size) {
    SmallVector<TileOffset> inside;
    for (TileOffset row : rows)
      for (int64_t i = 0; i < size; ++i)
        inside.push_back(row.moved(tiled.dim, tiled.dim.a, i));
    emitRows(dim + 1, moved(at, tiled.dim, from), vectors, inside, accumulate);
  };
  int64_t full = tiled.dim.size / tiled.tile * tiled.tile;
  loop(full, tiled.tile, [&](FlatIndex iv) { emitPiece(iv, tiled.tile); });
  if (full < tiled.dim.size)
    emitPiece({Value(), full}, tiled.dim.size - full);
}

void TileEmitter::emitTile(TilePosition at, ArrayRef<TileOffset> rows,
                           ArrayRef<TileOffset> vectors, bool accumulate) {
  SmallVector<Value> zeros(rows.size() * vectors.size(), zero());
  SmallVector<Value> sums = emitSum(0, at, rows, vectors, zeros);
  auto next = sums.begin();
  for (const TileOffset &row : rows)
    for (const TileOffset &v : vectors) {
      FlatIndex to = at.c.plus(row.c + v.c);
      Value sum = *next++;
      if (accumulate) {
        Value old = mem.loadVector(problem.element, problem.c.flat, to, 1,
                                   plan.lanes, v.active);
        sum = arith::AddFOp::create(b, loc, old, sum);
      }
      mem.storeVector(sum, problem.c.flat, to, 1, v.active);
    }
}

/// The loop over `trips` of one dimension of the sum of a tile.
SumBlocks TileEmitter::planTile(unsigned dim, int64_t trips) {
  int64_t additions = 1;
  for (const ProductDim &depth : plan.depth)
    additions *= depth.size;
  SmallVector<ProductDim> depth(plan.depth);
  depth[dim].size = trips;
  return planDepth(
      depth, dim,
      tileChains(problem.element.getIntOrFloatBitWidth(), additions));
}

SmallVector<Value> TileEmitter::emitSum(unsigned dim, TilePosition at,
                                        ArrayRef<TileOffset> rows,
                                        ArrayRef<TileOffset> vectors,
                                        ValueRange sums) {
  if (dim == plan.depth.size())
    return emitStep(at, rows, vectors, sums);
  const ProductDim &depth = plan.depth[dim];
  TripsInside trips = tripsInside(b, loc, mem, plan.borders, plan.depth, dim,
                                  at, rows, vectors);
  auto places =
      llvm::map_to_vector(rows, [](const TileOffset &r) { return r.operand; });
  if (dim + 1 == plan.depth.size() &&
      plan.unrolls(depth, places, vectors.size()) &&
      planTile(dim, depth.size).blocks.empty()) {
    SmallVector<Value> next(sums);
    for (int64_t i = trips.first; i < trips.end; ++i)
      next = emitStep(moved(at, depth, {Value(), i}), rows, vectors, next);
    return next;
  }
  if (trips.first >= trips.end)
    return SmallVector<Value>(sums);
  auto begin = [&](ValueRange values) {
    return SmallVector<Value>(values.size(), zero());
  };
  auto end = [&](ValueRange values, ValueRange partial) {
    return addSums(b, loc, values, partial);
  };
  auto body = [&](FlatIndex iv, ValueRange values) {
    if (trips.from)
      iv = {arith::AddIOp::create(b, loc, trips.from, mem.materialize(iv)), 0};
    else
      iv.constant += trips.first;
    return emitSum(dim + 1, moved(at, depth, iv), rows, vectors, values);
  };
  Value size;
  if (trips.from)
    size = arith::SubIOp::create(b, loc, trips.to, trips.from);
  return emitSumLoop(b, loc, mem,
                     planTile(dim, size ? depth.size : trips.end - trips.first),
                     1, size, sums, {begin, end, body});
}

SmallVector<Value> TileEmitter::emitStep(TilePosition at,
                                         ArrayRef<TileOffset> rows,
                                         ArrayRef<TileOffset> vectors,
                                         ValueRange sums) {
  SmallVector<Value> loaded, next;
  for (const TileOffset &v : vectors)
    loaded.push_back(mem.loadVector(problem.element, problem.b.flat,
                                    at.b.plus(v.operand), 1, plan.lanes,
                                    v.active));
  for (const TileOffset &row : rows) {
    Value element = mem.broadcast(
        mem.loadScalar(problem.element, problem.a.flat, at.a.plus(row.operand)),
        plan.lanes);
    for (auto [vector, offset] : llvm::zip_equal(loaded, vectors)) {
      Value sum = sums[next.size()];
      if (isOutside(plan.borders, at, row, offset)) {
        next.push_back(sum);
        continue;
      }
      if (problem.useFma)
        sum = vector::FMAOp::create(b, loc, element, vector, sum);
      else
        sum = arith::AddFOp::create(
            b, loc, sum, arith::MulFOp::create(b, loc, element, vector));
      next.push_back(sum);
    }
  }
  return next;
}

void TileEmitter::emit() {
  splitIntoItems();
  if (plan.packB)
    packB();
  TilePosition start{problem.a.at, problem.b.at, problem.c.at, {}};
  for (const ProductBorder &border : plan.borders)
    start.across.push_back({Value(), border.start});
  if (plan.bufferC)
    return emitBuffered(start);
  bool accumulate = problem.accumulate || !plan.outerDepth.empty();
  outerLoops(start, [&](TilePosition at) { emitBlocks(at, accumulate); });
}

void cellgrad::emitTiles(OpBuilder &b, Location loc, TileProblem problem,
                         TilePlan plan) {
  if (plan.exchange)
    std::swap(problem.a, problem.b);
  TileEmitter(b, loc, problem, plan).emit();
}
