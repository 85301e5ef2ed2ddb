//===- GemmEmitter.cpp - code for one matrix product ----------------------===//
//
// The loops of GemmPlan.h. C is never packed: a register tile starts at zero,
// runs over a block of k and is then stored to C, or added to it. Ragged edges
// are tiles of their own, of static size; only the last vector of a row is
// masked.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/GemmLoops.h"

#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/ItemLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace cellgrad;

//===-- Loops -------------------------------------------------------------===//

/// Runs `body` at 0, step, ... below `size`; inline when that is once.
void GemmEmitter::loop(Extent size, int64_t step, LoopBody body) {
  if (!size.value && size.known <= step) {
    if (size.known > 0)
      body(known(0));
    return;
  }
  scf::ForOp::create(b, loc, mem.constant(0), valueOf(size), mem.constant(step),
                     ValueRange(),
                     [&](OpBuilder &, Location, Value iv, ValueRange) {
                       body({iv, 0});
                       scf::YieldOp::create(b, loc);
                     });
}

/// Runs `body` for 0, 1, ... below `count`: as items, where they are long
/// enough.
void GemmEmitter::items(Extent count, double nanoseconds, LoopBody body) {
  bool several = count.value || count.known > 1;
  if (!problem.inItems || isInItem || !several ||
      nanoseconds < problem.fewestNanoseconds)
    return loop(count, 1, body);
  isInItem = true;
  OpFoldResult bound =
      count.value ? OpFoldResult(count.value) : b.getIndexAttr(count.known);
  emitItems(b, loc, bound, nanoseconds, [&](Value item) { body({item, 0}); });
  isInItem = false;
}

/// Where the part begins, of `total` that are cut into parts which differ by
/// one at most.
FlatIndex GemmEmitter::partBegin(FlatIndex part, int64_t total, int64_t parts) {
  FlatIndex scaled = mem.advance({}, part, total);
  if (total % parts == 0)
    return mem.advance({}, part, total / parts);
  if (!scaled.var)
    return known(scaled.constant / parts);
  return {arith::DivUIOp::create(b, loc, mem.materialize(scaled),
                                 mem.constant(parts)),
          0};
}

Extent GemmEmitter::partSize(FlatIndex part, int64_t total, int64_t parts) {
  if (total % parts == 0)
    return {total / parts, {}};
  FlatIndex begin = partBegin(part, total, parts);
  FlatIndex end = partBegin(part.plus(1), total, parts);
  if (!begin.var)
    return {end.constant - begin.constant, {}};
  return {0, arith::SubIOp::create(b, loc, end.var, begin.var)};
}

/// Runs the body in the last part alone.
void GemmEmitter::inLast(FlatIndex part, int64_t parts,
                         function_ref<void()> body) {
  if (!part.var)
    return body();
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            mem.materialize(part), mem.constant(parts - 1));
  scf::IfOp::create(b, loc, isLast, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b, loc);
  });
}

/// The size of the block that starts at `start`.
Extent GemmEmitter::blockSize(int64_t total, int64_t block, FlatIndex start) {
  if (!start.var)
    return {std::min(block, total - start.constant), {}};
  if (total % block == 0)
    return {block, {}};
  Value left = arith::SubIOp::create(b, loc, mem.constant(total),
                                     mem.materialize(start));
  return {0, arith::MinSIOp::create(b, loc, left, mem.constant(block))};
}

/// The size of the block of k that starts at `depth`.
Extent GemmEmitter::sizeOfDepth(FlatIndex depth) {
  if (!problem.depth)
    return blockSize(shape.k, plan.depthBlock, depth);
  Value left =
      arith::SubIOp::create(b, loc, problem.depth, mem.materialize(depth));
  return {0,
          arith::MinSIOp::create(b, loc, left, mem.constant(plan.depthBlock))};
}

Extent GemmEmitter::divide(Extent size, int64_t by) {
  if (!size.value)
    return {size.known / by, {}};
  return {0, arith::DivUIOp::create(b, loc, size.value, mem.constant(by))};
}

