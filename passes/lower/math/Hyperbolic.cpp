//===- Hyperbolic.cpp - sinh, cosh, tanh and their inverses ---------------===//

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
// tanh |x| = E / (E + 2), E = expm1(2 |x|) to more than the precision.
//===----------------------------------------------------------------------===//

/// E of a reduced 2 |x|, whose power of two is 2^k.
static Double expM1OfReduced(const ExpReduction &red, Expr k) {
  Expr q = horner(red.r, Format(red.r).table(kExpM1F32, kExpM1F64));
  Expr tail = fma(red.r * red.r, q, red.low);
  Expr power = exponential2(k, red.r);
  Expr head = power - 1.0;
  Expr sum = fma(power, red.r, head);
  Expr error = fma(power, red.r, head - sum);
  return fastTwoSum(sum, fma(power, tail, error));
}

namespace {
struct TanhParts {
  Expr tanh;
  /// E + 2, and the reciprocal of its first part.
  Double denominator;
  Expr reciprocal;
};
} // namespace

static TanhParts tanhOfExpM1(Double e) {
  Expr denominator = e.hi + 2.0;
  Expr lost = e.hi - (denominator - 2.0);
  Expr reciprocal = 1.0 / denominator;
  Double rounded{denominator, lost + e.lo};
  Double t = div(e, rounded, reciprocal);
  return {t.hi + t.lo, rounded, reciprocal};
}

Expr expandTanh(Expr x) {
  ExpReduction red = reduceExp(2.0 * atMost(abs(x), Format(x).pick(9.5, 20.0)));
  return copysign(tanhOfExpM1(expM1OfReduced(red, red.k.integer)).tanh, x);
}

TanhSechSquared expandTanhSechSquared(Expr x) {
  // 1 / cosh^2 = (1 + t) (1 - t), t = tanh |x|, and 1 - t = 2 / (E + 2).
  Format format(x);
  ExpReduction red = reduceExp(2.0 * atMost(abs(x), format.pick(53.0, 374.0)));
  // From `most` on t is 1, and 1 - t is proportional to 2^-k: what is beyond
  // would overflow, and scales the result instead.
  int64_t most = format.pick<int64_t>(60, 500);
  Expr k = mini(red.k.integer, most);
  auto [t, denominator, r] = tanhOfExpM1(expM1OfReduced(red, k));
  Expr rest = fma(-r, denominator.lo, fma(-r, denominator.hi, 1.0));
  Expr square = (t + 1.0) * fma(r, rest, r) *
                exponential2(addi(subi(k, red.k.integer), 1), x);
  return {copysign(t, x), square};
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
