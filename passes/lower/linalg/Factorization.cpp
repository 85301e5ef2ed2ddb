//===- Factorization.cpp - LU and QR factors as loops ---------------------===//

#include "passes/lower/linalg/MatrixLoops.h"
#include "passes/lower/linalg/Patterns.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Nothing to do for matrices without elements, and no legal loops.
bool isEmpty(Type type) {
  return cast<RankedTensorType>(type).getNumElements() == 0;
}

//===----------------------------------------------------------------------===//
// swap_rows
//===----------------------------------------------------------------------===//

struct SwapRowsLowering : OpRewritePattern<SwapRowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SwapRowsOp op,
                                PatternRewriter &rewriter) const override {
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
            pivot = arith::MinSIOp::create(rewriter, m.loc, pivot,
                                           m.index(rows - 1));
            return {m.swapRows(carried[0], i, pivot)};
          });
    };
    rewriter.replaceOp(op, m.forEachMatrix(op.getPivots(), op.getX(),
                                           type.getRank() - 2, swap));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// lu
//===----------------------------------------------------------------------===//

struct LULowering : OpRewritePattern<LUOp> {
  using OpRewritePattern::OpRewritePattern;

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

  /// Column by column: the pivot is exchanged into its place, and its row times
  /// the column below it subtracted from what follows.
  static SmallVector<Value> factorize(MatrixLoops &m, ValueRange inits) {
    auto type = cast<RankedTensorType>(inits[0].getType());
    int64_t n = type.getDimSize(0);
    Type element = type.getElementType();
    return m.loop(
        n, true, inits, [&](Value j, ValueRange carried) -> SmallVector<Value> {
          Value found = findPivot(m, carried[0], j);
          Value number =
              arith::IndexCastOp::create(m.b, m.loc, m.b.getI32Type(), found);
          Value pivots = m.setElement(carried[1], number, j);
          Value matrix = m.swapRows(carried[0], j, found);

          Value pivot = m.element(matrix, {j, j});
          Value divides =
              arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::UNE,
                                    pivot, m.number(element, 0));
          Value divisor = m.select(divides, pivot, m.number(element, 1));
          Value column = m.vector(
              m.column(matrix, j), n, element,
              [&](ArrayRef<Value>, ValueRange values) -> Value {
                return arith::DivFOp::create(m.b, m.loc, values[0], divisor);
              });
          Value row = m.row(matrix, j);
          matrix = m.update(
              matrix, {column, row}, {0, 1},
              [&](ArrayRef<Value> at, ValueRange values) {
                Value rest = m.minusProduct(values[2], values[0], values[1]);
                Value done = m.select(m.equal(at[1], j), values[0], values[2]);
                Value below = m.select(m.less(j, at[1]), rest, done);
                return m.select(m.less(j, at[0]), below, values[2]);
              });
          return {matrix, pivots};
        });
  }

  LogicalResult matchAndRewrite(LUOp op,
                                PatternRewriter &rewriter) const override {
    MatrixLoops m(rewriter, op.getLoc());
    Type pivotType = op.getPivots().getType();
    Value pivots = emptyTensor(rewriter, op.getLoc(), pivotType);
    if (isEmpty(pivotType)) {
      Value packed =
          emptyTensor(rewriter, op.getLoc(), op.getPacked().getType());
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
};

//===----------------------------------------------------------------------===//
// qr
//===----------------------------------------------------------------------===//

/// One Householder reflection I - tau v v^T that makes a multiple of a unit
/// vector of a column.
struct Reflection {
  Value v, tau;
  /// What the column becomes on the diagonal.
  Value diagonal;
};

struct QRLowering : OpRewritePattern<QROp> {
  using OpRewritePattern::OpRewritePattern;

  /// The reflection for elements j and below of `column`. Scaled by the largest
  /// element, so that no square overflows.
  static Reflection reflect(MatrixLoops &m, Value column, Value j) {
    auto type = cast<RankedTensorType>(column.getType());
    Type element = type.getElementType();
    Value zero = m.number(element, 0), one = m.number(element, 1);
    auto below = [&](ArrayRef<Value> at, Value value) {
      return m.select(m.less(j, at[0]), value, zero);
    };
    Value rest = m.reduce(
        column, 0, [&](ArrayRef<Value> at, ValueRange values) -> Value {
          Value size = math::AbsFOp::create(m.b, m.loc, below(at, values[0]));
          return arith::MaximumFOp::create(m.b, m.loc, size, values[1]);
        });
    Value first = m.element(column, j);
    Value firstSize = math::AbsFOp::create(m.b, m.loc, first);
    Value largest = arith::MaximumFOp::create(m.b, m.loc, rest, firstSize);
    Value isZero = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::OEQ,
                                         rest, zero);
    Value scale = m.select(isZero, one, largest);
    auto squared = [&](Value x) -> Value {
      Value scaled = arith::DivFOp::create(m.b, m.loc, x, scale);
      return arith::MulFOp::create(m.b, m.loc, scaled, scaled);
    };
    Value sum = m.reduce(
        column, 0, [&](ArrayRef<Value> at, ValueRange values) -> Value {
          Value square = squared(below(at, values[0]));
          return arith::AddFOp::create(m.b, m.loc, square, values[1]);
        });
    sum = arith::AddFOp::create(m.b, m.loc, sum, squared(first));
    Value norm = arith::MulFOp::create(m.b, m.loc, scale,
                                       math::SqrtOp::create(m.b, m.loc, sum));
    // The sign that does not cancel.
    Value signedNorm = math::CopySignOp::create(m.b, m.loc, norm, first);
    Value minusNorm = arith::NegFOp::create(m.b, m.loc, signedNorm);
    Value divisor = m.select(
        isZero, one, arith::SubFOp::create(m.b, m.loc, first, minusNorm));
    Reflection result;
    result.diagonal = m.select(isZero, first, minusNorm);
    Value tau = arith::DivFOp::create(
        m.b, m.loc, arith::SubFOp::create(m.b, m.loc, minusNorm, first),
        minusNorm);
    result.tau = m.select(isZero, zero, tau);
    result.v = m.vector(column, type.getDimSize(0), element,
                        [&](ArrayRef<Value> at, ValueRange values) {
                          Value ratio = arith::DivFOp::create(
                              m.b, m.loc, values[0], divisor);
                          Value top = m.select(m.equal(at[0], j), one, zero);
                          return m.select(m.less(j, at[0]), ratio, top);
                        });
    return result;
  }

  /// tau v^T matrix.
  static Value projection(MatrixLoops &m, Value v, Value tau, Value matrix) {
    auto type = cast<RankedTensorType>(matrix.getType());
    return m.vector(m.product(v, matrix), type.getDimSize(1),
                    type.getElementType(),
                    [&](ArrayRef<Value>, ValueRange values) -> Value {
                      return arith::MulFOp::create(m.b, m.loc, values[0], tau);
                    });
  }

  /// Replaces {x, v, tau} by r over zeros, and the reflections that give it.
  static SmallVector<Value> triangularize(MatrixLoops &m, ValueRange inits) {
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

  /// Ones on the diagonals of matrices like `init`.
  static Value unitMatrix(MatrixLoops &m, Value init) {
    Type element = cast<RankedTensorType>(init.getType()).getElementType();
    Value one = m.number(element, 1), zero = m.number(element, 0);
    return m.elementwise(init, [&](ArrayRef<Value> at, ValueRange) {
      return m.select(m.equal(at[at.size() - 2], at.back()), one, zero);
    });
  }

  /// The first columns of the product of all reflections.
  static Value orthogonal(MatrixLoops &m, Value identity, Value v, Value tau) {
    int64_t count = cast<RankedTensorType>(tau.getType()).getDimSize(0);
    return m.loop(
        count, false, identity,
        [&](Value j, ValueRange carried) -> SmallVector<Value> {
          Value vector = m.row(v, j);
          Value w = projection(m, vector, m.element(tau, j), carried[0]);
          return {m.update(
              carried[0], {vector, w}, {0, 1},
              [&](ArrayRef<Value> at, ValueRange values) {
                Value rest = m.minusProduct(values[2], values[0], values[1]);
                Value active = m.select(m.less(at[0], j), values[2], rest);
                return m.select(m.less(at[1], j), values[2], active);
              })};
        })[0];
  }

  static SmallVector<Value> factorize(MatrixLoops &m, ValueRange inputs,
                                      ValueRange inits) {
    auto type = cast<RankedTensorType>(inputs[0].getType());
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    int64_t count = std::min(rows, columns);
    Value v = emptyTensor(m.b, m.loc, type.clone({count, rows}));
    Value tau = emptyTensor(m.b, m.loc, type.clone({count}));
    SmallVector<Value> done = triangularize(m, {inputs[0], v, tau});
    Value identity = unitMatrix(m, inits[0]);
    Value q = orthogonal(m, identity, done[1], done[2]);
    int64_t inner = cast<RankedTensorType>(inits[1].getType()).getDimSize(0);
    SmallVector<OpFoldResult> offsets(2, m.b.getIndexAttr(0)),
        strides(2, m.b.getIndexAttr(1)),
        sizes{m.b.getIndexAttr(inner), m.b.getIndexAttr(columns)};
    Value r =
        tensor::ExtractSliceOp::create(m.b, m.loc, type.clone({inner, columns}),
                                       done[0], offsets, sizes, strides);
    return {q, r};
  }

  LogicalResult matchAndRewrite(QROp op,
                                PatternRewriter &rewriter) const override {
    MatrixLoops m(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    Value q = emptyTensor(rewriter, op.getLoc(), op.getQ().getType());
    Value r = emptyTensor(rewriter, op.getLoc(), op.getR().getType());
    if (isEmpty(type)) {
      // A complete q of no columns has something in it all the same.
      rewriter.replaceOp(op, {isEmpty(q.getType()) ? q : unitMatrix(m, q), r});
      return success();
    }
    rewriter.replaceOp(
        op, m.forEachMatrix(op.getX(), {q, r}, type.getRank() - 2,
                            [&](ValueRange inputs, ValueRange inits) {
                              return factorize(m, inputs, inits);
                            }));
    return success();
  }
};

} // namespace

void cellgrad::populateFactorizationToLinalg(RewritePatternSet &patterns) {
  patterns.add<SwapRowsLowering, LULowering, QRLowering>(patterns.getContext());
}
