//===- Jacobi.cpp - eigenvalues and singular values by rotations ----------===//
//
// Jacobi's method rotates pairs of rows until all are done, in sweeps over all
// pairs. Eigenvalues: both sides of the matrix, until it is diagonal (G. Golub,
// C. Van Loan, "Matrix computations", 4th edition, 8.5). Singular values: the
// rows of the triangular QR factor, until they are orthogonal (Z. Drmač,
// K. Veselić, "New fast and accurate Jacobi SVD algorithm", 2008, without its
// pivots). Small values come out to their own precision as far as the matrix
// determines them, the loops are simple, and their number has a bound.
//
// Everything is computed in f64 on a matrix scaled by a power of two, so that
// no square overflows.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/sequential/QR.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace cellgrad;

namespace {

/// Sweeps converge quadratically: ten are many.
constexpr int64_t kMostSweeps = 30;

RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

/// A power of two to multiply the elements by, the one that undoes it, and what
/// to add to results: 0, or NaN where an element is not finite.
struct Scale {
  Value factor, inverse, poison;
};

/// The rotation of two rows x and y: c x - s y = x - s (y + h x) and
/// c y + s x = y + s (x - h y) for h = s / (1 + c), the tangent of half of the
/// angle. The right forms round less than x and y where the angle is small.
struct Rotation {
  Value s, h, t;
};

class Jacobi : public MatrixLoops {
public:
  Jacobi(OpBuilder &builder, Location loc, Type result)
      : MatrixLoops(builder, loc), result(result), f64(builder.getF64Type()),
        zero(number(f64, 0)), one(number(f64, 1)) {}

  //===-- Scalars ---------------------------------------------------------===//

  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  /// False where one is NaN.
  Value greater(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  }
  Value same(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  }
  /// True where one is NaN.
  Value neitherGreater(Value x, Value y) {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, x, y);
  }
  Value largerOf(Value x, Value y) {
    return arith::MaximumFOp::create(b, loc, x, y);
  }
  Value truth(bool value) {
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
  }
  Value next(Value i) { return arith::AddIOp::create(b, loc, i, index(1)); }
  /// 1 with the sign of x.
  Value sign(Value x) { return math::CopySignOp::create(b, loc, one, x); }

  Value widened(Value x) {
    return x.getType() == f64 ? x : arith::ExtFOp::create(b, loc, f64, x);
  }
  Value narrowed(Value x) {
    return result == f64 ? x : arith::TruncFOp::create(b, loc, result, x);
  }
  /// The relative error that ends the rotations.
  double tolerance() { return std::ldexp(1, result == f64 ? -52 : -40); }

  /// A position below `size` that was computed as a number.
  Value position(Value x, int64_t size) {
    Value whole = arith::FPToSIOp::create(b, loc, b.getI64Type(), x);
    return clampedIndex(b, loc, whole, size);
  }
  Value asNumber(Value i) {
    Value whole = arith::IndexCastOp::create(b, loc, b.getI64Type(), i);
    return arith::SIToFPOp::create(b, loc, f64, whole);
  }

  //===-- Vectors ---------------------------------------------------------===//

  Value empty(ArrayRef<int64_t> shape) {
    return emptyTensor(b, loc, RankedTensorType::get(shape, f64));
  }
  int64_t sizeOf(Value vector) { return typeOf(vector).getDimSize(0); }

  Value dot(Value x, Value y) {
    return reduce({x, y}, 0, [&](ArrayRef<Value>, ValueRange values) -> Value {
      return add(values[2], mul(values[0], values[1]));
    });
  }

  /// x a + y b for the vectors x and y.
  Value combine(Value x, Value a, Value y, Value c) {
    return vector({x, y}, sizeOf(x), f64,
                  [&](ArrayRef<Value>, ValueRange values) -> Value {
                    return add(mul(values[0], a), mul(values[1], c));
                  });
  }

  /// The first position where `holds`; the last one if nowhere.
  Value find(Value vector,
             llvm::function_ref<Value(Value at, Value value)> holds) {
    int64_t size = sizeOf(vector);
    Value none = number(f64, size);
    Value first = reduce(
        vector, size, [&](ArrayRef<Value> at, ValueRange values) -> Value {
          Value here = select(holds(at[0], values[0]), asNumber(at[0]), none);
          return arith::MinimumFOp::create(b, loc, here, values[1]);
        });
    return position(first, size);
  }

