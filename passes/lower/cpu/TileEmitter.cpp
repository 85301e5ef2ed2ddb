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
#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/ItemLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// The innermost loop of a sum disappears when it has at most this many
/// multiply-adds.
constexpr int64_t kUnrolled = 160;

/// Items of a product that has no loop for them: each reads an operand anew.
constexpr int64_t kMostParts = 4;

struct Positions {
  FlatIndex a, b, c;
};

/// A row or a vector of a tile: its distance from the tile's start.
struct Offset {
  int64_t operand = 0, c = 0;
  /// Elements of a vector that exist.
  int64_t active = 0;
};

class TileEmitter {
public:
  TileEmitter(OpBuilder &b, Location loc, const TileProblem &problem,
              const TilePlan &plan)
      : b(b), loc(loc), mem(b, loc), problem(problem), plan(plan),
        vectorType(VectorType::get(plan.lanes, problem.element)) {}

  void emit();

private:
  void loop(int64_t size, int64_t step, function_ref<void(FlatIndex)> body);
  void loops(ArrayRef<ProductDim> dims, Positions at,
             function_ref<void(Positions)> body);
  Positions moved(Positions at, const ProductDim &dim, FlatIndex by);

  void packB();
  Value viewOf(Value flat, FlatIndex at, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> strides);
  double nanoseconds() const;
  bool isLong() const { return nanoseconds() >= 2 * problem.fewestNanoseconds; }
  bool hasItems() const;
  TiledDim *plainLoop();
  void moveLoopOut();
  void splitIntoItems();
  void outerLoops(Positions start, function_ref<void(Positions)> body);
  void emitBuffered(Positions start);
  void emitBlocks(Positions at, bool accumulate);
  void emitOuterDepth(unsigned dim, Positions at, bool accumulate);
  TileOperand partialC();
  void addPartialC(TileOperand partial);
  void emitColumns(unsigned dim, Positions at, ArrayRef<Offset> vectors,
                   bool accumulate);
  void emitRows(unsigned dim, Positions at, ArrayRef<Offset> vectors,
                ArrayRef<Offset> rows, bool accumulate);
  void emitTile(Positions at, ArrayRef<Offset> rows, ArrayRef<Offset> vectors,
                bool accumulate);
  bool sharesTooMuch(const ProductDim &depth, ArrayRef<Offset> rows,
                     ArrayRef<Offset> vectors);
  SumBlocks planTile(unsigned dim);
  SmallVector<Value> emitSum(unsigned dim, Positions at, ArrayRef<Offset> rows,
                             ArrayRef<Offset> vectors, ValueRange sums);
  SmallVector<Value> emitStep(Positions at, ArrayRef<Offset> rows,
                              ArrayRef<Offset> vectors, ValueRange sums);
  Value zero() {
    return mem.constant(cast<TypedAttr>(b.getZeroAttr(vectorType)));
  }

