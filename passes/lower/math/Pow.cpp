//===- Pow.cpp - powf, fpowi ----------------------------------------------===//
//
// x^y = 2^(y log2 x), with log2 |x| to about 2^-66 for f64 (the leading terms
// of the logarithm in double-word arithmetic) so that y log2 x keeps its
// fraction even where it reaches the largest exponent. f32 computes in f64,
// where plain arithmetic is enough. What is outside 0 < x < inf, |y| < inf is
// put right under one uniform branch.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <limits>
#include <optional>

using namespace mlir;

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// 0 < x < inf
//===----------------------------------------------------------------------===//

/// log2(x) for 0 < x < inf in f64, relative error below 2^-64.
static Double log2Double(Expr x) {
  LogReduction red = reduceLog(x, /*subnormal=*/true);
  // s = f / (2 + f), log(1+f) = 2s + s^3 (2/3 + s^2 T(s^2)); each product keeps
  // the first-order error terms.
  Double s = div({red.f, x.constant(0.0)}, fastTwoSum(x.constant(2.0), red.f));
  Double z = twoProd(s.hi, s.hi);
  z.lo = fma(s.hi + s.hi, s.lo, z.lo);
  Double c =
      fastTwoSum(x.constant(kTwoThirdsF64[0]), z.hi * horner(z.hi, kLogTF64));
  c.lo = c.lo + kTwoThirdsF64[1];
  Double cube = twoProd(s.hi, z.hi);
  cube.lo = fma(s.lo, z.hi, fma(s.hi, z.lo, cube.lo));
  Double tail = twoProd(cube.hi, c.hi);
  tail.lo = fma(cube.lo, c.hi, fma(cube.hi, c.lo, tail.lo));
  Double log = fastTwoSum(s.hi + s.hi, tail.hi);
  log.lo = log.lo + fma(s.lo, 2.0, tail.lo);
  Double log2 = twoProd(log.hi, x.constant(kLog2EF64[0]));
  log2.lo = fma(log.lo, kLog2EF64[0], fma(log.hi, kLog2EF64[1], log2.lo));
  Double sum = fastTwoSum(red.kf, log2.hi);
  return {sum.hi, sum.lo + log2.lo};
}

/// x^y in f64.
static Expr powPositiveF64(Expr x, Expr y) {
  Double l = log2Double(x);
  Expr product = y * l.hi;
  Expr low = fma(y, l.lo, fma(y, l.hi, -product));
  // Beyond the bounds the result has overflowed or vanished; there the error
  // term could be NaN.
  Expr inside = lt(abs(product), 1100.0);
  product =
      select(inside, product, copysign(product.constant(1100.0), product));
  low = select(inside, low, 0.0);
  Rounded k = round(product);
  Expr r = (product - k.value) + low;
  return scale(fma(r, horner(r, kExp2F64), 1.0), k);
}

