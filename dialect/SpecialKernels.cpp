//===- SpecialKernels.cpp - special functions in C++, for interpretation --===//

#include "dialect/SpecialKernels.h"

#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// B_2, B_4, ...
constexpr long double bernoulli[] = {
    1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
    5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
    43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

/// x less the nearest integer, exactly.
long double fractionOf(double x) { return x - std::nearbyint(x); }

/// The derivative of `order` of pi cot(pi x), from its distance to the pole: a
/// polynomial in the cotangent, as cot' = -(1 + cot^2).
long double cotangentDerivative(int order, double x) {
  long double c = 1 / std::tan(pi * fractionOf(x));
  std::vector<long double> p = {0, 1};
  for (int n = 0; n < order; ++n) {
    std::vector<long double> next(p.size() + 1, 0);
    for (size_t k = 1; k < p.size(); ++k) {
      next[k - 1] -= k * p[k];
      next[k + 1] -= k * p[k];
    }
    p = next;
  }
  long double value = 0;
  for (size_t k = p.size(); k-- > 0;)
    value = value * c + p[k];
  return value * std::pow(pi, static_cast<long double>(order + 1));
}

/// polygamma for x > 0: the recurrence up to where the asymptotic series ends.
long double polygammaOfPositive(int order, long double x) {
  long double sign = order % 2 ? 1 : -1;
  long double factorial = std::tgamma(static_cast<long double>(order) + 1);
  long double sum = 0;
  while (x < 40 + order) {
    sum += factorial / std::pow(x, static_cast<long double>(order + 1));
    x += 1;
  }
  long double power = std::pow(x, static_cast<long double>(-order));
  sum += factorial / order * power + factorial / 2 * power / x;
  // Terms B_2k (2k + order - 1)! / ((2k)! x^(2k + order)).
  for (size_t k = 1; k <= std::size(bernoulli); ++k)
    sum += bernoulli[k - 1] *
           std::exp(std::lgamma(static_cast<long double>(2 * k + order)) -
                    std::lgamma(static_cast<long double>(2 * k + 1))) *
           power / std::pow(x, static_cast<long double>(2 * k));
  return sign * sum;
}

long double digammaOfPositive(long double x) {
  long double sum = 0;
  while (x < 40) {
    sum -= 1 / x;
    x += 1;
  }
  sum += std::log(x) - 1 / (2 * x);
  for (size_t k = 1; k <= std::size(bernoulli); ++k)
    sum -= bernoulli[k - 1] /
           (2 * k * std::pow(x, static_cast<long double>(2 * k)));
  return sum;
}

} // namespace

double cellgrad::digamma(double x) {
  if (x == 0)
    return std::signbit(x) ? infinity : -infinity;
  if (std::isnan(x) || x == -infinity)
    return notANumber;
  if (x > 0)
    return std::isinf(x) ? x : digammaOfPositive(x);
  if (fractionOf(x) == 0)
    return notANumber;
  return digammaOfPositive(1 - static_cast<long double>(x)) -
         cotangentDerivative(0, x);
}

double cellgrad::polygamma(int order, double x) {
  bool odd = order % 2;
  if (x == 0)
    return odd || std::signbit(x) ? infinity : -infinity;
  if (std::isnan(x) || x == -infinity)
    return notANumber;
  if (x > 0)
    return std::isinf(x) ? (odd ? 0.0 : -0.0) : polygammaOfPositive(order, x);
  if (fractionOf(x) == 0)
    return odd ? infinity : notANumber;
  long double mirrored =
      polygammaOfPositive(order, 1 - static_cast<long double>(x));
  return (odd ? -mirrored : mirrored) - cotangentDerivative(order, x);
}

double cellgrad::inverseErf(double x) {
  if (std::isnan(x) || std::abs(x) > 1)
    return notANumber;
  if (std::abs(x) == 1)
    return std::copysign(infinity, x);
  // Newton's iteration, on the complement where x is near 1.
  long double a = std::abs(static_cast<long double>(x));
  long double y = a < 0.5L ? a : std::sqrt(-std::log(1 - a));
  for (int i = 0; i < 100; ++i) {
    long double miss = a < 0.5L ? std::erf(y) - a : (1 - a) - std::erfc(y);
    long double step = miss * std::sqrt(pi) / 2 * std::exp(y * y);
    y -= step / (1 + y * step);
    if (std::abs(step) <= 1e-19L * y)
      break;
  }
  return std::copysign(static_cast<double>(y), x);
}
