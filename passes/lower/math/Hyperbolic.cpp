//===- Hyperbolic.cpp - hyperbolic functions, the slope of sigmoid --------===//

#include "passes/lower/math/Functions.h"

#include <limits>

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static Expr atMost(Expr x, double bound) {
  return select(gt(x, bound), bound, x);
}

//===----------------------------------------------------------------------===//
// sinh and cosh: with x = k ln 2 + r the addition theorem needs no division and
// has no cancellation for k = 0:
//   sinh x = sinh(k ln 2) cosh r + cosh(k ln 2) sinh r.
//===----------------------------------------------------------------------===//

namespace {
struct HyperbolicParts {
  /// sinh(k ln 2) / 2 and cosh(k ln 2) / 2: the halves do not overflow before
  /// the result does.
  Double sinhK, coshK;
  /// sinh(r) - r and cosh(r) - 1.
  Expr r, sinhTail, coshTail;
};
} // namespace

static HyperbolicParts hyperbolicParts(Expr magnitude) {
  Format format(magnitude);
  ExpReduction red = reduceExp(atMost(magnitude, format.pick(89.5, 710.5)));
  Expr grow = exponential2(addi(red.k.integer, -2), magnitude);
  // Below the last bit of `grow` long before the exponent would leave its
  // range.
  int64_t most = format.pick<int64_t>(100, 1000);
  Expr decay = exponential2(subi(-2, mini(red.k.integer, most)), magnitude);
  Expr t = red.r * red.r;
  Expr sinhTail =
      fma(red.r * t, horner(t, format.table(kSinhF32, kSinhF64)), red.low);
  Expr coshTail = t * horner(t, format.table(kCoshF32, kCoshF64));
  return {fastTwoSum(grow, -decay), fastTwoSum(grow, decay), red.r, sinhTail,
          coshTail};
}

/// 2 (a + b r + b rTail + a oneTail), a + b r to more than the precision.
static Expr hyperbolicSum(Double a, Expr b, const HyperbolicParts &p) {
  Expr head = fma(b, p.r, a.hi);
  Expr error = fma(b, p.r, a.hi - head) + a.lo;
  Expr tail = fma(b, p.sinhTail, fma(a.hi, p.coshTail, error));
  return (head + tail) * 2.0;
}

Expr expandSinh(Expr x) {
  Expr magnitude = abs(x);
  HyperbolicParts p = hyperbolicParts(magnitude);
  Expr result = hyperbolicSum(p.sinhK, p.coshK.hi, p);
  // Keeps the last bit of subnormals.
  double tiny = Format(x).pick(0x1p-13, 0x1p-28);
  return copysign(select(lt(magnitude, tiny), magnitude, result), x);
}

Expr expandCosh(Expr x) {
  HyperbolicParts p = hyperbolicParts(abs(x));
  return hyperbolicSum(p.coshK, p.sinhK.hi, p);
}

//===----------------------------------------------------------------------===//
// tanh |x| = t = E / (E + 2), E = expm1(2 |x|) to more than the precision, and
// 1 / cosh(x)^2 = (1 + t) (1 - t), 1 - t = 2 / (E + 2): where both are
// computed, CSE merges what they have in common, and each has the same bits
// alone.
//===----------------------------------------------------------------------===//

namespace {
struct TanhParts {
  Expr tanh; ///< of |x|
  /// (E + 2) 2^shift, and the reciprocal of its first part.
  Double denominator;
  Expr reciprocal, shift;
};
} // namespace

static TanhParts tanhParts(Expr x) {
  Format format(x);
  // Beyond the bound 1 / cosh^2 is 0 already.
  ExpReduction red = reduceExp(2.0 * atMost(abs(x), format.pick(53.0, 374.0)));
  // From `most` on t is 1, and E is a power of two times what is left: E + 2
  // would overflow.
  Expr k = mini(red.k.integer, format.pick<int64_t>(60, 500));
  Expr q = horner(red.r, format.table(kExpM1F32, kExpM1F64));
  Expr tail = fma(red.r * red.r, q, red.low);
  Expr power = exponential2(k, x);
  Expr head = power - 1.0;
  Expr sum = fma(power, red.r, head);
  Expr error = fma(power, red.r, head - sum);
  Double e = fastTwoSum(sum, fma(power, tail, error));

  Expr rounded = e.hi + 2.0;
  Double denominator{rounded, e.hi - (rounded - 2.0) + e.lo};
  Expr reciprocal = 1.0 / rounded;
  Double t = div(e, denominator, reciprocal);
  return {t.hi + t.lo, denominator, reciprocal, subi(k, red.k.integer)};
}

