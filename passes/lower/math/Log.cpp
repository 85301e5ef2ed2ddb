//===- Log.cpp - log, log2, log10, log1p ----------------------------------===//
//
// x = 2^k (1 + f). In f32 log(1+f) is a polynomial in f; in f64 one in s =
// f/(2+f), where it converges twice as fast (log(1+f) = 2 atanh(s)). The
// leading f is exact and added last.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include <limits>

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LogReduction reduceLog(Expr x, bool subnormal) {
  Format format(x);
  int64_t shift = format.fraction() + 1;
  Expr k0 = bits(x).integer(0);
  if (subnormal) {
    Expr small = lt(x, format.minNormal());
    x = select(small, x * format.pick(0x1p24, 0x1p53), x);
    k0 = select(small, k0.integer(-shift), k0);
  }
  Expr b = bits(x);
  // The bits of sqrt(1/2): the significand is brought to [sqrt(1/2), sqrt(2)).
  Expr k = shra(addi(b, -format.pick<int64_t>(0x3F3504F3, 0x3FE6A09E667F3BCD)),
                format.fraction());
  Expr f = fromBits(subi(b, shl(k, format.fraction()))) - 1.0;
  if (subnormal)
    k = addi(k, k0);
  return {f, intToFloat(k, x), k};
}

/// log(1 + f) + low - f, |low| small.
static Expr logTail(Expr f, Expr low) {
  Expr square = f * f;
  if (!f.isF64()) {
    Expr cubic = fma(square * f, horner(f, kLogF32), low);
    return fma(square, -0.5, cubic);
  }
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  Expr halfSquare = 0.5 * square;
  return fma(s, fma(z, horner(z, kLogSF64), halfSquare), low) - halfSquare;
}

/// log(1 + f) + low + k ln 2.
static Expr logSum(Expr f, Expr kf, Expr low) {
  llvm::ArrayRef<double> ln2 = Format(f).table(kLn2F32, kLn2F64);
  Expr tail = logTail(f, fma(kf, ln2[1], low));
  return fma(kf, ln2[0], f + tail);
}

/// The values of a logarithm outside (0, inf).
static Expr logSpecial(Expr x, Expr result) {
  result = select(lt(x, kInf), result, x);
  result = select(lt(x, 0.0), kNaN, result);
  return select(eq(x, 0.0), -kInf, result);
}

Expr expandLog(Expr x) {
  LogReduction red = reduceLog(x, /*subnormal=*/true);
  llvm::ArrayRef<double> ln2 = Format(x).table(kLn2F32, kLn2F64);
  Expr tail = logTail(red.f, red.kf * ln2[1]);
  return logSpecial(x, fma(red.kf, ln2[0], red.f + tail));
}

/// log(1 + f) times a constant given in two parts, to more than the precision.
static Double scaledLog(Expr f, llvm::ArrayRef<double> c) {
  Expr tail = logTail(f, f.constant(0.0));
  Double product = twoProd(f, f.constant(c[0]));
  return {product.hi, fma(f, c[1], fma(tail, c[0], product.lo))};
}

Expr expandLog2(Expr x) {
  LogReduction red = reduceLog(x, /*subnormal=*/true);
  Double l = scaledLog(red.f, Format(x).table(kLog2EF32, kLog2EF64));
  Double sum = fastTwoSum(red.kf, l.hi);
  return logSpecial(x, sum.hi + (sum.lo + l.lo));
}

Expr expandLog10(Expr x) {
  Format format(x);
  llvm::ArrayRef<double> log10Of2 = format.table(kLog10Of2F32, kLog10Of2F64);
  LogReduction red = reduceLog(x, /*subnormal=*/true);
  Double l = scaledLog(red.f, format.table(kLog10EF32, kLog10EF64));
  Double k = twoProd(red.kf, x.constant(log10Of2[0]));
  Double sum = fastTwoSum(k.hi, l.hi);
  Expr low = fma(red.kf, log10Of2[1], k.lo) + l.lo;
  return logSpecial(x, sum.hi + (sum.lo + low));
}

Expr logOnePlus(Double u) {
  Double sum = twoSum(u.hi.constant(1.0), u.hi);
  LogReduction red = reduceLog(sum.hi, /*subnormal=*/false);
  // log(1 + f + low) = log(1 + f) + low / (1 + f), where 1 - f is close enough
  // to 1 / (1 + f). For a large argument the low part has no weight (and its
  // scale could underflow).
  Expr low = (sum.lo + u.lo) * exponential2(subi(0, red.k), u.hi);
  low = select(lt(u.hi, 0x1p60), low, 0.0);
  return logSum(red.f, red.kf, fma(-low, red.f, low));
}

Expr expandLog1p(Expr x) {
  Expr result = logOnePlus({x, x.constant(0.0)});
  result = select(lt(x, kInf), copysign(result, x), x);
  result = select(lt(x, -1.0), kNaN, result);
  return select(eq(x, -1.0), -kInf, result);
}

} // namespace cellgrad
