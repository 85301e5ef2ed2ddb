//===- Exp.cpp - exp, exp2, expm1 -----------------------------------------===//
//
// Reduction by k ln 2 in two parts after Cody and Waite (Software Manual for
// the Elementary Functions, 1980); with fma the first step is exact. A
// polynomial for the reduced argument, then a scaling by 2^k.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

namespace cellgrad {

ExpReduction reduceExp(Expr x) {
  Format format(x);
  llvm::ArrayRef<double> ln2 = format.table(kLn2F32, kLn2F64);
  Rounded k = roundProduct(x, format.table(kLog2EF32, kLog2EF64)[0]);
  Expr minusK = -k.value;
  Expr exact = fma(minusK, ln2[0], x);
  Expr r = fma(minusK, ln2[1], exact);
  Expr low = fma(minusK, ln2[1], exact - r);
  return {r, low, k};
}

/// x with the values beyond [lo, hi] replaced by the bound; NaN stays.
static Expr clamp(Expr x, double lo, double hi) {
  Expr above = select(gt(x, hi), hi, x);
  return select(lt(above, lo), lo, above);
}

Expr expOfReduced(const ExpReduction &red) {
  Expr q = horner(red.r, Format(red.r).table(kExpF32, kExpF64));
  return scale(1.0 + fma(red.r * red.r, q, red.r), red.k);
}

Expr expandExp(Expr x) {
  Format format(x);
  // Beyond the bounds the result is 0 or infinity already.
  x = clamp(x, format.pick(-104.0, -746.0), format.pick(89.0, 710.0));
  return expOfReduced(reduceExp(x));
}

Expr expandExp2(Expr x) {
  Format format(x);
  x = clamp(x, format.pick(-151.0, -1076.0), format.pick(129.0, 1025.0));
  Rounded k = round(x);
  Expr r = x - k.value;
  Expr e = horner(r, format.table(kExp2F32, kExp2F64));
  return scale(fma(r, e, 1.0), k);
}

Expr expandExpM1(Expr x) {
  Format format(x);
  Expr arg = clamp(x, format.pick(-20.0, -40.0), format.pick(89.0, 709.9));
  ExpReduction red = reduceExp(arg);
  Expr q = horner(red.r, format.table(kExpM1F32, kExpM1F64));
  Expr tail = fma(red.r * red.r, q, red.low);
  // (2^(k-1) (1 + r + tail) - 1/2) * 2: 2^k itself may overflow.
  Expr half = exponential2(addi(red.k.integer, -1), x);
  Expr head = half - 0.5;
  Expr sum = fma(half, red.r, head);
  Expr error = fma(half, red.r, head - sum);
  Expr result = (sum + fma(half, tail, error)) * 2.0;
  // Keeps the sign of zero and the last bit of subnormals.
  return select(lt(abs(x), format.pick(0x1p-25, 0x1p-54)), x, result);
}

} // namespace cellgrad
