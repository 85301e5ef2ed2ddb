//===- Functions.h - formulas of the elementary functions -------*- C++ -*-===//
//
// Each function emits the computation of one elementary function on f32 or f64
// scalars or vectors.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_MATH_FUNCTIONS_H
#define CELLGRAD_LOWER_MATH_FUNCTIONS_H

#include "passes/lower/math/Expr.h"

namespace cellgrad {

#include "passes/lower/math/Coefficients.inc"
#include "passes/lower/math/SpecialCoefficients.inc"

/// x = k ln 2 + r + low, |r| <= ln 2 / 2.
struct ExpReduction {
  Expr r, low;
  Rounded k;
};
ExpReduction reduceExp(Expr x);
/// exp of the reduced argument, without its low part.
Expr expOfReduced(const ExpReduction &red);

/// x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); k as a float and as an
/// integer.
struct LogReduction {
  Expr f, kf, k;
};
/// `subnormal` tells whether x may be subnormal.
LogReduction reduceLog(Expr x, bool subnormal);
/// log(1 + u) for u >= 0 given to twice the precision, or -1 < u.hi < 0.
Expr logOnePlus(Double u);

/// x = n pi/2 + r + low, |r| <= pi/4, of which the low two bits of n matter.
struct PiReduction {
  Expr n, r, low;
};
/// Whether x >= 0 is too large to be reduced in three parts.
Expr isLargeForHalfPi(Expr x);
/// `moderate`, or where x >= 0 is large the exact reduction of Payne and Hanek;
/// r is NaN for infinite x.
PiReduction reduceLargeByHalfPi(Expr x, const PiReduction &moderate);

/// `common`, or in the lanes of `rare` what `repair` makes of it, under a
/// branch taken when there is such a lane.
Expr repairLanes(Expr rare, Expr common,
                 llvm::function_ref<Expr(MathBuilder &)> repair);

Expr expandExp(Expr x);
Expr expandExp2(Expr x);
Expr expandExpM1(Expr x);
Expr expandLog(Expr x);
Expr expandLog2(Expr x);
Expr expandLog10(Expr x);
Expr expandLog1p(Expr x);
Expr expandSinh(Expr x);
Expr expandCosh(Expr x);
Expr expandTanh(Expr x);
Expr expandAsinh(Expr x);
Expr expandAcosh(Expr x);
Expr expandAtanh(Expr x);
Expr expandSin(Expr x);
Expr expandCos(Expr x);
Expr expandTan(Expr x);
Expr expandAsin(Expr x);
Expr expandAcos(Expr x);
Expr expandAtan(Expr x);
Expr expandAtan2(Expr y, Expr x);
Expr expandErf(Expr x);
Expr expandErfc(Expr x);
Expr expandErfinv(Expr x);
/// exp(-x^2).
Expr expandGaussian(Expr x);
/// exp(x^2).
Expr expandExpSquare(Expr x);
/// 1 / cosh(x)^2.
Expr expandSechSquared(Expr x);
/// exp(-x) / (1 + exp(-x))^2, the derivative of 1 / (1 + exp(-x)).
Expr expandSigmoidSlope(Expr x);
Expr expandHypot(Expr x, Expr y);
Expr expandLgamma(Expr x);
Expr expandDigamma(Expr x);
/// The derivative of digamma of `order`, at least 1.
Expr expandPolygamma(Expr x, int64_t order);
Expr expandCbrt(Expr x);
Expr expandRsqrt(Expr x);
Expr expandRound(Expr x);
Expr expandPow(Expr x, Expr y);
/// x^n for an integer n of any width.
Expr expandPowInteger(Expr x, Expr n);
/// Integers: x^n, 0 for negative n unless |x| = 1.
Expr expandIntegerPow(Expr x, Expr n);

} // namespace cellgrad

#endif
