//===- Bells.cpp - exp(-x^2), exp(x^2) ------------------------------------===//

#include "passes/lower/math/Functions.h"

namespace cellgrad {

/// |x|, or `end` where that is smaller; NaN stays.
static Expr boundedMagnitude(Expr x, double end) {
  Expr a = abs(x);
  return select(gt(a, end), end, a);
}

/// The exponential of a number in two parts.
static Expr exponential(Double x) {
  Format format(x.hi);
  ExpReduction red = reduceExp(x.hi);
  Expr q = horner(red.r, format.table(kExpF32, kExpF64));
  Expr rest = fma(red.r * red.r, q, red.r);
  return scale(1.0 + fma(red.low + x.lo, 1.0 + rest, rest), red.k);
}

Expr expandGaussian(Expr x) {
  // Beyond the bound the result is 0 already.
  Expr a = boundedMagnitude(x, Format(x).pick(10.2, 27.5));
  Double square = twoProd(a, a);
  return exponential({-square.hi, -square.lo});
}

Expr expandExpSquare(Expr x) {
  // Beyond the bound the result is infinite already.
  Expr a = boundedMagnitude(x, Format(x).pick(9.45, 26.7));
  return exponential(twoProd(a, a));
}

} // namespace cellgrad