  /// How many values come before element i in their order, which is that of
  /// their positions where all are NaN.
  Value rank(Value values, Value i, bool descending) {
    Value mine = element(values, i);
    Value count =
        reduce(values, 0, [&](ArrayRef<Value> at, ValueRange args) -> Value {
          Value before =
              descending ? greater(args[0], mine) : greater(mine, args[0]);
          Value tie = both(neitherGreater(args[0], mine), less(at[0], i));
          return add(args[1], select(either(before, tie), one, zero));
        });
    return position(count, sizeOf(values));
  }

  /// 1 or -1, which makes the first of the large elements positive: of at least
  /// 0.9 of the largest, so that rounding does not choose among equal ones.
  Value gauge(Value vector) {
    Value size =
        reduce(vector, 0, [&](ArrayRef<Value>, ValueRange values) -> Value {
          return largerOf(abs(values[0]), values[1]);
        });
    Value enough = mul(size, number(f64, 0.9));
    Value first = find(vector, [&](Value, Value x) -> Value {
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, abs(x),
                                   enough);
    });
    return sign(element(vector, first));
  }

  /// The vector times a factor, plus `poison`, as a column of the result.
  Value column(Value vector, Value factor, Value poison) {
    return this->vector(vector, sizeOf(vector), result,
                        [&](ArrayRef<Value>, ValueRange values) -> Value {
                          return narrowed(add(mul(values[0], factor), poison));
                        });
  }
  using MatrixLoops::column;

  //===-- Matrices --------------------------------------------------------===//

  /// By the magnitudes of the elements, or of those of the lower triangle.
  Scale scaleOf(Value matrix, bool lower) {
    auto step = [&](Value i, ValueRange carried) -> SmallVector<Value> {
      return {reduceRow(row(matrix, i), carried[0], lower ? i : Value())};
    };
    Value most = loop(typeOf(matrix).getDimSize(0), true, zero, step)[0];
    // 2^e with the exponent of the largest, far enough from the ends to have an
    // inverse.
    Type i64 = b.getI64Type();
    auto bits = [&](int64_t exponent) -> Value {
      return arith::ConstantOp::create(b, loc,
                                       b.getI64IntegerAttr(exponent << 52));
    };
    Value exponent = arith::AndIOp::create(
        b, loc, arith::BitcastOp::create(b, loc, i64, most), bits(0x7ff));
    exponent = select(less(exponent, bits(1)), bits(1), exponent);
    exponent = select(less(bits(2045), exponent), bits(2045), exponent);
    Value inverse = arith::SubIOp::create(b, loc, bits(2046), exponent);
    return {arith::BitcastOp::create(b, loc, f64, inverse),
            arith::BitcastOp::create(b, loc, f64, exponent), mul(most, zero)};
  }

  /// Sweeps over all pairs p < q of `count` rows of two matrices, until
  /// `rotate` has not rotated: it gives both matrices, and whether it has.
  std::pair<Value, Value>
  sweeps(int64_t count, Value first, Value second,
         llvm::function_ref<SmallVector<Value>(Value p, Value q, ValueRange)>
             rotate) {
    auto sweep = [&](Value, ValueRange carried) -> SmallVector<Value> {
      Value end = select(carried[2], index(count - 1), index(0));
      return loop(index(0), end, {carried[0], carried[1], truth(false)},
                  [&](Value p, ValueRange outer) -> SmallVector<Value> {
                    return loop(next(p), index(count), outer,
                                [&](Value q, ValueRange inner) {
                                  SmallVector<Value> done = rotate(p, q, inner);
                                  done[2] = either(inner[2], done[2]);
                                  return done;
                                });
                  });
    };
    SmallVector<Value> done =
        loop(kMostSweeps, true, {first, second, truth(true)}, sweep);
    return {done[0], done[1]};
  }

  /// The rotation by less than 45 degrees with tan(2 angle) = 2 y / x; none
  /// where it does not `turn`.
  Rotation rotation(Value x, Value y, Value turns) {
    Value ratio = div(x, mul(select(turns, y, one), number(f64, 2)));
    Value size = abs(ratio);
    Value root = sqrt(add(mul(ratio, ratio), one));
    Value t = div(sign(ratio), add(size, root));
    Value large = greater(size, number(f64, std::ldexp(1, 500)));
    t = select(large, div(number(f64, 0.5), ratio), t);
    t = select(turns, t, zero);
    Value c = div(one, sqrt(add(mul(t, t), one)));
    Value s = mul(t, c);
    return {s, div(s, add(one, c)), t};
  }

  /// Rows p and q of the matrix rotated.
  Value rotateRows(Value matrix, Value p, Value q, const Rotation &by) {
    Value x = row(matrix, p), y = row(matrix, q);
    return setRotated(matrix, x, y, p, q, by);
  }
  Value setRotated(Value matrix, Value x, Value y, Value p, Value q,
                   const Rotation &by) {
    auto rotated = [&](bool first) {
      return vector({x, y}, sizeOf(x), f64,
                    [&](ArrayRef<Value>, ValueRange values) {
                      return turned(values[0], values[1], by, first);
                    });
    };
    return setRow(setRow(matrix, rotated(true), p), rotated(false), q);
  }
  /// An element of the first or of the second row, rotated.
  Value turned(Value x, Value y, const Rotation &by, bool first) {
    return first ? sub(x, mul(by.s, add(y, mul(by.h, x))))
                 : add(y, mul(by.s, sub(x, mul(by.h, y))));
  }

  Type result, f64;
  Value zero, one;