/// Memory for the panels of B that one item packs.
void GemmEmitter::allocateOwnB() {
  if (plan.packB)
    buffers.b = memref::AllocOp::create(
        b, loc,
        MemRefType::get({plan.columnBlock * plan.depthBlock}, problem.element));
}

/// Blocks of columns as items: each packs its part of B.
void GemmEmitter::emitColumnItems() {
  int64_t width = plan.tileColumns(), count = plan.columnItems;
  int64_t panels = shape.n / width, rest = shape.n % width;
  if (plan.packA)
    packWholeA();
  double nanoseconds =
      estimateNanoseconds(shape, problem.element) + problem.epilogueNanoseconds;
  items({count, {}}, nanoseconds, [&](FlatIndex item) {
    allocateOwnB();
    FlatIndex column = mem.advance({}, partBegin(item, panels, count), width);
    emitColumns(column, partSize(item, panels, count), plan.tileVectors,
                plan.lanes);
    if (rest == 0)
      return;
    inLast(item, count, [&] {
      int64_t vectors = llvm::divideCeil(rest, plan.lanes);
      emitColumns(known(panels * width), {1, {}}, vectors,
                  rest - (vectors - 1) * plan.lanes);
    });
  });
}

/// Blocks of rows as items, each for all columns and all of the sum.
void GemmEmitter::emitRowItems() {
  double nanoseconds =
      estimateNanoseconds(shape, problem.element) + problem.epilogueNanoseconds;
  items({plan.rowItems, {}}, nanoseconds, [&](FlatIndex item) {
    rowItem = item;
    emitAllColumns();
    rowItem.reset();
  });
}

void GemmEmitter::emit() {
  if (plan.columnItems)
    return emitColumnItems();
  if (plan.rowsFirst)
    return emitRowItems();
  emitAllColumns();
}

void GemmEmitter::emitAllColumns() {
  int64_t columns = plan.tileColumns();
  int64_t fullColumns = llvm::alignDown(shape.n, columns);
  loop({fullColumns, {}}, plan.columnBlock, [&](FlatIndex column) {
    Extent size = blockSize(fullColumns, plan.columnBlock, column);
    emitColumns(column, divide(size, columns), plan.tileVectors, plan.lanes);
  });
  if (int64_t rest = shape.n - fullColumns) {
    int64_t vectors = llvm::divideCeil(rest, plan.lanes);
    emitColumns(known(fullColumns), {1, {}}, vectors,
                rest - (vectors - 1) * plan.lanes);
  }
}

void GemmEmitter::emitColumns(FlatIndex column, Extent panels, int64_t vectors,
                              int64_t active) {
  SumBlocks blocks =
      planSum(llvm::divideCeil(shape.k, plan.depthBlock), 1, kChainsOfTiles);
  ColumnBlock block{column, panels, vectors, active};
  SmallVector<Destination> targets{
      {moved(problem.c, known(0), column), problem.accumulate}};
  if (!blocks.blocks.empty() && !problem.accumulate) {
    fillZero(block, targets.back().c);
    targets.back().accumulate = true;
  }
  auto begin = [&](ValueRange) {
    int64_t width = vectors * plan.lanes;
    int64_t columns = panels.value ? plan.columnBlock : panels.known * width;
    Value memory = memref::AllocOp::create(
        b, loc, MemRefType::get({mostRows() * columns}, problem.element));
    targets.push_back({{memory, {}, columns, 1}, /*accumulate=*/true});
    fillZero(block, targets.back().c);
    return SmallVector<Value>();
  };
  auto end = [&](ValueRange, ValueRange) {
    GemmMatrix partial = targets.pop_back_val().c;
    addTo(block, partial, targets.back().c);
    return SmallVector<Value>();
  };
  auto body = [&](FlatIndex depth, ValueRange) {
    emitDepthBlock(block, depth, targets.back());
    return SmallVector<Value>();
  };
  SumHooks hooks{begin, end, body};
  if (!plan.depthItems || isInItem)
    emitSumLoop(b, loc, mem, blocks, plan.depthBlock, problem.depth, {}, hooks);
  else
    emitDepthItems(block, blocks, targets, hooks);
}

