//===- InverseTrig.cpp - asin, acos, atan, atan2 --------------------------===//

#include "passes/lower/math/Functions.h"

#include <limits>

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// base + angle + tail, where base is 0 or not below the angle.
static Expr addToBase(Double base, Expr angle, Expr tail) {
  Double sum = fastTwoSum(base.hi, angle);
  return sum.hi + (sum.lo + (tail + base.lo));
}

/// atan(q) - q for 0 <= q <= 1.
static Expr atanTail(Expr q) {
  Expr t = q * q;
  return q * t * horner(t, Format(q).table(kAtanF32, kAtanF64));
}

Expr expandAtan(Expr x) {
  // atan(a) = pi/2 - atan(1/a).
  llvm::ArrayRef<double> halfPi = Format(x).table(kHalfPiF32, kHalfPiF64);
  Expr a = abs(x);
  Expr inverted = gt(a, 1.0);
  Expr q = select(inverted, 1.0 / a, a);
  Expr tail = atanTail(q);
  Expr zero = x.constant(0.0);
  Double base{select(inverted, halfPi[0], zero),
              select(inverted, halfPi[1], zero)};
  return copysign(
      addToBase(base, select(inverted, -q, q), select(inverted, -tail, tail)),
      x);
}

Expr expandAtan2(Expr y, Expr x) {
  Format format(x);
  llvm::ArrayRef<double> pi = format.table(kPiF32, kPiF64);
  llvm::ArrayRef<double> halfPi = format.table(kHalfPiF32, kHalfPiF64);
  Expr ax = abs(x), ay = abs(y);
  Expr steep = gt(ay, ax), left = slt(bits(x), 0);
  Expr small = select(steep, ax, ay), large = select(steep, ay, ax);
  Expr q = select(eq(small, kInf), 1.0, small / large);
  q = select(eq(large, 0.0), 0.0, q);
  Expr tail = atanTail(q);
  // The quotient's rounding error is not in the tail: 1 ulp in all.
  Expr zero = x.constant(0.0);
  Double base{select(steep, halfPi[0], select(left, pi[0], zero)),
              select(steep, halfPi[1], select(left, pi[1], zero))};
  Expr subtract = steep ^ left;
  Expr angle =
      addToBase(base, select(subtract, -q, q), select(subtract, -tail, tail));
  return select(isNaN(x) | isNaN(y), x + y, copysign(angle, y));
}

namespace {
/// asin(s) = s + tail with s = |x|, or s = sqrt((1 - |x|) / 2) for `far` |x| >
/// 1/2, where asin |x| = pi/2 - 2 asin(s).
struct AsinParts {
  Expr s, tail, far;
};
} // namespace

static AsinParts asinParts(Expr a) {
  Expr far = gt(a, 0.5);
  Expr z = select(far, fma(a, -0.5, 0.5), a * a);
  Expr s = select(far, sqrt(z), a);
  Expr tail = s * z * horner(z, Format(a).table(kAsinF32, kAsinF64));
  return {s, tail, far};
}

Expr expandAsin(Expr x) {
  llvm::ArrayRef<double> halfPi = Format(x).table(kHalfPiF32, kHalfPiF64);
  AsinParts p = asinParts(abs(x));
  Expr factor = select(p.far, -2.0, x.constant(1.0));
  Expr zero = x.constant(0.0);
  Double base{select(p.far, halfPi[0], zero), select(p.far, halfPi[1], zero)};
  return copysign(addToBase(base, factor * p.s, factor * p.tail), x);
}

Expr expandAcos(Expr x) {
  Format format(x);
  llvm::ArrayRef<double> pi = format.table(kPiF32, kPiF64);
  llvm::ArrayRef<double> halfPi = format.table(kHalfPiF32, kHalfPiF64);
  AsinParts p = asinParts(abs(x));
  // |x| > 1/2: 2 asin(s), or pi less that for negative x; else pi/2 - asin(x).
  Expr negative = lt(x, 0.0);
  Expr factor = select(p.far ^ negative, 1.0, x.constant(-1.0));
  factor = select(p.far, factor + factor, factor);
  Expr zero = x.constant(0.0);
  auto base = [&](int i) {
    Expr farBase = select(negative, pi[i], zero);
    return select(p.far, farBase, halfPi[i]);
  };
  return addToBase({base(0), base(1)}, factor * p.s, factor * p.tail);
}

} // namespace cellgrad
