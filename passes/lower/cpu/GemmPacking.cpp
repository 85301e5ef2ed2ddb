//===- GemmPacking.cpp - operands of a product as panels ------------------===//
//
// Packed A is [panel][depthBlock][tileRows], so that what a step of k reads
// lies together. Packed B is [panel][depthBlock][tile columns], with zeros
// beyond the last column.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/GemmLoops.h"

#include "passes/lower/cpu/VectorTranspose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cellgrad;

/// Runs `body` for squares of `lanes` steps of k in a block that starts at
/// `depth`; the last one of all may have fewer.
void GemmEmitter::forEachSquare(
    Extent depthSize, function_ref<void(FlatIndex p, int64_t count)> body) {
  int64_t lanes = plan.lanes;
  if (!depthSize.value) {
    int64_t full = llvm::alignDown(depthSize.known, lanes);
    loop({full, {}}, lanes, [&](FlatIndex p) { body(p, lanes); });
    if (full < depthSize.known)
      body(known(full), depthSize.known - full);
    return;
  }
  Value full =
      arith::AndIOp::create(b, loc, depthSize.value, mem.constant(-lanes));
  loop({0, full}, lanes, [&](FlatIndex p) { body(p, lanes); });
  int64_t ragged = shape.k % plan.depthBlock % lanes;
  if (ragged == 0)
    return;
  Value isRagged = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, full,
                                         depthSize.value);
  scf::IfOp::create(b, loc, isRagged, [&](OpBuilder &, Location) {
    body({full, 0}, ragged);
    scf::YieldOp::create(b, loc);
  });
}

/// Turns `used` rows of `count` columns: column k goes to row k of `to`, where
/// `stored` elements of it are written, those beyond `used` as zeros.
void GemmEmitter::packSquare(const GemmMatrix &from, int64_t used,
                             int64_t count, const GemmMatrix &to,
                             int64_t stored) {
  SmallVector<Value> square;
  for (int64_t r = 0; r < plan.lanes; ++r)
    square.push_back(r < used ? mem.loadVector(problem.element, from.flat,
                                               from.at.plus(r * from.row),
                                               from.column, plan.lanes, count)
                              : zero());
  transposeSquare(b, loc, square);
  for (int64_t k = 0; k < count; ++k)
    mem.storeVector(square[k], to.flat, to.at.plus(k * to.row), 1, stored);
}

/// As packSquare for all rows of a panel of A, a power of two: vectors hold
/// several steps of k. In each stage the first half of all elements alternates
/// with the second, which moves the bits of a row's number behind those of k.
void GemmEmitter::packInterleaved(const GemmMatrix &from, int64_t count,
                                  const GemmMatrix &to) {
  int64_t rows = plan.tileRows, lanes = plan.lanes;
  SmallVector<Value> vectors;
  for (int64_t r = 0; r < rows; ++r)
    vectors.push_back(mem.loadVector(problem.element, from.flat,
                                     from.at.plus(r * from.row), from.column,
                                     lanes, count));
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes; ++i) {
    low.push_back(i / 2 + i % 2 * lanes);
    high.push_back(low.back() + lanes / 2);
  }
  for (int64_t stage = 1; stage < rows; stage *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < rows / 2; ++i)
      for (ArrayRef<int64_t> half : {low, high})
        next.push_back(vector::ShuffleOp::create(b, loc, vectors[i],
                                                 vectors[i + rows / 2], half));
    vectors = next;
  }
  for (auto [i, value] : llvm::enumerate(vectors)) {
    int64_t first = i * lanes;
    if (first < count * rows)
      mem.storeVector(value, to.flat, to.at.plus(first), 1,
                      std::min(lanes, count * rows - first));
  }
}

/// All panels of A, of one block of k after another.
void GemmEmitter::packWholeA() {
  int64_t rows = plan.tileRows, panels = shape.m / rows;
  double bytes = double(panels) * rows * shape.k * shape.elementBits / 8;
  items({panels, {}}, bytes * 2 / 10, [&](FlatIndex i) {
    FlatIndex row = mem.advance({}, i, rows);
    loop({shape.k, problem.depth}, plan.depthBlock, [&](FlatIndex depth) {
      FlatIndex at = mem.advance(mem.advance({}, depth, panels * rows), row,
                                 plan.depthBlock);
      packA(buffers.a, at, row, {1, {}}, depth, sizeOfDepth(depth));
    });
  });
}