private:
  Value reduceRow(Value row, Value most, Value last) {
    Value none = number(typeOf(row).getElementType(), 0);
    Value size =
        reduce(row, 0, [&](ArrayRef<Value> at, ValueRange values) -> Value {
          Value x = abs(values[0]);
          if (last)
            x = select(less(last, at[0]), none, x);
          return largerOf(x, values[1]);
        });
    return largerOf(widened(size), most);
  }
};

//===----------------------------------------------------------------------===//
// eigh
//===----------------------------------------------------------------------===//

/// The symmetric matrix with the lower triangle of `x`, scaled.
Value symmetric(Jacobi &m, Value x, Value factor) {
  int64_t n = typeOf(x).getDimSize(0);
  auto step = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value line = m.vector({m.row(x, i), m.column(x, i)}, n, m.f64,
                          [&](ArrayRef<Value> at, ValueRange values) -> Value {
                            Value kept = m.select(m.less(i, at[0]), values[1],
                                                  values[0]);
                            return m.mul(m.widened(kept), factor);
                          });
    return {m.setRow(carried[0], line, i)};
  };
  return m.loop(n, true, m.empty({n, n}), step)[0];
}

/// One rotation of both sides, which makes element [p, q] zero. The matrix
/// stays symmetric: rows are computed, and columns are copies of them.
SmallVector<Value> rotateBoth(Jacobi &m, Value p, Value q, ValueRange carried) {
  Value a = carried[0], x = m.row(a, p), y = m.row(a, q);
  Value pp = m.element(x, p), pq = m.element(x, q), qq = m.element(y, q);
  Value limit = m.mul(m.mul(m.sqrt(m.abs(pp)), m.sqrt(m.abs(qq))),
                      m.number(m.f64, m.tolerance()));
  Value tiny = m.number(m.f64, std::ldexp(1, -500));
  Value turns = m.greater(m.abs(pq), m.largerOf(limit, tiny));
  Rotation by = m.rotation(m.sub(qq, pp), pq, turns);
  Value moved = m.mul(by.t, pq);
  int64_t n = m.sizeOf(x);
  auto line = [&](Value atP, Value atQ, bool first) {
    return m.vector({x, y}, n, m.f64,
                    [&](ArrayRef<Value> at, ValueRange values) {
                      Value rest = m.turned(values[0], values[1], by, first);
                      rest = m.select(m.equal(at[0], p), atP, rest);
                      return m.select(m.equal(at[0], q), atQ, rest);
                    });
  };
  Value newX = line(m.sub(pp, moved), m.zero, true);
  Value newY = line(m.zero, m.add(qq, moved), false);
  a = m.setRow(m.setRow(a, newX, p), newY, q);
  a = m.setColumn(m.setColumn(a, newX, p), newY, q);
  return {a, m.rotateRows(carried[1], p, q, by), turns};
}

SmallVector<Value> eigenvalues(Jacobi &m, Value x, ValueRange inits) {
  int64_t n = typeOf(x).getDimSize(0);
  Scale scale = m.scaleOf(x, /*lower=*/true);
  Value unit = m.unitMatrix(m.empty({n, n}));
  auto [a, vectors] = m.sweeps(n, symmetric(m, x, scale.factor), unit,
                               [&](Value p, Value q, ValueRange carried) {
                                 return rotateBoth(m, p, q, carried);
                               });
  Value diagonal =
      m.loop(n, true, m.empty({n}),
             [&, a = a](Value i, ValueRange carried) -> SmallVector<Value> {
               Value w = m.add(m.element(a, {i, i}), scale.poison);
               return {m.setElement(carried[0], w, i)};
             })[0];
  auto step = [&, vectors = vectors](Value i,
                                     ValueRange carried) -> SmallVector<Value> {
    Value to = m.rank(diagonal, i, /*descending=*/false);
    Value w = m.mul(m.element(diagonal, i), scale.inverse);
    Value v = m.row(vectors, i);
    return {m.setElement(carried[0], m.narrowed(w), to),
            m.setColumn(carried[1], m.column(v, m.gauge(v), scale.poison), to)};
  };
  return m.loop(n, true, inits, step);
}