/// The largest blocks of the sum as items. Their sums are added to C in order,
/// as one thread alone would.
void GemmEmitter::emitDepthItems(const ColumnBlock &block, SumBlocks blocks,
                                 SmallVectorImpl<Destination> &targets,
                                 const SumHooks &hooks) {
  int64_t trips = blocks.blocks.pop_back_val(), count = plan.depthItems;
  int64_t width = block.vectors * plan.lanes;
  int64_t columns =
      block.panels.value ? plan.columnBlock : block.panels.known * width;
  int64_t size = shape.m * columns;
  Value memory = memref::AllocOp::create(
      b, loc, MemRefType::get({count * size}, problem.element));
  auto partialOf = [&](FlatIndex item) -> GemmMatrix {
    return {memory, mem.advance({}, item, size), columns, 1};
  };
  bool divides = blocks.trips % trips == 0;
  SumBlocks part = blocks;
  part.trips = trips;
  double nanoseconds =
      nanosecondsOfProducts(2.0 * size * shape.k, problem.element);
  items({count, {}}, nanoseconds, [&](FlatIndex item) {
    allocateOwnB();
    FlatIndex start = mem.advance({}, item, trips * plan.depthBlock);
    targets.push_back({partialOf(item), /*accumulate=*/true});
    fillZero(block, targets.back().c);
    auto body = [&](FlatIndex depth, ValueRange carried) {
      Value at = arith::AddIOp::create(b, loc, mem.materialize(start),
                                       mem.materialize(depth));
      return hooks.body({at, 0}, carried);
    };
    Value length;
    if (!divides)
      length = valueOf(blockSize(blocks.trips * plan.depthBlock,
                                 trips * plan.depthBlock, start));
    emitSumLoop(b, loc, mem, part, plan.depthBlock, length, {},
                {hooks.begin, hooks.end, body});
    targets.pop_back();
  });
  loop({count, {}}, 1, [&](FlatIndex item) {
    addTo(block, partialOf(item), targets.back().c);
  });
}

/// Visits the vectors of a block of columns; columns count from its first.
void GemmEmitter::forEachVector(
    const ColumnBlock &block,
    function_ref<void(FlatIndex row, FlatIndex column, int64_t active)> body) {
  loop(allRows(), 1, [&](FlatIndex row) {
    loop(block.panels, 1, [&](FlatIndex j) {
      FlatIndex column = mem.advance({}, j, block.vectors * plan.lanes);
      for (int64_t v = 0; v < block.vectors; ++v)
        body(row, column.plus(v * plan.lanes),
             v + 1 == block.vectors ? block.active : plan.lanes);
    });
  });
}

void GemmEmitter::fillZero(const ColumnBlock &block, const GemmMatrix &c) {
  forEachVector(block, [&](FlatIndex row, FlatIndex column, int64_t active) {
    mem.storeVector(zero(), c.flat, moved(c, row, column).at, 1, active);
  });
}

void GemmEmitter::addTo(const ColumnBlock &block, const GemmMatrix &partial,
                        const GemmMatrix &c) {
  forEachVector(block, [&](FlatIndex row, FlatIndex column, int64_t active) {
    auto load = [&](const GemmMatrix &from) {
      return mem.loadVector(problem.element, from.flat,
                            moved(from, row, column).at, 1, plan.lanes, active);
    };
    Value sum = arith::AddFOp::create(b, loc, load(c), load(partial));
    mem.storeVector(sum, c.flat, moved(c, row, column).at, 1, active);
  });
}

