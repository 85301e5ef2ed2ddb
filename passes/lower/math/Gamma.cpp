//===- Gamma.cpp - lgamma, digamma, polygamma -----------------------------===//
//
// All in f64, f32 too: near the zeros the leading digits cancel. A positive
// argument is shifted to where one polynomial serves, or above to where the
// asymptotic series does; a negative one is mirrored, under a branch that is
// taken when any lane needs it.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace cellgrad {

static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static Expr widened(Expr x) { return x.isF64() ? x : toF64(x); }
static Expr narrowed(Expr value, Expr like) {
  return like.isF64() ? value : toF32(value);
}

/// x less the nearest integer, exactly; NaN for infinite x.
static Expr fractionOf(Expr x) {
  MathBuilder &b = x.builder();
  return x - Expr(math::RoundEvenOp::create(b, x), b);
}

/// The distance of `x` to the pole it is mirrored at, as an argument that is
/// not negative.
static Expr mirrored(Expr x) { return select(lt(x, 0.0), 1.0 - x, x); }

/// pi cot(pi r) for |r| <= 1/2.
static Expr cotangent(Expr r) {
  return fma(-r, horner(r * r, kCotPiF64), 1.0 / r);
}

//===----------------------------------------------------------------------===//
// lgamma
//===----------------------------------------------------------------------===//

static Expr lgammaOfPositive(Expr x) {
  Expr large = ge(x, 8.0), low = lt(x, 1.25), tiny = lt(x, 0.25);
  // lgamma(x) = lgamma(x - n) + log((x - 1) ... (x - n)), x - n in [5/4, 9/4):
  // exact differences.
  Expr y = x, product = x.constant(1.0);
  for (int k = 1; k <= 6; ++k) {
    Expr shifted = x - k, taken = ge(x, k + 1.25);
    product = select(taken, product * shifted, product);
    y = select(taken, shifted, y);
  }
  // Below, lgamma(x + 1) - log(x) and lgamma(x + 2) - log(x^2 + x).
  Expr t = select(tiny, x, select(low, x - 1.0, y - 2.0));
  product = select(tiny, fma(x, x, x), select(low, x, product));
  Expr log = expandLog(select(large, x, product));
  Expr near = fma(t, horner(t, kLgammaF64), select(low, -log, log));
  Expr inverse = 1.0 / x;
  Expr tail = fma(inverse, horner(inverse * inverse, kStirlingF64),
                  kHalfLogTwoPiEF64[0]);
  return select(large, (x - 0.5) * (log - 1.0) + tail, near);
}

Expr expandLgamma(Expr given) {
  Expr x = widened(given);
  Expr positive = lgammaOfPositive(mirrored(x));
  // lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1 - x).
  Expr result = repairLanes(lt(x, 0.0), positive, [&](MathBuilder &b) {
    Expr arg(x, b), r = fractionOf(arg), z = r * r;
    Expr sine = abs(fma(r * z, horner(z, kSinPiF64), r));
    Expr value = -(expandLog(sine) + Expr(positive, b));
    return select(eq(r, 0.0) | eq(arg, -kInf), kInf, value);
  });
  return narrowed(result, given);
}

//===----------------------------------------------------------------------===//
// digamma
//===----------------------------------------------------------------------===//

static Expr digammaOfPositive(Expr x) {
  Expr large = ge(x, 7.0), low = lt(x, 1.0);
  // digamma(x) = digamma(x - n) + 1/(x - 1) + ... + 1/(x - n), x - n in [1, 2),
  // as one fraction; digamma(x + 1) - 1/x below.
  Expr y = x, numerator = x.constant(0.0), denominator = x.constant(1.0);
  for (int k = 1; k <= 5; ++k) {
    Expr shifted = x - k, taken = ge(x, k + 1.0);
    numerator = select(taken, fma(numerator, shifted, denominator), numerator);
    denominator = select(taken, denominator * shifted, denominator);
    y = select(taken, shifted, y);
  }
  numerator = select(large, 1.0, select(low, -1.0, numerator));
  denominator = select(large | low, x, denominator);
  Expr quotient = numerator / denominator;
  // The zero near 1.46 is a factor of its own.
  Expr u = select(low, x - 0.5, y - 1.5);
  Expr distance = (u - kDigammaRootF64[0]) - kDigammaRootF64[1];
  Expr near = fma(distance, horner(u, kDigammaF64), quotient);
  Expr square = quotient * quotient;
  Expr tail = fma(square, horner(square, kDigammaTailF64), quotient * 0.5);
  return select(large, expandLog(x) - tail, near);
}

