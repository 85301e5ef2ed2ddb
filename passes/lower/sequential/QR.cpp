//===- QR.cpp - QR factors by Householder reflections ---------------------===//

#include "passes/lower/sequential/QR.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace cellgrad;

namespace {

bool isEmpty(Type type) {
  return cast<RankedTensorType>(type).getNumElements() == 0;
}

/// One Householder reflection I - tau v v^T that makes a multiple of a unit
/// vector of a column.
struct Reflection {
  Value v, tau;
  /// What the column becomes on the diagonal.
  Value diagonal;
};

/// The reflection for elements j and below of `column`. Scaled by the largest
/// element, so that no square overflows.
Reflection reflect(MatrixLoops &m, Value column, Value j) {
  auto type = cast<RankedTensorType>(column.getType());
  Type element = type.getElementType();
  Value zero = m.number(element, 0), one = m.number(element, 1);
  auto below = [&](ArrayRef<Value> at, Value value) {
    return m.select(m.less(j, at[0]), value, zero);
  };
  Value rest =
      m.reduce(column, 0, [&](ArrayRef<Value> at, ValueRange values) -> Value {
        Value size = math::AbsFOp::create(m.b, m.loc, below(at, values[0]));
        return arith::MaximumFOp::create(m.b, m.loc, size, values[1]);
      });
  Value first = m.element(column, j);
  Value firstSize = math::AbsFOp::create(m.b, m.loc, first);
  Value largest = arith::MaximumFOp::create(m.b, m.loc, rest, firstSize);
  Value isZero =
      arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::OEQ, rest, zero);
  Value scale = m.select(isZero, one, largest);
  auto squared = [&](Value x) -> Value {
    Value scaled = arith::DivFOp::create(m.b, m.loc, x, scale);
    return arith::MulFOp::create(m.b, m.loc, scaled, scaled);
  };
  Value sum =
      m.reduce(column, 0, [&](ArrayRef<Value> at, ValueRange values) -> Value {
        Value square = squared(below(at, values[0]));
        return arith::AddFOp::create(m.b, m.loc, square, values[1]);
      });
  sum = arith::AddFOp::create(m.b, m.loc, sum, squared(first));
  Value norm = arith::MulFOp::create(m.b, m.loc, scale,
                                     math::SqrtOp::create(m.b, m.loc, sum));
  // The sign that does not cancel.
  Value signedNorm = math::CopySignOp::create(m.b, m.loc, norm, first);
  Value minusNorm = arith::NegFOp::create(m.b, m.loc, signedNorm);
  Value divisor = m.select(isZero, one,
                           arith::SubFOp::create(m.b, m.loc, first, minusNorm));
  Reflection result;
  result.diagonal = m.select(isZero, first, minusNorm);
  Value tau = arith::DivFOp::create(
      m.b, m.loc, arith::SubFOp::create(m.b, m.loc, minusNorm, first),
      minusNorm);
  result.tau = m.select(isZero, zero, tau);
  result.v = m.vector(column, type.getDimSize(0), element,
                      [&](ArrayRef<Value> at, ValueRange values) {
                        Value ratio = arith::DivFOp::create(m.b, m.loc,
                                                            values[0], divisor);
                        Value top = m.select(m.equal(at[0], j), one, zero);
                        return m.select(m.less(j, at[0]), ratio, top);
                      });
  return result;
}

/// tau v^T matrix.
Value projection(MatrixLoops &m, Value v, Value tau, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  return m.vector(m.product(v, matrix), type.getDimSize(1),
                  type.getElementType(),
                  [&](ArrayRef<Value>, ValueRange values) -> Value {
                    return arith::MulFOp::create(m.b, m.loc, values[0], tau);
                  });
}

/// Replaces {x, v, tau} by r over zeros, and the reflections that give it.
SmallVector<Value> triangularize(MatrixLoops &m, ValueRange inits) {
  auto type = cast<RankedTensorType>(inits[0].getType());
  Value zero = m.number(type.getElementType(), 0);
  int64_t count = std::min(type.getDimSize(0), type.getDimSize(1));
  return m.loop(
      count, true, inits,
      [&](Value j, ValueRange carried) -> SmallVector<Value> {
        Reflection h = reflect(m, m.column(carried[0], j), j);
        Value w = projection(m, h.v, h.tau, carried[0]);
        Value matrix = m.update(
            carried[0], {h.v, w}, {0, 1},
            [&](ArrayRef<Value> at, ValueRange values) {
              Value rest = m.minusProduct(values[2], values[0], values[1]);
              Value below = m.select(m.equal(at[0], j), h.diagonal, zero);
              Value done = m.select(m.equal(at[1], j), below, values[2]);
              Value active = m.select(m.less(j, at[1]), rest, done);
              return m.select(m.less(at[0], j), values[2], active);
            });
        return {matrix, m.setRow(carried[1], h.v, j),
                m.setElement(carried[2], h.tau, j)};
      });
}

/// The first columns of the product of all reflections.
Value orthogonal(MatrixLoops &m, Value identity, Value v, Value tau) {
  int64_t count = cast<RankedTensorType>(tau.getType()).getDimSize(0);
  return m.loop(
      count, false, identity,
      [&](Value j, ValueRange carried) -> SmallVector<Value> {
        Value vector = m.row(v, j);
        Value w = projection(m, vector, m.element(tau, j), carried[0]);
        return {m.update(carried[0], {vector, w}, {0, 1},
                         [&](ArrayRef<Value> at, ValueRange values) {
                           Value rest =
                               m.minusProduct(values[2], values[0], values[1]);
                           Value active =
                               m.select(m.less(at[0], j), values[2], rest);
                           return m.select(m.less(at[1], j), values[2], active);
                         })};
      })[0];
}