void GemmEmitter::packA(Value packed, FlatIndex at, FlatIndex row,
                        Extent panels, FlatIndex depth, Extent depthSize) {
  int64_t rows = plan.tileRows, panelSize = rows * plan.depthBlock;
  GemmMatrix source = moved(problem.a, row, depth);
  if (shape.aRow != 1) {
    loop(panels, 1, [&](FlatIndex i) {
      GemmMatrix panel = source;
      panel.at = mem.advance(source.at, i, rows * shape.aRow);
      GemmMatrix target{packed, mem.advance(at, i, panelSize), rows, 1};
      forEachSquare(depthSize, [&](FlatIndex p, int64_t count) {
        if (llvm::isPowerOf2_64(rows) && rows <= plan.lanes)
          return packInterleaved(moved(panel, known(0), p), count,
                                 moved(target, p, known(0)));
        for (int64_t first = 0; first < rows; first += plan.lanes) {
          int64_t used = std::min(plan.lanes, rows - first);
          packSquare(moved(panel, known(first), p), used, count,
                     moved(target, p, known(first)), used);
        }
      });
    });
    return;
  }
  loop(depthSize, 1, [&](FlatIndex p) {
    FlatIndex from = mem.advance(source.at, p, shape.aColumn);
    FlatIndex to = mem.advance(at, p, rows);
    loop(panels, 1, [&](FlatIndex i) {
      for (int64_t r = 0; r < rows; r += plan.lanes) {
        int64_t active = std::min(plan.lanes, rows - r);
        Value value = mem.loadVector(problem.element, source.flat,
                                     mem.advance(from, i, rows).plus(r), 1,
                                     plan.lanes, active);
        mem.storeVector(value, packed, mem.advance(to, i, panelSize).plus(r), 1,
                        active);
      }
    });
  });
}

void GemmEmitter::packB(FlatIndex column, Extent panels, int64_t vectors,
                        int64_t active, FlatIndex depth, Extent depthSize) {
  int64_t width = vectors * plan.lanes;
  GemmMatrix source = moved(problem.b, depth, column);
  auto copy = [&](FlatIndex p, FlatIndex j) {
    FlatIndex from =
        mem.advance(mem.advance(source.at, p, shape.bRow), j, width);
    FlatIndex to =
        mem.advance(mem.advance({}, p, width), j, plan.depthBlock * width);
    for (int64_t v = 0; v < vectors; ++v) {
      Value value = mem.loadVector(problem.element, source.flat,
                                   from.plus(v * plan.lanes), 1, plan.lanes,
                                   v + 1 == vectors ? active : plan.lanes);
      mem.storeVector(value, buffers.b, to.plus(v * plan.lanes), 1, plan.lanes);
    }
  };
  if (problem.inItems && !isInItem) // panels are apart, rows of B are not
    return items(panels, packingTime(panels, width), [&](FlatIndex j) {
      loop(depthSize, 1, [&](FlatIndex p) { copy(p, j); });
    });
  loop(depthSize, 1,
       [&](FlatIndex p) { loop(panels, 1, [&](FlatIndex j) { copy(p, j); }); });
}

void GemmEmitter::packBTransposed(FlatIndex column, Extent panels,
                                  int64_t vectors, int64_t active,
                                  FlatIndex depth, Extent depthSize) {
  int64_t lanes = plan.lanes, width = vectors * lanes;
  GemmMatrix source = moved(problem.b, depth, column);
  items(panels, packingTime(panels, width), [&](FlatIndex j) {
    FlatIndex from = mem.advance(source.at, j, width * shape.bColumn);
    FlatIndex to = mem.advance({}, j, plan.depthBlock * width);
    // Moves `count` steps of k, from `p` on, of `used` columns from `v` on.
    auto block = [&](FlatIndex p, FlatIndex v, int64_t used, int64_t count) {
      FlatIndex at =
          mem.advance(mem.advance(from, p, shape.bRow), v, shape.bColumn);
      FlatIndex target = mem.advance(mem.advance(to, p, width), v, 1);
      packSquare({source.flat, at, shape.bColumn, shape.bRow}, used, count,
                 {buffers.b, target, width, 1}, lanes);
    };
    // The vectors are a loop: a block is several hundred instructions.
    auto square = [&](FlatIndex p, int64_t count) {
      int64_t whole = active == lanes ? width : width - lanes;
      if (whole == lanes)
        block(p, {}, lanes, count);
      else if (whole > 0)
        loop({whole, {}}, lanes,
             [&](FlatIndex v) { block(p, v, lanes, count); });
      if (whole < width)
        block(p, known(whole), active, count);
    };
    forEachSquare(depthSize, square);
  });
}