void GemmEmitter::emitDepthBlock(const ColumnBlock &block, FlatIndex depth,
                                 const Destination &target) {
  FlatIndex column = block.column;
  Extent panels = block.panels;
  int64_t vectors = block.vectors, active = block.active;
  Extent depthSize = sizeOfDepth(depth);
  int64_t width = vectors * plan.lanes;

  GemmMatrix bBlock = moved(problem.b, depth, column);
  // Distance from one panel of B to the next.
  int64_t bPanel = width * shape.bColumn;
  if (plan.packB) {
    if (plan.transposeB)
      packBTransposed(column, panels, vectors, active, depth, depthSize);
    else
      packB(column, panels, vectors, active, depth, depthSize);
    bBlock = {buffers.b, {}, width, 1};
    bPanel = plan.depthBlock * width;
  }

  if (problem.rows)
    return emitOpenRows(block, bBlock, bPanel, depth, depthSize, target);

  auto emitPanels = [&](int64_t rows, Extent rowPanels, FlatIndex row,
                        GemmMatrix aBlock, int64_t aPanel,
                        const GemmMatrix &cBlock) {
    loop(panels, 1, [&](FlatIndex j) {
      GemmMatrix panelB = bBlock;
      panelB.at = mem.advance(bBlock.at, j, bPanel);
      GemmMatrix panelC = cBlock;
      panelC.at = mem.advance(cBlock.at, j, width);
      loop(rowPanels, 1, [&](FlatIndex i) {
        GemmMatrix tileA = aBlock, tileC = panelC;
        tileA.at = mem.advance(aBlock.at, i, aPanel);
        tileC.at = mem.advance(panelC.at, i, rows * cBlock.row);
        emitTile(rows, vectors, active, tileA, panelB,
                 {tileC, target.accumulate}, depth, depthSize);
      });
    });
  };

  int64_t rows = plan.tileRows;
  int64_t fullRows = llvm::alignDown(shape.m, rows);
  int64_t mostColumns = panels.value ? plan.columnBlock : panels.known * width;
  GemmShape part = shape;
  part.m = fullRows;
  part.n = mostColumns;
  part.k = std::min(plan.depthBlock, shape.k);
  double nanoseconds = estimateNanoseconds(part, problem.element);
  nanoseconds += problem.epilogueNanoseconds * fullRows * mostColumns /
                 (double(shape.m) * shape.n);
  // Where results of some rows go; each worker has its own where nobody but the
  // epilogue reads them.
  auto destination = [&](FlatIndex row, int64_t mostRows) -> GemmMatrix {
    if (problem.keepsC)
      return moved(target.c, row, known(0));
    Value memory = memref::AllocOp::create(
        b, loc, MemRefType::get({mostRows * mostColumns}, problem.element));
    return {memory, {}, mostColumns, 1};
  };
  auto emitRest = [&] {
    int64_t rest = shape.m - fullRows;
    GemmMatrix cBlock = destination(known(fullRows), rest);
    emitPanels(rest, {1, {}}, known(fullRows),
               moved(problem.a, known(fullRows), depth), 0, cBlock);
    emitEpilogue(block, known(fullRows), {rest, {}}, cBlock, depth);
  };
  int64_t allPanels = fullRows / rows;
  int64_t blocks =
      plan.rowItems ? plan.rowItems : llvm::divideCeil(fullRows, plan.rowBlock);
  auto emitRows = [&](FlatIndex item) {
    FlatIndex row = mem.advance({}, partBegin(item, allPanels, blocks), rows);
    Extent rowPanels = partSize(item, allPanels, blocks);
    Extent blockRows{rowPanels.known * rows, {}};
    if (rowPanels.value)
      blockRows = {0, arith::MulIOp::create(b, loc, rowPanels.value,
                                            mem.constant(rows))};
    GemmMatrix aBlock = moved(problem.a, row, depth);
    int64_t aPanel = rows * shape.aRow;
    if (plan.packA) {
      aBlock = {buffers.a, {}, 1, rows};
      aPanel = rows * plan.depthBlock;
      if (plan.columnItems) { // is packed already
        aBlock.at =
            mem.advance(mem.advance({}, depth, fullRows), row, plan.depthBlock);
      } else {
        if (problem.inItems) // each worker has its own
          aBlock.flat = memref::AllocOp::create(
              b, loc,
              MemRefType::get({plan.rowBlock * plan.depthBlock},
                              problem.element));
        packA(aBlock.flat, {}, row, rowPanels, depth, depthSize);
      }
    }
    GemmMatrix cBlock = destination(row, std::min(plan.rowBlock, fullRows));
    emitPanels(rows, rowPanels, row, aBlock, aPanel, cBlock);
    emitEpilogue(block, row, blockRows, cBlock, depth);
    if (fullRows < shape.m)
      inLast(item, blocks, emitRest);
  };
  if (rowItem)
    emitRows(*rowItem);
  else
    items({blocks, {}}, nanoseconds, emitRows);
}