/// Reflections together: H = I - V^T S^T V for the rows v of V.
struct Reflections {
  Value v, s;
};

/// Row i of S, which is lower triangular, from those above:
/// s_i = tau_i (e_i - (V v_i)^T S).
Reflections aggregate(MatrixLoops &m, Value v, Value tau) {
  auto type = cast<RankedTensorType>(v.getType());
  Type element = type.getElementType();
  int64_t count = type.getDimSize(0);
  Value zero = m.number(element, 0), one = m.number(element, 1);
  Value angles = m.matmul(v, v, /*transposeA=*/false, /*transposeB=*/true);
  Value none = filledTensor(m.b, m.loc, type.clone({count, count}),
                            m.b.getFloatAttr(element, 0));
  auto step = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value before =
        m.vector(m.row(angles, i), count, element,
                 [&](ArrayRef<Value> at, ValueRange values) {
                   return m.select(m.less(at[0], i), values[0], zero);
                 });
    Value scale = m.element(tau, i);
    Value row =
        m.vector(m.product(before, carried[0]), count, element,
                 [&](ArrayRef<Value> at, ValueRange values) -> Value {
                   Value unit = m.select(m.equal(at[0], i), one, zero);
                   Value rest =
                       arith::SubFOp::create(m.b, m.loc, unit, values[0]);
                   return arith::MulFOp::create(m.b, m.loc, rest, scale);
                 });
    return {m.setRow(carried[0], row, i)};
  };
  return {v, m.loop(count, true, none, step)[0]};
}

/// x - V^T S V x, or with S^T.
Value apply(MatrixLoops &m, Reflections h, Value x, bool transposed) {
  Value inner = m.matmul(h.s, m.matmul(h.v, x), transposed);
  return m.minus(x, m.matmul(h.v, inner, /*transposeA=*/true));
}

std::pair<Value, Value> emptyReflections(MatrixLoops &m, RankedTensorType type,
                                         int64_t count, int64_t rows) {
  return {emptyTensor(m.b, m.loc, type.clone({count, rows})),
          emptyTensor(m.b, m.loc, type.clone({count}))};
}

/// One reflection after the other.
SmallVector<Value> factorizeSmall(MatrixLoops &m, Value x, Value q) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0);
  int64_t count = std::min(rows, type.getDimSize(1));
  auto [v, tau] = emptyReflections(m, type, count, rows);
  SmallVector<Value> done = triangularize(m, {x, v, tau});
  return {orthogonal(m, q, done[1], done[2]), done[0]};
}

/// Blocks of columns, unrolled as all sizes are known: what is right of one
/// is reflected by products of matrices, and so is q, from the last block to
/// the first.
SmallVector<Value> factorizeLarge(MatrixLoops &m, Value x, Value q) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t count = std::min(rows, columns);
  int64_t width = blockWidth(count);
  SmallVector<Reflections> blocks;
  for (int64_t begin = 0; begin < count; begin += width) {
    int64_t some = std::min(width, count - begin), end = begin + some;
    auto [v, tau] = emptyReflections(m, type, some, rows - begin);
    Value panel = m.block(x, begin, rows - begin, begin, some);
    SmallVector<Value> done = triangularize(m, {panel, v, tau});
    x = m.setBlock(x, done[0], begin, begin);
    blocks.push_back(aggregate(m, done[1], done[2]));
    if (end == columns)
      break;
    Value rest = m.block(x, begin, rows - begin, end, columns - end);
    x = m.setBlock(x, apply(m, blocks.back(), rest, /*transposed=*/false),
                   begin, end);
  }
  int64_t inner = cast<RankedTensorType>(q.getType()).getDimSize(1);
  for (int64_t i = blocks.size() - 1; i >= 0; --i) {
    int64_t begin = i * width;
    Value rest = m.block(q, begin, rows - begin, begin, inner - begin);
    q = m.setBlock(q, apply(m, blocks[i], rest, /*transposed=*/true), begin,
                   begin);
  }
  return {q, x};
}

} // namespace

SmallVector<Value> cellgrad::factorizeQR(MatrixLoops &m, Value x,
                                         ValueRange inits) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t columns = type.getDimSize(1);
  Value q = m.unitMatrix(inits[0]);
  SmallVector<Value> done = std::min(type.getDimSize(0), columns) <= 64
                                ? factorizeSmall(m, x, q)
                                : factorizeLarge(m, x, q);
  int64_t inner = cast<RankedTensorType>(inits[1].getType()).getDimSize(0);
  done[1] = m.block(done[1], 0, inner, 0, columns);
  return done;
}

LogicalResult cellgrad::lower(QROp op, PatternRewriter &rewriter) {
  MatrixLoops m(rewriter, op.getLoc());
  RankedTensorType type = op.getX().getType();
  Value q = emptyTensor(rewriter, op.getLoc(), op.getQ().getType());
  Value r = emptyTensor(rewriter, op.getLoc(), op.getR().getType());
  if (isEmpty(type)) {
    // A complete q of no columns has something in it all the same.
    rewriter.replaceOp(op, {isEmpty(q.getType()) ? q : m.unitMatrix(q), r});
    return success();
  }
  rewriter.replaceOp(op,
                     m.forEachMatrix(op.getX(), {q, r}, type.getRank() - 2,
                                     [&](ValueRange inputs, ValueRange inits) {
                                       return factorizeQR(m, inputs[0], inits);
                                     }));
  return success();
}
