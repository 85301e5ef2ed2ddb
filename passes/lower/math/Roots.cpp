//===- Roots.cpp - cbrt, rsqrt, hypot, round ------------------------------===//

#include "passes/lower/math/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

namespace cellgrad {

Expr expandCbrt(Expr x) {
  // |x| = 2^(3 k) m, m in [0.35, 2.83). A polynomial for m^(-1/3), one step of
  // an iteration of third (f32) or fourth (f64) order without division, and a
  // last correction with the residual in double-word arithmetic.
  Format format(x);
  LogReduction red = reduceLog(abs(x), /*subnormal=*/true);
  Rounded third = roundProduct(red.kf, 1.0 / 3.0);
  Expr rest = fma(third.value, -3.0, red.kf);
  Expr up = gt(rest, 0.0), down = lt(rest, 0.0);
  Expr one = x.constant(1.0);
  Expr m = (red.f + 1.0) * select(up, 2.0, select(down, 0.5, one));
  constexpr double kCbrt2 = 1.2599210498948732, kInvCbrt2 = 0.79370052598409974;
  Expr y = horner(red.f, format.table(kInvCbrtF32, kInvCbrtF64)) *
           select(up, kInvCbrt2, select(down, kCbrt2, one));
  Expr h = fma(-(m * y), y * y, one);
  Expr series = format.f64 ? fma(fma(h, 14.0 / 81.0, 2.0 / 9.0), h, 1.0 / 3.0)
                           : fma(h, 2.0 / 9.0, 1.0 / 3.0);
  y = fma(y * h, series, y);
  Expr square = y * y;
  Expr c = m * square;
  Double c2 = twoProd(c, c);
  Double c3 = twoProd(c2.hi, c);
  Expr residual = fma(-c2.lo, c, (m - c3.hi) - c3.lo);
  c = fma(residual * square, 1.0 / 3.0, c) * exponential2(third.integer, x);
  Expr special =
      eq(x, 0.0) | !lt(abs(x), std::numeric_limits<double>::infinity());
  return select(special, x, copysign(c, x));
}

Expr expandRsqrt(Expr x) { return 1.0 / sqrt(x); }

Expr expandHypot(Expr x, Expr y) {
  Expr a = abs(x), b = abs(y);
  Expr infinity = x.constant(std::numeric_limits<double>::infinity());
  Expr result = infinity;
  if (x.isF64()) {
    // Scaled by a power of two where a square could overflow or underflow.
    Expr swap = gt(b, a);
    Expr large = select(swap, b, a), small = select(swap, a, b);
    Expr above = gt(large, 0x1p500), below = lt(large, 0x1p-500);
    Expr one = x.constant(1.0);
    Expr down = select(above, 0x1p-600, select(below, 0x1p600, one));
    Expr up = select(above, 0x1p600, select(below, 0x1p-600, one));
    large = large * down;
    small = small * down;
    result = sqrt(fma(large, large, small * small)) * up;
  } else {
    Expr wideA = toF64(a), wideB = toF64(b);
    result = toF32(sqrt(fma(wideA, wideA, wideB * wideB)));
  }
  return select(eq(a, infinity) | eq(b, infinity), infinity, result);
}

Expr expandRound(Expr x) {
  // Half away from zero: no instruction rounds so.
  Expr a = abs(x);
  Expr whole(mlir::math::TruncOp::create(x.builder(), a), x.builder());
  return copysign(select(ge(a - whole, 0.5), whole + 1.0, whole), x);
}

} // namespace cellgrad
