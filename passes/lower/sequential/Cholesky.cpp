//===- Cholesky.cpp - Cholesky factors and triangular solves as loops -----===//

#include "passes/lower/sequential/MatrixLoops.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace cellgrad;

/// Column j of what is left.
static SmallVector<Value> eliminate(MatrixLoops &m, Value j,
                                    ValueRange carried) {
  auto type = cast<RankedTensorType>(carried[0].getType());
  Type element = type.getElementType();
  Value zero = m.number(element, 0);
  Value square = m.element(carried[0], {j, j});
  Value positive = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::OGT,
                                         square, zero);
  Value root = math::SqrtOp::create(m.b, m.loc, square);
  Value column =
      m.vector(m.column(carried[0], j), type.getDimSize(0), element,
               [&](ArrayRef<Value> at, ValueRange values) {
                 Value below =
                     arith::DivFOp::create(m.b, m.loc, values[0], root);
                 Value kept = m.select(m.equal(at[0], j), root, zero);
                 return m.select(m.less(j, at[0]), below, kept);
               });
  Value next =
      m.update(carried[0], {column, column}, {0, 1},
               [&](ArrayRef<Value> at, ValueRange values) {
                 Value rest = m.minusProduct(values[2], values[0], values[1]);
                 Value done = m.select(m.equal(at[1], j), values[0], values[2]);
                 return m.select(m.less(j, at[1]), rest, done);
               });
  return {next, arith::AndIOp::create(m.b, m.loc, carried[1], positive)};
}

static Value factorize(MatrixLoops &m, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  int64_t n = type.getDimSize(0);
  Type element = type.getElementType();
  Value ok = arith::ConstantOp::create(m.b, m.loc, m.b.getBoolAttr(true));
  m.shrink(n, [&](int64_t begin, int64_t count) {
    Value rest = m.block(matrix, begin, n - begin, begin, n - begin);
    SmallVector<Value> done =
        m.loop(count, true, {rest, ok}, [&](Value j, ValueRange carried) {
          return eliminate(m, j, carried);
        });
    matrix = m.setBlock(matrix, done[0], begin, begin);
    ok = done[1];
  });
  Value zero = m.number(element, 0);
  Value nan = m.number(element, std::numeric_limits<double>::quiet_NaN());
  return m.update(matrix, {}, {}, [&](ArrayRef<Value> at, ValueRange values) {
    Value kept = m.select(ok, values[0], nan);
    return m.select(m.less(at[0], at[1]), zero, kept);
  });
}

/// Column by column; each is subtracted, times itself, from all that follow.
/// What this leaves above the diagonal is never read, and cleared at the end.
LogicalResult cellgrad::lower(CholeskyOp op, PatternRewriter &rewriter) {
  MatrixLoops m(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Value> results =
      m.forEachMatrix({}, op.getX(), type.getRank() - 2,
                      [&](ValueRange, ValueRange inits) -> SmallVector<Value> {
                        return {factorize(m, inits[0])};
                      });
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult cellgrad::lower(TriangularSolveOp op, PatternRewriter &rewriter) {
  MatrixLoops m(rewriter, op.getLoc());
  auto type = cast<RankedTensorType>(op.getType());
  bool forward = op.getLower() != op.getTranspose();
  SmallVector<Value> results = m.forEachMatrix(
      op.getA(), op.getB(), type.getRank() - 2,
      [&](ValueRange inputs, ValueRange inits) -> SmallVector<Value> {
        return {m.substitute(inputs[0], inits[0], forward, op.getTranspose(),
                             op.getUnitDiagonal())};
      });
  rewriter.replaceOp(op, results);
  return success();
}