/// x^y for the f32 value x and y given in f64.
static Expr powPositiveF32(Expr x, Expr y) {
  LogReduction red = reduceLog(x, /*subnormal=*/false);
  Expr s = red.f / (red.f + 2.0);
  Expr z = s * s;
  Expr log = s * fma(z, horner(z, kLogSShortF64), 2.0);
  Expr product = y * fma(log, kLog2EF64[0], red.kf);
  Expr bounded = select(gt(product, 200.0), 200.0, product);
  bounded = select(lt(bounded, -200.0), -200.0, bounded);
  Rounded k = round(bounded);
  Expr r = bounded - k.value;
  Expr power = fma(r, horner(r, kExp2ShortF64), 1.0);
  return toF32(power * exponential2(k.integer, x));
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

Expr repairLanes(Expr rare, Expr common,
                 llvm::function_ref<Expr(MathBuilder &)> repair) {
  auto ifOp = scf::IfOp::create(
      common.builder(), anyLane(rare),
      [&](OpBuilder &nested, Location loc) {
        MathBuilder b(loc, nested, common.builder().features);
        Expr repaired = select(Expr(rare, b), repair(b), Expr(common, b));
        scf::YieldOp::create(b, Value(repaired));
      },
      [&](OpBuilder &nested, Location loc) {
        scf::YieldOp::create(nested, loc, Value(common));
      });
  return {ifOp.getResult(0), common.builder()};
}

/// Zero and infinite x, and the sign of negative x for odd powers.
static Expr repairBase(Expr x, Expr result, Expr yNegative, Expr yOdd) {
  Expr isZero = eq(x, 0.0), isInf = eq(abs(x), kInf);
  Expr limit = select(isZero ^ yNegative, 0.0, x.constant(kInf));
  result = select(isZero | isInf, limit, result);
  return select(slt(bits(x), 0) & yOdd, -result, result);
}

/// The special cases of C's pow (C99 F.9.4.4).
static Expr repairPow(Expr x, Expr y, Expr result) {
  Expr magnitude = abs(x), yNegative = lt(y, 0.0);
  Expr isInteger = eq(floor(y), y);
  Expr half = y * 0.5;
  Expr isOdd = isInteger & ne(floor(half), half);
  result = repairBase(x, result, yNegative, isOdd);
  Expr undefined = lt(x, 0.0) & lt(magnitude, kInf) & !isInteger;
  result = select(undefined, kNaN, result);
  Expr grows = gt(magnitude, 1.0) ^ yNegative;
  Expr limit = select(grows, kInf, x.constant(0.0));
  limit = select(eq(magnitude, 1.0), 1.0, limit);
  result = select(eq(abs(y), kInf), limit, result);
  // 1^y and x^0 are 1 even for NaN.
  result = select(isNaN(x) | isNaN(y), x + y, result);
  return select(eq(x, 1.0) | eq(y, 0.0), 1.0, result);
}

static Expr positiveAndFinite(Expr x) { return gt(x, 0.0) & lt(x, kInf); }

/// The number all lanes of a float or integer value hold, if it is constant.
static std::optional<double> uniformConstant(Value v) {
  if (auto extend = v.getDefiningOp<arith::ExtFOp>())
    v = extend.getIn();
  APFloat f(0.0);
  if (matchPattern(v, m_ConstantFloat(&f)))
    return f.convertToDouble();
  APInt i;
  if (matchPattern(v, m_ConstantInt(&i)))
    return static_cast<double>(i.getSExtValue());
  return std::nullopt;
}

/// Powers that take a few operations, exact to 1 or 2 ulp.
static std::optional<Expr> expandConstantPower(Expr x, Value exponent) {
  std::optional<double> c = uniformConstant(exponent);
  if (!c)
    return std::nullopt;
  if (*c == 0.0)
    return x.constant(1.0);
  if (*c == 1.0)
    return x;
  if (*c == 2.0)
    return x * x;
  if (*c == 3.0)
    return x * x * x;
  if (*c == -1.0)
    return 1.0 / x;
  // The powers of -0 and -inf are those of 0 and inf.
  if (*c == 0.5 || *c == -0.5) {
    Expr root = sqrt(select(eq(x, -kInf), kInf, x + 0.0));
    return *c == 0.5 ? root : 1.0 / root;
  }
  return std::nullopt;
}

Expr expandPow(Expr x, Expr y) {
  if (std::optional<Expr> simple = expandConstantPower(x, y))
    return *simple;
  Expr magnitude = abs(x);
  Expr result = x.isF64() ? powPositiveF64(magnitude, y)
                          : powPositiveF32(toF64(magnitude), toF64(y));
  Expr rare = !(positiveAndFinite(x) & lt(abs(y), kInf));
  return repairLanes(rare, result, [&](MathBuilder &b) {
    return repairPow(Expr(x, b), Expr(y, b), Expr(result, b));
  });
}

Expr expandPowInteger(Expr x, Expr n) {
  if (std::optional<Expr> simple = expandConstantPower(x, n))
    return *simple;
  MathBuilder &b = x.builder();
  Expr y(arith::SIToFPOp::create(b, n.withElement(b.getF64Type()), Value(n)),
         b);
  Expr result =
      x.isF64() ? powPositiveF64(abs(x), y) : powPositiveF32(toF64(abs(x)), y);
  return repairLanes(!positiveAndFinite(x), result, [&](MathBuilder &inner) {
    Expr base(x, inner), exponent(n, inner);
    Expr repaired = repairBase(base, Expr(result, inner), slt(exponent, 0),
                               nei(andi(exponent, 1), 0));
    repaired = select(isNaN(base), base, repaired);
    return select(eqi(exponent, 0), 1.0, repaired);
  });
}

} // namespace cellgrad
