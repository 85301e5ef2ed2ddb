//===- Trig.cpp - sin, cos, tan -------------------------------------------===//
//
// Moderate arguments: n pi/2 is subtracted in three parts (Cody and Waite), the
// first two with an fma each, the first exactly. Large ones, in any lane, send
// all lanes through the reduction of Payne and Hanek, but only the large lanes
// take its result. Its code is long: it is an op that cell-share-math makes a
// function of.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "dialect/SpecialMath.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cellgrad {

/// x - n c, c in three parts, with the rounding error of the second step.
static Double subtractMultiple(Expr x, Expr n, ArrayRef<double> c) {
  Expr minusN = -n;
  Expr first = fma(minusN, c[0], x);
  Double product = twoProd(minusN, n.constant(c[1]));
  Expr r = first + product.hi;
  Expr error = (first - r) + product.hi;
  return {r, fma(minusN, c[2], error + product.lo)};
}

static PiReduction reduceByHalfPi(Expr x) {
  Format format(x);
  Rounded n = roundProduct(x, format.table(kTwoOverPiF32, kTwoOverPiF64)[0]);
  Double r = subtractMultiple(x, n.value, format.table(kHalfPiF32, kHalfPiF64));
  auto ifOp = scf::IfOp::create(
      x.builder(), anyLane(isLargeForHalfPi(x)),
      [&](OpBuilder &nested, Location loc) {
        auto exact = special::ReduceLargeOp::create(nested, loc, x, n.integer,
                                                    r.hi, r.lo);
        scf::YieldOp::create(nested, loc, exact.getResults());
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, ValueRange{n.integer, r.hi, r.lo});
      });
  auto result = [&](unsigned i) {
    return Expr(ifOp.getResult(i), x.builder());
  };
  return {result(0), result(1), result(2)};
}

/// v, negated if bit 1 of n is set.
static Expr negateByQuadrant(Expr v, Expr n) {
  int64_t sign = Format(v).pick<int64_t>(0x80000000, INT64_MIN);
  return fromBits(bits(v) ^ andi(shl(n, Format(v).width() - 2), sign));
}

/// v with its sign inverted where that of x is set.
static Expr flipSign(Expr v, Expr x) {
  int64_t sign = Format(x).pick<int64_t>(0x80000000, INT64_MIN);
  return fromBits(bits(v) ^ andi(bits(x), sign));
}

namespace {
/// Sine and cosine of a reduced argument; the parts may overlap by a few bits.
struct SinCos {
  Double sin, cos;
};
} // namespace

static SinCos sinCosOfReduced(const PiReduction &red) {
  Format format(red.r);
  Expr t = red.r * red.r;
  Expr s = horner(t, format.table(kSinF32, kSinF64));
  Expr c = horner(t, format.table(kCosF32, kCosF64));
  Double cos = fastTwoSum(t.constant(1.0), t * -0.5);
  cos.lo = fma(t * t, c, fma(-red.r, red.low, cos.lo));
  return {{red.r, fma(red.r * t, s, red.low)}, cos};
}

/// sin(n pi/2 + r) for even n, else the cosine.
static Expr sinOfQuadrant(const PiReduction &red, Expr n) {
  SinCos parts = sinCosOfReduced(red);
  Expr odd = nei(andi(n, 1), 0);
  Expr value = select(odd, parts.cos.hi, parts.sin.hi) +
               select(odd, parts.cos.lo, parts.sin.lo);
  return negateByQuadrant(value, n);
}

Expr expandSin(Expr x) {
  PiReduction red = reduceByHalfPi(abs(x));
  return flipSign(sinOfQuadrant(red, red.n), x);
}

Expr expandCos(Expr x) {
  PiReduction red = reduceByHalfPi(abs(x));
  return sinOfQuadrant(red, addi(red.n, 1));
}

Expr expandTan(Expr x) {
  PiReduction red = reduceByHalfPi(abs(x));
  SinCos parts = sinCosOfReduced(red);
  // The rounding error of r^2 counts for the tangent.
  Double square = twoProd(red.r, red.r);
  parts.cos.lo = fma(square.lo, -0.5, parts.cos.lo);
  // The correction of a quotient is first order only: the parts must not
  // overlap.
  Double sin = fastTwoSum(parts.sin.hi, parts.sin.lo);
  Double cos = fastTwoSum(parts.cos.hi, parts.cos.lo);
  // tan(r + pi/2) = -cos(r) / sin(r).
  Expr odd = nei(andi(red.n, 1), 0);
  Double numerator{select(odd, cos.hi, sin.hi), select(odd, cos.lo, sin.lo)};
  Double denominator{select(odd, sin.hi, cos.hi), select(odd, sin.lo, cos.lo)};
  Double q = div(numerator, denominator);
  // Bit 0 of n is the sign.
  return flipSign(negateByQuadrant(q.hi + q.lo, shl(red.n, 1)), x);
}

} // namespace cellgrad