//===-- The register tile -------------------------------------------------===//

/// Of k, from a step to the one whose row of B it asks for.
static constexpr int64_t kStepsAhead = 8;

/// Asks for the lines of some vectors that lie together.
void GemmEmitter::askFor(Value matrix, FlatIndex at, int64_t vectors,
                         bool isWrite) {
  int64_t line = plan.cacheLine * 8 / shape.elementBits;
  for (int64_t i = 0; i < vectors * plan.lanes; i += line)
    memref::PrefetchOp::create(b, loc, matrix, mem.materialize(at.plus(i)),
                               isWrite, /*localityHint=*/isWrite ? 1 : 3,
                               /*isDataCache=*/true);
}

SmallVector<Value> GemmEmitter::tileStep(int64_t rows, int64_t vectors,
                                         int64_t active, const GemmMatrix &a,
                                         const GemmMatrix &bPanel, FlatIndex k,
                                         ArrayRef<Value> accumulators) {
  SmallVector<Value> next(accumulators), bRow;
  FlatIndex bAt = mem.advance(bPanel.at, k, bPanel.row);
  // A packed panel is padded, so its vectors are whole.
  for (int64_t v = 0; v < vectors; ++v) {
    int64_t lanes = lanesOf(v, vectors, active);
    bRow.push_back(mem.loadVector(
        problem.element, bPanel.flat, bAt.plus(v * plan.lanes), 1, lanes,
        v + 1 == vectors && !plan.packB ? active : lanes));
  }
  if (plan.prefetchB)
    askFor(bPanel.flat, bAt.plus(kStepsAhead * bPanel.row), vectors,
           /*isWrite=*/false);
  FlatIndex aAt = mem.advance(a.at, k, a.column);
  for (int64_t r = 0; r < rows; ++r) {
    Value element = mem.broadcast(
        mem.loadScalar(problem.element, a.flat, aAt.plus(r * a.row)),
        plan.lanes);
    for (int64_t v = 0; v < vectors; ++v) {
      if (int64_t lanes = lanesOf(v, vectors, active); lanes < plan.lanes)
        element = vector::ShuffleOp::create(
            b, loc, element, element,
            llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
      Value &acc = next[r * vectors + v];
      if (problem.useFma)
        acc = vector::FMAOp::create(b, loc, element, bRow[v], acc);
      else
        acc = arith::AddFOp::create(
            b, loc, acc, arith::MulFOp::create(b, loc, element, bRow[v]));
    }
  }
  return next;
}

void GemmEmitter::emitTile(int64_t rows, int64_t vectors, int64_t active,
                           GemmMatrix a, GemmMatrix bPanel, Destination target,
                           FlatIndex depth, Extent depthSize) {
  const GemmMatrix &c = target.c;
  auto cAt = [&](int64_t r, int64_t v) {
    return c.at.plus(r * c.row + v * plan.lanes);
  };
  SmallVector<Value> zeros;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      zeros.push_back(mem.constant(b.getZeroAttr(
          VectorType::get(lanesOf(v, vectors, active), problem.element))));
  auto begin = [&](ValueRange) { return zeros; };
  auto end = [&](ValueRange sums, ValueRange partial) {
    return addSums(b, loc, sums, partial);
  };
  auto step = [&](FlatIndex at, ValueRange values) {
    return tileStep(rows, vectors, active, a, bPanel, at,
                    SmallVector<Value>(values));
  };
  if (plan.prefetchC)
    for (int64_t r = 0; r < rows; ++r)
      askFor(c.flat, cAt(r, 0), vectors, /*isWrite=*/true);
  int64_t most = depthSize.value ? plan.depthBlock : depthSize.known;
  SmallVector<Value> accumulators = emitSumLoop(
      b, loc, mem, planSum(most, 1, tileChains(shape.elementBits, most)), 1,
      depthSize.value, zeros, {begin, end, step});

  auto store = [&](bool add) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v) {
        int64_t used = v + 1 == vectors ? active : plan.lanes;
        Value value = accumulators[r * vectors + v];
        if (add) {
          Value old = mem.loadVector(problem.element, c.flat, cAt(r, v), 1,
                                     lanesOf(v, vectors, active), used);
          value = arith::AddFOp::create(b, loc, old, value);
        }
        mem.storeVector(value, c.flat, cAt(r, v), 1, used);
      }
  };
  // Only the first block of k may ignore what C holds.
  if (target.accumulate || !depth.var) {
    store(target.accumulate || depth.constant != 0);
    return;
  }
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        depth.var, mem.constant(0));
  scf::IfOp::create(
      b, loc, isFirst,
      [&](OpBuilder &, Location) {
        store(/*add=*/false);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        store(/*add=*/true);
        scf::YieldOp::create(b, loc);
      });
}