  OpBuilder &b;
  Location loc;
  FlatMemory mem;
  TileProblem problem;
  TilePlan plan;
  VectorType vectorType;
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

void TileEmitter::loops(ArrayRef<ProductDim> dims, Positions at,
                        function_ref<void(Positions)> body) {
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
  plan.outer.push_back(outer);
  widest->dim.size = size;
  widest->tile = llvm::divideCeil(size, llvm::divideCeil(size, widest->tile));
}

/// The loops around tiles, or a buffer of C; the first one is over items where
/// that is worth it.
void TileEmitter::outerLoops(Positions start,
                             function_ref<void(Positions)> body) {
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

Positions TileEmitter::moved(Positions at, const ProductDim &dim,
                             FlatIndex by) {
  at.a = mem.advance(at.a, by, dim.a);
  at.b = mem.advance(at.b, by, dim.b);
  at.c = mem.advance(at.c, by, dim.c);
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

/// Copies all of B, with the vectorised dimension contiguous.
void TileEmitter::packB() {
  SmallVector<ProductDim *> dims;
  for (ProductDim &dim : plan.outer)
    if (dim.b != 0)
      dims.push_back(&dim);
  for (TiledDim &column : MutableArrayRef(plan.columns).drop_back())
    dims.push_back(&column.dim);
  for (auto *depth : {&plan.outerDepth, &plan.depth})
    for (ProductDim &dim : *depth)
      dims.push_back(&dim);
  dims.push_back(&plan.columns.back().dim);

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
  move(b, loc, viewOf(problem.b.flat, problem.b.at, sizes, strides),
       viewOf(packed, {}, sizes, ours), /*add=*/false);
  problem.b = {packed, {}};
}

/// Computes C buffer by buffer, and moves each to its place.
void TileEmitter::emitBuffered(Positions start) {
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
  outerLoops(start, [&](Positions at) {
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

void TileEmitter::emitBlocks(Positions start, bool accumulate) {
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
void TileEmitter::emitOuterDepth(unsigned dim, Positions at, bool accumulate) {
  if (dim == plan.outerDepth.size()) {
    at.c = problem.c.at;
    return emitColumns(0, at, {Offset{}}, accumulate);
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

void TileEmitter::emitColumns(unsigned dim, Positions at,
                              ArrayRef<Offset> vectors, bool accumulate) {
  if (dim == plan.columns.size())
    return emitRows(0, at, vectors, {Offset{}}, accumulate);
  const TiledDim &tiled = plan.columns[dim];
  bool isVector = dim + 1 == plan.columns.size();
  auto emitPiece = [&](FlatIndex from, int64_t size) {
    SmallVector<Offset> inside;
    for (Offset v : vectors)
      for (int64_t i = 0; i < size; i += isVector ? plan.lanes : 1)
        inside.push_back({v.operand + i * tiled.dim.b, v.c + i * tiled.dim.c,
                          std::min(plan.lanes, size - i)});
    emitColumns(dim + 1, moved(at, tiled.dim, from), inside, accumulate);
  };
  int64_t full = tiled.dim.size / tiled.tile * tiled.tile;
  loop(full, tiled.tile, [&](FlatIndex iv) { emitPiece(iv, tiled.tile); });
  if (full < tiled.dim.size)
    emitPiece({Value(), full}, tiled.dim.size - full);
}

void TileEmitter::emitRows(unsigned dim, Positions at, ArrayRef<Offset> vectors,
                           ArrayRef<Offset> rows, bool accumulate) {
  if (dim == plan.rows.size())
    return emitTile(at, rows, vectors, accumulate);
  const TiledDim &tiled = plan.rows[dim];
  auto emitPiece = [&](FlatIndex from, int64_t size) {
    SmallVector<Offset> inside;
    for (Offset row : rows)
      for (int64_t i = 0; i < size; ++i)
        inside.push_back(
            {row.operand + i * tiled.dim.a, row.c + i * tiled.dim.c});
    emitRows(dim + 1, moved(at, tiled.dim, from), vectors, inside, accumulate);
  };
  int64_t full = tiled.dim.size / tiled.tile * tiled.tile;
  loop(full, tiled.tile, [&](FlatIndex iv) { emitPiece(iv, tiled.tile); });
  if (full < tiled.dim.size)
    emitPiece({Value(), full}, tiled.dim.size - full);
}

void TileEmitter::emitTile(Positions at, ArrayRef<Offset> rows,
                           ArrayRef<Offset> vectors, bool accumulate) {
  SmallVector<Value> zeros(rows.size() * vectors.size(), zero());
  SmallVector<Value> sums = emitSum(0, at, rows, vectors, zeros);
  auto next = sums.begin();
  for (const Offset &row : rows)
    for (const Offset &v : vectors) {
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

/// True when steps next to each other take the same elements of A for
/// different rows, as windows do, and more than the registers hold: LLVM keeps
/// what it has loaded once, and would spill the sums for it.
bool TileEmitter::sharesTooMuch(const ProductDim &depth, ArrayRef<Offset> rows,
                                ArrayRef<Offset> vectors) {
  llvm::SmallDenseSet<int64_t> elements;
  for (const Offset &row : rows)
    for (int64_t i = 0; i < depth.size; ++i)
      elements.insert(row.operand + i * depth.a);
  size_t taken = rows.size() * depth.size;
  return elements.size() < taken &&
         (rows.size() + 1) * vectors.size() + elements.size() >
             static_cast<size_t>(plan.registers);
}

/// The loop over one dimension of the sum of a tile.
SumBlocks TileEmitter::planTile(unsigned dim) {
  int64_t additions = 1;
  for (const ProductDim &depth : plan.depth)
    additions *= depth.size;
  return planDepth(plan.depth, dim, tileChains(problem.element, additions));
}

SmallVector<Value> TileEmitter::emitSum(unsigned dim, Positions at,
                                        ArrayRef<Offset> rows,
                                        ArrayRef<Offset> vectors,
                                        ValueRange sums) {
  if (dim == plan.depth.size())
    return emitStep(at, rows, vectors, sums);
  const ProductDim &depth = plan.depth[dim];
  if (dim + 1 == plan.depth.size() &&
      static_cast<int64_t>(sums.size()) * depth.size <= kUnrolled &&
      planTile(dim).blocks.empty() && !sharesTooMuch(depth, rows, vectors)) {
    SmallVector<Value> next(sums);
    for (int64_t i = 0; i < depth.size; ++i)
      next = emitStep(moved(at, depth, {Value(), i}), rows, vectors, next);
    return next;
  }
  auto begin = [&](ValueRange values) {
    return SmallVector<Value>(values.size(), zero());
  };
  auto end = [&](ValueRange values, ValueRange partial) {
    return addSums(b, loc, values, partial);
  };
  auto body = [&](FlatIndex iv, ValueRange values) {
    return emitSum(dim + 1, moved(at, depth, iv), rows, vectors, values);
  };
  return emitSumLoop(b, loc, mem, planTile(dim), 1, Value(), sums,
                     {begin, end, body});
}

SmallVector<Value> TileEmitter::emitStep(Positions at, ArrayRef<Offset> rows,
                                         ArrayRef<Offset> vectors,
                                         ValueRange sums) {
  SmallVector<Value> loaded, next;
  for (const Offset &v : vectors)
    loaded.push_back(mem.loadVector(problem.element, problem.b.flat,
                                    at.b.plus(v.operand), 1, plan.lanes,
                                    v.active));
  for (const Offset &row : rows) {
    Value element = mem.broadcast(
        mem.loadScalar(problem.element, problem.a.flat, at.a.plus(row.operand)),
        plan.lanes);
    for (Value vector : loaded) {
      Value sum = sums[next.size()];
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
  Positions start{problem.a.at, problem.b.at, problem.c.at};
  if (plan.bufferC)
    return emitBuffered(start);
  bool accumulate = problem.accumulate || !plan.outerDepth.empty();
  outerLoops(start, [&](Positions at) { emitBlocks(at, accumulate); });
}

void cellgrad::emitTiles(OpBuilder &b, Location loc, TileProblem problem,
                         TilePlan plan) {
  if (plan.exchange)
    std::swap(problem.a, problem.b);
  TileEmitter(b, loc, problem, plan).emit();
}