//===----------------------------------------------------------------------===//
// svd
//===----------------------------------------------------------------------===//

/// Rows whose squared length is below this are not rotated: it has no digits.
constexpr int kLeastSquare = -970;

/// One rotation that makes rows p and q of the first matrix orthogonal.
SmallVector<Value> rotateRow(Jacobi &m, Value p, Value q, ValueRange carried) {
  Value x = m.row(carried[0], p), y = m.row(carried[0], q);
  Value xx = m.dot(x, x), yy = m.dot(y, y), xy = m.dot(x, y);
  Value least = m.number(m.f64, std::ldexp(1, kLeastSquare));
  Value limit = m.mul(m.mul(m.sqrt(xx), m.sqrt(yy)),
                      m.number(m.f64, m.tolerance() * std::sqrt(m.sizeOf(x))));
  Value turns = m.both(m.greater(m.abs(xy), limit),
                       m.both(m.greater(xx, least), m.greater(yy, least)));
  Rotation by = m.rotation(m.sub(yy, xx), xy, turns);
  return {m.setRotated(carried[0], x, y, p, q, by),
          m.rotateRows(carried[1], p, q, by), turns};
}

/// x - y^2, for what unit vectors leave of each axis.
Value minusSquare(Jacobi &m, Value x, Value y) {
  return m.vector({x, y}, m.sizeOf(x), m.f64,
                  [&](ArrayRef<Value>, ValueRange values) -> Value {
                    return m.minusProduct(values[0], values[1], values[1]);
                  });
}

/// A unit vector orthogonal to the rows of `unit`: what the others leave of the
/// axis that they have least of, by the Gram-Schmidt method, twice.
Value orthogonalTo(Jacobi &m, Value unit, Value left) {
  int64_t count = m.sizeOf(left);
  Value most =
      m.reduce(left, 0, [&](ArrayRef<Value>, ValueRange values) -> Value {
        return m.largerOf(values[0], values[1]);
      });
  Value axis = m.find(left, [&](Value, Value x) { return m.same(x, most); });
  Value start =
      m.vector(left, count, m.f64, [&](ArrayRef<Value> at, ValueRange) {
        return m.select(m.equal(at[0], axis), m.one, m.zero);
      });
  auto subtract = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value other = m.row(unit, i);
    Value part = arith::NegFOp::create(m.b, m.loc, m.dot(other, carried[0]));
    return {m.combine(carried[0], m.one, other, part)};
  };
  Value rest = m.loop(2, true, start, [&](Value, ValueRange carried) {
    return m.loop(count, true, carried, subtract);
  })[0];
  Value length = m.sqrt(m.dot(rest, rest));
  return m.combine(rest, m.div(m.one, length), rest, m.zero);
}

/// The lengths of the rows of `a`, and unit vectors along them.
std::pair<Value, Value> normalize(Jacobi &m, Value a) {
  int64_t count = typeOf(a).getDimSize(0);
  Value least = m.number(m.f64, std::ldexp(1, kLeastSquare));
  auto divide = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value x = m.row(a, i), square = m.dot(x, x);
    Value counts = m.greater(square, least);
    Value length = m.select(counts, m.sqrt(square), m.zero);
    Value divisor = m.select(counts, length, m.one);
    Value y = m.vector(x, count, m.f64,
                       [&](ArrayRef<Value>, ValueRange values) -> Value {
                         Value ratio = m.div(values[0], divisor);
                         return m.select(counts, ratio, m.zero);
                       });
    return {m.setRow(carried[0], y, i), m.setElement(carried[1], length, i),
            minusSquare(m, carried[2], y)};
  };
  Value axes = filledTensor(m.b, m.loc, RankedTensorType::get({count}, m.f64),
                            m.b.getF64FloatAttr(1));
  SmallVector<Value> done = m.loop(
      count, true, {m.empty({count, count}), m.empty({count}), axes}, divide);
  // Rows without a length have their direction from the others.
  auto complete = [&](Value i, ValueRange outer) -> SmallVector<Value> {
    Value none = m.same(m.element(outer[1], i), m.zero);
    return m.loop(m.index(0), m.select(none, m.index(1), m.index(0)), outer,
                  [&](Value, ValueRange carried) -> SmallVector<Value> {
                    Value y = orthogonalTo(m, carried[0], carried[2]);
                    Value length = m.dot(y, m.row(a, i));
                    y = m.combine(y, m.sign(length), y, m.zero);
                    return {m.setRow(carried[0], y, i),
                            m.setElement(carried[1], m.abs(length), i),
                            minusSquare(m, carried[2], y)};
                  });
  };
  done = m.loop(count, true, done, complete);
  return {done[1], done[0]};
}