/// Runs the epilogue on some rows of a block of columns, where their last block
/// of k has been added.
void GemmEmitter::emitEpilogue(const ColumnBlock &block, FlatIndex row,
                               Extent rows, const GemmMatrix &finished,
                               FlatIndex depth) {
  if (!problem.epilogue)
    return;
  int64_t last =
      (llvm::divideCeil(shape.k, plan.depthBlock) - 1) * plan.depthBlock;
  int64_t width = block.vectors * plan.lanes;
  Value apart = problem.keepsC ? Value() : finished.flat;
  auto emitRows = [&] {
    loop(rows, 1, [&](FlatIndex r) {
      loop(block.panels, 1, [&](FlatIndex j) {
        FlatIndex column = mem.advance({}, j, width);
        problem.epilogue->emit({mem.advance(row, r, 1),
                                mem.advance(block.column, j, width),
                                block.vectors, block.active, apart,
                                moved(finished, r, column).at});
      });
    });
  };
  if (!depth.var) {
    if (depth.constant == last)
      emitRows();
    return;
  }
  Value isLast =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                            mem.materialize(depth), mem.constant(last));
  scf::IfOp::create(b, loc, isLast, [&](OpBuilder &, Location) {
    emitRows();
    scf::YieldOp::create(b, loc);
  });
}

GemmBuffers cellgrad::allocateGemmBuffers(OpBuilder &b, Location loc,
                                          const GemmShape &shape,
                                          const GemmPlan &plan, Type element) {
  auto allocate = [&](bool needed, int64_t size) -> Value {
    if (!needed)
      return {};
    return memref::AllocOp::create(b, loc, MemRefType::get({size}, element));
  };
  int64_t depth = llvm::alignTo(shape.k, plan.depthBlock);
  int64_t rows = llvm::alignDown(shape.m, plan.tileRows);
  return {allocate(plan.packA, plan.columnItems
                                   ? rows * depth
                                   : plan.rowBlock * plan.depthBlock),
          allocate(plan.packB && !plan.columnItems && !plan.depthItems,
                   plan.columnBlock * plan.depthBlock)};
}

void cellgrad::emitGemm(OpBuilder &b, Location loc, const GemmProblem &problem,
                        const GemmPlan &plan, const GemmBuffers &buffers) {
  GemmEmitter(b, loc, problem, plan, buffers).emit();
}
