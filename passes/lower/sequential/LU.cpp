//===- LU.cpp - LU factors by blocks of columns ---------------------------===//

#include "passes/lower/sequential/MatrixLoops.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace cellgrad;

//===----------------------------------------------------------------------===//
// swap_rows
//===----------------------------------------------------------------------===//

LogicalResult cellgrad::lower(SwapRowsOp op, PatternRewriter &rewriter) {
  MatrixLoops m(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  int64_t rows = type.getDimSize(type.getRank() - 2);
  int64_t count =
      cast<RankedTensorType>(op.getPivots().getType()).getShape().back();
  auto swap = [&](ValueRange inputs, ValueRange inits) {
    return m.loop(
        count, !op.getInverse(), inits,
        [&](Value i, ValueRange carried) -> SmallVector<Value> {
          Value pivot = arith::IndexCastOp::create(rewriter, m.loc,
                                                   rewriter.getIndexType(),
                                                   m.element(inputs[0], i));
          pivot = arith::MaxSIOp::create(rewriter, m.loc, pivot, m.index(0));
          pivot =
              arith::MinSIOp::create(rewriter, m.loc, pivot, m.index(rows - 1));
          return {m.swapRows(carried[0], i, pivot)};
        });
  };
  rewriter.replaceOp(
      op, m.forEachMatrix(op.getPivots(), op.getX(), type.getRank() - 2, swap));
  return success();
}

//===----------------------------------------------------------------------===//
// lu
//===----------------------------------------------------------------------===//

/// The row from j on with the largest magnitude in column j.
static Value findPivot(MatrixLoops &m, Value matrix, Value j) {
  auto magnitude = [&](Value i) -> Value {
    return math::AbsFOp::create(m.b, m.loc, m.element(matrix, {i, j}));
  };
  int64_t n = cast<RankedTensorType>(matrix.getType()).getDimSize(0);
  Value next = arith::AddIOp::create(m.b, m.loc, j, m.index(1));
  return m.loop(next, m.index(n), {j, magnitude(j)},
                [&](Value i, ValueRange best) -> SmallVector<Value> {
                  Value here = magnitude(i);
                  Value larger = arith::CmpFOp::create(
                      m.b, m.loc, arith::CmpFPredicate::OGT, here, best[1]);
                  return {m.select(larger, i, best[0]),
                          m.select(larger, here, best[1])};
                })[0];
}

/// Columns [begin, begin + width), one by one: the pivot is exchanged into
/// its place, and its row times the column below it subtracted from what
/// follows in these columns.
static SmallVector<Value> eliminate(MatrixLoops &m, ValueRange inits,
                                    int64_t begin, int64_t width) {
  auto type = cast<RankedTensorType>(inits[0].getType());
  int64_t rows = type.getDimSize(0) - begin;
  Type element = type.getElementType();
  auto step = [&](Value j, ValueRange carried) -> SmallVector<Value> {
    Value position = arith::AddIOp::create(m.b, m.loc, j, m.index(begin));
    Value found = findPivot(m, carried[0], position);
    Value number =
        arith::IndexCastOp::create(m.b, m.loc, m.b.getI32Type(), found);
    Value pivots = m.setElement(carried[1], number, position);
    Value matrix = m.swapRows(carried[0], position, found);

    Value panel = m.block(matrix, begin, rows, begin, width);
    Value pivot = m.element(panel, {j, j});
    Value divides = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::UNE,
                                          pivot, m.number(element, 0));
    Value divisor = m.select(divides, pivot, m.number(element, 1));
    Value column =
        m.vector(m.column(panel, j), rows, element,
                 [&](ArrayRef<Value>, ValueRange values) -> Value {
                   return arith::DivFOp::create(m.b, m.loc, values[0], divisor);
                 });
    Value row = m.row(panel, j);
    panel = m.update(panel, {column, row}, {0, 1},
                     [&](ArrayRef<Value> at, ValueRange values) {
                       Value rest =
                           m.minusProduct(values[2], values[0], values[1]);
                       Value done =
                           m.select(m.equal(at[1], j), values[0], values[2]);
                       Value below = m.select(m.less(j, at[1]), rest, done);
                       return m.select(m.less(j, at[0]), below, values[2]);
                     });
    return {m.setBlock(matrix, panel, begin, begin), pivots};
  };
  return m.loop(width, true, inits, step);
}

/// Blocks of columns, unrolled as all sizes are known: what is right of one
/// is updated by a triangular solve and a product of matrices.
static SmallVector<Value> factorize(MatrixLoops &m, ValueRange inits) {
  int64_t n = cast<RankedTensorType>(inits[0].getType()).getDimSize(0);
  int64_t width = n <= 32 ? n : blockWidth(n);
  SmallVector<Value> state(inits);
  for (int64_t begin = 0; begin < n; begin += width) {
    int64_t end = std::min(begin + width, n), count = end - begin;
    state = eliminate(m, state, begin, count);
    if (end == n)
      break;
    Value matrix = state[0];
    Value lower = m.copy(m.block(matrix, begin, count, begin, count));
    Value upper = m.substitute(
        lower, m.block(matrix, begin, count, end, n - end), /*forward=*/true,
        /*transposed=*/false, /*unitDiagonal=*/true);
    matrix = m.setBlock(matrix, upper, begin, end);
    Value product = m.matmul(m.block(matrix, end, n - end, begin, count),
                             m.block(matrix, begin, count, end, n - end));
    Value rest = m.minus(m.block(matrix, end, n - end, end, n - end), product);
    state[0] = m.setBlock(matrix, rest, end, end);
  }
  return state;
}

LogicalResult cellgrad::lower(LUOp op, PatternRewriter &rewriter) {
  MatrixLoops m(rewriter, op.getLoc());
  Type pivotType = op.getPivots().getType();
  Value pivots = emptyTensor(rewriter, op.getLoc(), pivotType);
  if (cast<RankedTensorType>(pivotType).getNumElements() == 0) {
    Value packed = emptyTensor(rewriter, op.getLoc(), op.getPacked().getType());
    rewriter.replaceOp(op, {packed, pivots});
    return success();
  }
  rewriter.replaceOp(
      op, m.forEachMatrix({}, {op.getX(), pivots},
                          cast<RankedTensorType>(pivotType).getRank() - 1,
                          [&](ValueRange, ValueRange inits) {
                            return factorize(m, inits);
                          }));
  return success();
}
