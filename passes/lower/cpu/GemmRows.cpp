//===- GemmRows.cpp - products of as many rows as there are ---------------===//
//
// How many rows of A there are is known when the code runs. Blocks of them are
// cut into register tiles; what is left over of the last into tiles of half as
// many rows, a quarter, and so on, each at most once. A panel of B passes by
// all rows of a block while it is in a cache.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/GemmLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

/// Of more rows there is not a tile for each number.
static constexpr int64_t kMostExact = 8;

void GemmEmitter::emitOpenRows(const ColumnBlock &block,
                               const GemmMatrix &panelsOfB, int64_t panelOfB,
                               FlatIndex depth, Extent depthSize,
                               const Destination &target) {
  int64_t width = block.vectors * plan.lanes;
  auto emitBlock = [&](FlatIndex first, Value count) {
    loop(block.panels, 1, [&](FlatIndex j) {
      GemmMatrix panelB = panelsOfB;
      panelB.at = mem.advance(panelB.at, j, panelOfB);
      auto emitAt = [&](int64_t rows, FlatIndex row) {
        GemmMatrix tileC = moved(moved(target.c, first, {}), row, {});
        tileC.at = mem.advance(tileC.at, j, width);
        emitTile(rows, block.vectors, block.active,
                 moved(moved(problem.a, first, depth), row, {}), panelB,
                 {tileC, target.accumulate}, depth, depthSize);
      };
      Value whole =
          arith::DivUIOp::create(b, loc, count, mem.constant(plan.tileRows));
      loop({0, whole}, 1, [&](FlatIndex i) {
        emitAt(plan.tileRows, mem.advance({}, i, plan.tileRows));
      });
      auto emitIf = [&](arith::CmpIPredicate predicate, int64_t rows,
                        Value left) {
        Value some =
            arith::CmpIOp::create(b, loc, predicate, left, mem.constant(rows));
        scf::IfOp::create(b, loc, some, [&](OpBuilder &, Location) {
          emitAt(rows, {arith::SubIOp::create(b, loc, count, left), 0});
          scf::YieldOp::create(b, loc);
        });
      };
      auto leftOf = [&](int64_t unit) -> Value {
        return arith::AndIOp::create(b, loc, count, mem.constant(unit - 1));
      };
      int64_t last = plan.tileRows;
      for (int64_t most = problem.fewRows ? kMostExact : 1; last > most;
           last /= 2)
        emitIf(arith::CmpIPredicate::uge, last / 2, leftOf(last));
      for (int64_t rows = 1; rows < last; ++rows)
        emitIf(arith::CmpIPredicate::eq, rows, leftOf(last));
    });
  };
  Value all = problem.rows;
  if (problem.mostRows <= plan.rowBlock)
    return emitBlock({}, all);
  Value size = mem.constant(plan.rowBlock);
  Value blocks = arith::CeilDivUIOp::create(b, loc, all, size);
  GemmShape usual = shape;
  usual.n = block.panels.value ? plan.columnBlock : block.panels.known * width;
  usual.k = std::min(plan.depthBlock, shape.k);
  items({0, blocks}, estimateNanoseconds(usual, problem.element),
        [&](FlatIndex item) {
          FlatIndex first = mem.advance({}, item, plan.rowBlock);
          Value left =
              arith::SubIOp::create(b, loc, all, mem.materialize(first));
          emitBlock(first, arith::MinUIOp::create(b, loc, left, size));
        });
}