Expr expandDigamma(Expr given) {
  Expr x = widened(given);
  Expr positive = digammaOfPositive(mirrored(x));
  // digamma(x) = digamma(1 - x) - pi cot(pi x).
  Expr result = repairLanes(lt(x, 0.0), positive, [&](MathBuilder &b) {
    Expr r = fractionOf(Expr(x, b));
    return select(eq(r, 0.0), kNaN, Expr(positive, b) - cotangent(r));
  });
  return narrowed(result, given);
}

//===----------------------------------------------------------------------===//
// polygamma
//===----------------------------------------------------------------------===//

/// x^n for n >= 1, by squaring.
static Expr power(Expr x, int64_t n) {
  if (n == 1)
    return x;
  Expr half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}

/// The sum over k of 1 / (x + k)^s for x >= 0, by the formula of Euler and
/// Maclaurin from x + `shift` on.
static Expr hurwitzZeta(Expr x, int64_t s) {
  int64_t shift = 8 + s / 2;
  // B_2j / (2j)! s (s + 1) ... (s + 2j - 2), until that is no weight any more.
  SmallVector<double> series;
  double rising = s, weight = 1;
  for (double bernoulli : kEulerMaclaurinF64) {
    series.push_back(bernoulli * rising);
    weight /= static_cast<double>(shift * shift);
    if (std::abs(series.back()) * weight * s < 0x1p-60)
      break;
    int64_t j = series.size();
    rising *= (s + 2 * j - 1.0) * (s + 2.0 * j);
  }
  Expr inverse = 1.0 / (x + static_cast<double>(shift));
  Expr rest = inverse * horner(inverse * inverse, series);
  Expr tail = fma(inverse, rest + 0.5, 1.0 / (s - 1));
  Expr sum = power(1.0 / (x + (shift - 1.0)), s);
  for (int64_t k = shift - 2; k > 0; --k)
    sum = sum + power(1.0 / (x + static_cast<double>(k)), s);
  // The largest terms last: the tail for large x, 1 / x^s for small ones.
  return sum + power(inverse, s - 1) * tail + power(1.0 / x, s);
}

/// Coefficients q, lowest first, of the derivative of `order` of pi cot(pi x)
/// in the cotangent: q(cot^2) for odd orders, cot q(cot^2) for even ones. All
/// have one sign.
static SmallVector<double> cotangentDerivative(int64_t order) {
  SmallVector<double> p = {0, 1};
  for (int64_t n = 0; n < order; ++n) {
    // cot' = -(1 + cot^2)
    SmallVector<double> next(p.size() + 1, 0.0);
    for (size_t k = 1; k < p.size(); ++k) {
      next[k - 1] -= k * p[k];
      next[k + 1] -= k * p[k];
    }
    p = next;
  }
  SmallVector<double> q;
  double scale = std::pow(3.14159265358979323846, order + 1.0);
  for (size_t k = (order + 1) % 2; k < p.size(); k += 2)
    q.push_back(p[k] * scale);
  return q;
}

Expr expandPolygamma(Expr given, int64_t order) {
  Expr x = widened(given);
  bool odd = order % 2;
  double factorial = std::tgamma(order + 1.0);
  Expr positive =
      hurwitzZeta(mirrored(x), order + 1) * (odd ? factorial : -factorial);
  // The derivatives of digamma(1 - x) - pi cot(pi x).
  Expr result = repairLanes(lt(x, 0.0), positive, [&](MathBuilder &b) {
    Expr r = fractionOf(Expr(x, b)), other(positive, b);
    Expr c = cotangent(r) * kInvPiF64[0];
    Expr d = horner(c * c, cotangentDerivative(order));
    if (odd)
      return -(other + d);
    return select(eq(r, 0.0), kNaN, other - c * d);
  });
  return narrowed(result, given);
}

} // namespace cellgrad