Expr expandTanh(Expr x) { return copysign(tanhParts(x).tanh, x); }

Expr expandSechSquared(Expr x) {
  auto [t, denominator, r, shift] = tanhParts(x);
  Expr rest = fma(-r, denominator.lo, fma(-r, denominator.hi, 1.0));
  return (t + 1.0) * fma(r, rest, r) * exponential2(addi(shift, 1), x);
}

//===----------------------------------------------------------------------===//
// s = 1 / (1 + exp(-x)) and s (1 - s) = e / (1 + e)^2, e = exp(-|x|): the first
// is computed as in the body of cell.sigmoid, so that CSE merges the two.
//===----------------------------------------------------------------------===//

Expr expandSigmoidSlope(Expr x) {
  Expr e = expandExp(-abs(x));
  Expr denominator = x.constant(1.0) + e;
  Expr negative = lt(x, 0.0);
  Expr sigmoid = select(negative, e, 1.0) / denominator;
  // 1 / (1 + e), but for what roundings of the sum and the quotient have lost.
  Expr reciprocal = select(negative, 1.0 - sigmoid, sigmoid);
  Expr low = e - (denominator - 1.0);
  Expr rest =
      fma(-reciprocal, low, fma(-reciprocal, denominator, x.constant(1.0)));
  Expr slope = e * reciprocal * reciprocal;
  return fma(slope, rest + rest, slope);
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

Expr expandAtanh(Expr x) {
  // atanh a = log1p(2a / (1 - a)) / 2.
  Expr a = abs(x);
  Expr zero = x.constant(0.0);
  Double u = div({2.0 * a, zero}, fastTwoSum(x.constant(1.0), -a));
  Expr result = 0.5 * logOnePlus(u);
  result = select(lt(a, 1.0), result, kNaN);
  return copysign(select(eq(a, 1.0), kInf, result), x);
}

Expr expandAsinh(Expr x) {
  // asinh a = log1p(a + a^2 / (1 + sqrt(1 + a^2))); log(2a) for large a.
  Format format(x);
  Expr a = abs(x);
  double large = format.pick(0x1p28, 0x1p56);
  Expr isLarge = notLt(a, large);
  Expr bounded = atMost(a, large);
  Expr square = bounded * bounded;
  Double u = fastTwoSum(bounded, square / (sqrt(square + 1.0) + 1.0));
  Expr zero = x.constant(0.0);
  Expr result =
      logOnePlus({select(isLarge, a, u.hi), select(isLarge, zero, u.lo)});
  result = select(isLarge, result + format.table(kLn2F32, kLn2F64)[0], result);
  return copysign(select(lt(a, kInf), result, a), x);
}

Expr expandAcosh(Expr x) {
  // acosh x = log1p(t + sqrt(t (2 + t))), t = x - 1; log(2x) for large x.
  Format format(x);
  double large = format.pick(0x1p28, 0x1p56);
  Expr isLarge = notLt(x, large);
  Expr t = atMost(x, large) - 1.0;
  Double tt = twoProd(t, t);
  Double square = twoSum(2.0 * t, tt.hi);
  square.lo = square.lo + tt.lo;
  Expr root = sqrt(square.hi);
  Expr rest = fma(-root, root, square.hi) + square.lo;
  Expr correction = select(gt(root, 0.0), rest * (0.5 / root), 0.0);
  Double u = twoSum(t, root);
  Expr zero = x.constant(0.0);
  Expr result = logOnePlus(
      {select(isLarge, x, u.hi), select(isLarge, zero, u.lo + correction)});
  result = select(isLarge, result + format.table(kLn2F32, kLn2F64)[0], result);
  result = select(lt(x, kInf), result, x);
  return select(lt(x, 1.0), kNaN, result);
}

} // namespace cellgrad
