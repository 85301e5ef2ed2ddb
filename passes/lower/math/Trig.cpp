//===- Trig.cpp - sin, cos, tan -------------------------------------------===//
//
// Moderate arguments: n pi is subtracted in three parts (Cody and Waite), the
// first two with an fma each, the first exactly. Large ones, in any lane, send
// all lanes through the reduction of Payne and Hanek, but only the large lanes
// take its result.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cellgrad {

/// x - n c, c in three parts; with the rounding error of the second step if
/// `exact`.
static Double subtractMultiple(Expr x, Expr n, ArrayRef<double> c, bool exact) {
  Expr minusN = -n;
  Expr first = fma(minusN, c[0], x);
  if (!exact)
    return {fma(minusN, c[1], first), minusN * c[2]};
  Double product = twoProd(minusN, n.constant(c[1]));
  Expr r = first + product.hi;
  Expr error = (first - r) + product.hi;
  return {r, fma(minusN, c[2], error + product.lo)};
}

static PiReduction reduceModerateByPi(Expr x, Period period) {
  Format format(x);
  double inverse = format.table(kInvPiF32, kInvPiF64)[0];
  ArrayRef<double> halfPi = format.table(kHalfPiF32, kHalfPiF64);
  if (period == Period::Cosine) {
    // x = (q + 1/2) pi + r: an odd multiple of pi/2.
    Rounded q = round(fma(x, inverse, -0.5));
    Double r = subtractMultiple(x, fma(q.value, 2.0, 1.0), halfPi, false);
    return {addi(q.integer, 1), r.hi, r.lo};
  }
  if (period == Period::Sine) {
    Rounded n = roundProduct(x, inverse);
    Double r =
        subtractMultiple(x, n.value, format.table(kPiF32, kPiF64), false);
    return {n.integer, r.hi, r.lo};
  }
  Rounded n = roundProduct(x, 2 * inverse);
  Double r = subtractMultiple(x, n.value, halfPi, true);
  return {n.integer, r.hi, r.lo};
}

static PiReduction reduceByPi(Expr x, Period period) {
  PiReduction moderate = reduceModerateByPi(x, period);
  Expr isLarge = gt(x, Format(x).pick(0x1p16, 0x1p31));
  auto ifOp = scf::IfOp::create(
      x.builder(), anyLane(isLarge),
      [&](OpBuilder &nested, Location loc) {
        ImplicitLocOpBuilder b(loc, nested);
        PiReduction large = reduceLargeByPi(Expr(x, b), period);
        Expr condition(isLarge, b);
        scf::YieldOp::create(
            b, ValueRange{select(condition, large.n, moderate.n),
                          select(condition, large.r, moderate.r),
                          select(condition, large.low, moderate.low)});
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc,
                             ValueRange{moderate.n, moderate.r, moderate.low});
      });
  auto result = [&](unsigned i) {
    return Expr(ifOp.getResult(i), x.builder());
  };
  return {result(0), result(1), result(2)};
}

/// (-1)^n v.
static Expr negateIfOdd(Expr v, Expr n) {
  return fromBits(bits(v) ^ shl(n, Format(v).width() - 1));
}

/// v with its sign inverted where that of x is set.
static Expr flipSign(Expr v, Expr x) {
  int64_t mask = Format(x).pick<int64_t>(0x80000000, INT64_MIN);
  return fromBits(bits(v) ^ andi(bits(x), mask));
}

static Expr sinOfReduced(const PiReduction &red) {
  Expr t = red.r * red.r;
  Expr s = horner(t, Format(t).table(kSinF32, kSinF64));
  return negateIfOdd(red.r + fma(red.r * t, s, red.low), red.n);
}

Expr expandSin(Expr x) {
  return flipSign(sinOfReduced(reduceByPi(abs(x), Period::Sine)), x);
}

Expr expandCos(Expr x) {
  return sinOfReduced(reduceByPi(abs(x), Period::Cosine));
}

Expr expandTan(Expr x) {
  Format format(x);
  PiReduction red = reduceByPi(abs(x), Period::Tangent);
  Double square = twoProd(red.r, red.r);
  Expr t = square.hi;
  Double sin{red.r, fma(red.r * t,
                        horner(t, format.table(kSinNarrowF32, kSinNarrowF64)),
                        red.low)};
  Double cos = fastTwoSum(x.constant(1.0), t * -0.5);
  Expr cosLow = fma(square.lo, -0.5, cos.lo - red.r * red.low);
  cos.lo =
      fma(t * t, horner(t, format.table(kCosNarrowF32, kCosNarrowF64)), cosLow);
  // The correction of a quotient is first order only: the parts must not
  // overlap.
  sin = fastTwoSum(sin.hi, sin.lo);
  cos = fastTwoSum(cos.hi, cos.lo);
  // tan(r + pi/2) = -cos(r) / sin(r).
  Expr odd = nei(andi(red.n, 1), 0);
  Double numerator{select(odd, cos.hi, sin.hi), select(odd, cos.lo, sin.lo)};
  Double denominator{select(odd, sin.hi, cos.hi), select(odd, sin.lo, cos.lo)};
  Double q = div(numerator, denominator);
  return flipSign(negateIfOdd(q.hi + q.lo, red.n), x);
}

} // namespace cellgrad
