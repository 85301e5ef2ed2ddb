//===- Pow.cpp - powf
//------------------------------------------------------===//
//
// x^y = 2^(y log2 x), with log2 |x| to about 2^-67 for f64 (the leading terms
// of the logarithm in double-word arithmetic) so that y log2 x keeps its
// fraction even where it reaches the largest exponent. f32 computes in f64,
// where plain arithmetic is enough.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include <limits>

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// log2(x) for 0 < x < inf in f64, relative error below 2^-64.
static Double log2Double(Expr x) {
  LogReduction red = reduceLog(x, /*subnormal=*/true);
  Expr one = x.constant(1.0);
  // s = f / (2 + f) to twice the precision.
  Double two = fastTwoSum(one + one, red.f);
  Double s = div({red.f, x.constant(0.0)}, two);
  s = fastTwoSum(s.hi, s.lo);
  // log(1+f) = 2s + s^3 (2/3 + s^2 T(s^2)).
  Double z = mul(s, s);
  Expr t = horner(z.hi, kLogTF64);
  Double c = fastTwoSum(x.constant(kTwoThirdsF64[0]), z.hi * t);
  c.lo = c.lo + kTwoThirdsF64[1];
  Double cubic = mul(mul(s, z), c);
  Double log = add({2.0 * s.hi, 2.0 * s.lo}, cubic);
  Double log2 = mul(log, {x.constant(kLog2EF64[0]), x.constant(kLog2EF64[1])});
  Double sum = fastTwoSum(red.kf, log2.hi);
  return fastTwoSum(sum.hi, sum.lo + log2.lo);
}

/// |x|^y in f64, for finite x > 0 and finite y.
static Expr powPositiveF64(Expr x, Expr y) {
  Double l = log2Double(x);
  // Beyond the bounds the result has overflowed or vanished; a huge product
  // would make its error term NaN.
  Expr product = y * l.hi;
  Expr error = fma(y, l.hi, -product);
  Expr low = fma(y, l.lo, error);
  Expr inside = lt(abs(product), 1100.0);
  Expr limit = copysign(product.constant(1100.0), product);
  product = select(inside, product, limit);
  low = select(inside, low, 0.0);
  Rounded k = round(product);
  Expr r = (product - k.value) + low;
  return scale(fma(r, horner(r, kExp2F64), 1.0), k.integer);
}

/// x^y for the f32 values x > 0, y, given in f64.
static Expr powPositiveF32(Expr x, Expr y) {
  LogReduction red = reduceLog(x, /*subnormal=*/false);
  Expr s = red.f / (red.f + 2.0);
  Expr z = s * s;
  Expr log = s * fma(z, horner(z, llvm::ArrayRef(kLogSShortF64)), 2.0);
  Expr product = y * fma(log, kLog2EF64[0], red.kf);
  Expr bounded = select(gt(product, 200.0), 200.0, product);
  bounded = select(lt(bounded, -200.0), -200.0, bounded);
  Rounded k = round(bounded);
  Expr r = bounded - k.value;
  Expr power = fma(r, horner(r, llvm::ArrayRef(kExp2ShortF64)), 1.0);
  return power * exponential2(k.integer, x);
}

Expr expandPow(Expr x, Expr y) {
  Format format(x);
  Expr magnitude = abs(x);
  Expr result = format.f64 ? powPositiveF64(magnitude, y)
                           : toF32(powPositiveF32(toF64(magnitude), toF64(y)));
  // |x| = 0 or infinity: 0 or infinity, by the signs of y and of log |x|.
  Expr isZero = eq(x, 0.0), isInf = eq(magnitude, kInf);
  Expr yNegative = lt(y, 0.0);
  Expr zero = x.constant(0.0), inf = x.constant(kInf);
  result =
      select(isZero | isInf, select(isZero ^ yNegative, zero, inf), result);
  // Infinite y: by |x| against 1.
  Expr yInf = eq(abs(y), kInf);
  Expr grows = gt(magnitude, 1.0) ^ yNegative;
  result = select(yInf, select(grows, inf, zero), result);
  result = select(yInf & eq(magnitude, 1.0), 1.0, result);
  // Negative x: the parity of y decides the sign; no power where y is no
  // integer. Every float of magnitude 2^(fraction+1) or more is even.
  Expr whole = floor(y);
  Expr isInteger = eq(whole, y);
  Expr half = y * 0.5;
  Expr isOdd = isInteger & ne(floor(half), half);
  Expr xSign = slt(bits(x), 0);
  result = select(xSign & isOdd, -result, result);
  Expr negative = lt(x, 0.0);
  Expr finite = lt(magnitude, kInf);
  result = select(negative & finite & !isInteger, kNaN, result);
  // 1^y and x^0 are 1 even for NaN.
  result = select(isNaN(x) | isNaN(y), x + y, result);
  return select(eq(x, 1.0) | eq(y, 0.0), 1.0, result);
}

} // namespace cellgrad