/// The matrix in f64 with at least as many rows as columns, scaled.
Value tall(Jacobi &m, Value x, Value factor) {
  int64_t rows = typeOf(x).getDimSize(0), columns = typeOf(x).getDimSize(1);
  bool wide = rows < columns;
  Value init = wide ? m.empty({columns, rows}) : m.empty({rows, columns});
  auto step = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value line = m.vector(m.row(x, i), columns, m.f64,
                          [&](ArrayRef<Value>, ValueRange values) -> Value {
                            return m.mul(m.widened(values[0]), factor);
                          });
    return {wide ? m.setColumn(carried[0], line, i)
                 : m.setRow(carried[0], line, i)};
  };
  return m.loop(rows, true, init, step)[0];
}

SmallVector<Value> singularValues(Jacobi &m, Value x, ValueRange inits) {
  int64_t rows = typeOf(x).getDimSize(0), columns = typeOf(x).getDimSize(1);
  int64_t count = std::min(rows, columns), other = std::max(rows, columns);
  Scale scale = m.scaleOf(x, /*lower=*/false);
  SmallVector<Value> factors =
      factorizeQR(m, tall(m, x, scale.factor),
                  {m.empty({other, count}), m.empty({count, count})});
  Value unit = m.unitMatrix(m.empty({count, count}));
  auto [a, turned] = m.sweeps(count, factors[1], unit,
                              [&](Value p, Value q, ValueRange carried) {
                                return rotateRow(m, p, q, carried);
                              });
  auto [lengths, right] = normalize(m, a);
  Value left = m.matmul(factors[0], turned, /*transposeA=*/false,
                        /*transposeB=*/true);
  Value values = m.vector(lengths, count, m.f64,
                          [&](ArrayRef<Value>, ValueRange args) -> Value {
                            return m.add(args[0], scale.poison);
                          });
  auto step = [&, right = right](Value i,
                                 ValueRange carried) -> SmallVector<Value> {
    Value to = m.rank(values, i, /*descending=*/true);
    Value s = m.mul(m.element(values, i), scale.inverse);
    Value u = m.column(left, i), v = m.row(right, i);
    if (rows < columns)
      std::swap(u, v);
    Value sign = m.gauge(v);
    return {m.setColumn(carried[0], m.column(u, sign, scale.poison), to),
            m.setElement(carried[1], m.narrowed(s), to),
            m.setColumn(carried[2], m.column(v, sign, scale.poison), to)};
  };
  return m.loop(count, true, inits, step);
}

/// Replaces `op` by what `compute` makes of each matrix.
template <typename OpT>
LogicalResult
lowerEach(OpT op, PatternRewriter &rewriter,
          llvm::function_ref<SmallVector<Value>(Jacobi &, Value, ValueRange)>
              compute) {
  RankedTensorType type = op.getX().getType();
  SmallVector<Value> results =
      llvm::map_to_vector(op->getResultTypes(), [&](Type result) -> Value {
        return emptyTensor(rewriter, op.getLoc(), result);
      });
  if (type.getNumElements() != 0) {
    Jacobi m(rewriter, op.getLoc(), type.getElementType());
    results = m.forEachMatrix(op.getX(), results, type.getRank() - 2,
                              [&](ValueRange inputs, ValueRange inits) {
                                return compute(m, inputs[0], inits);
                              });
  }
  rewriter.replaceOp(op, results);
  return success();
}

} // namespace

LogicalResult cellgrad::lower(EighOp op, PatternRewriter &rewriter) {
  return lowerEach(op, rewriter, eigenvalues);
}

LogicalResult cellgrad::lower(SVDOp op, PatternRewriter &rewriter) {
  return lowerEach(op, rewriter, singularValues);
}
