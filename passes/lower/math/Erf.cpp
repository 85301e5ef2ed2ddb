//===- Erf.cpp - erf, erfc ------------------------------------------------===//

#include "passes/lower/math/Functions.h"

namespace cellgrad {

Expr expandErf(Expr x) {
  // Below 0.9 a polynomial; above, 1 - exp(G(x)) with a polynomial G for
  // log(erfc(x)), whose relative error counts less and less.
  Format format(x);
  Expr a = abs(x);
  Expr t = a * a;
  Expr near = fma(a, horner(t, format.table(kErfF32, kErfF64)), a);
  double end = format.pick(4.0, 6.0);
  Expr bounded = select(gt(a, end), end, a);
  Expr g = horner(bounded, format.table(kLogErfcF32, kLogErfcF64));
  Expr far = 1.0 - expOfReduced(reduceExp(g));
  return copysign(select(lt(a, 0.9), near, far), x);
}

Expr expandErfc(Expr x) {
  // exp(-a^2) W(u) / (1 + 2a), u = (a - 4) / (a + 4); every step but W's
  // polynomial carries its rounding error along.
  Format format(x);
  Expr a = abs(x);
  double end = format.pick(10.2, 27.5);
  a = select(gt(a, end), end, a);
  Expr one = x.constant(1.0);
  llvm::ArrayRef<double> c = format.table(kErfcF32, kErfcF64);
  Expr u = (a - 4.0) / (a + 4.0);
  Double w = fastTwoSum(x.constant(c[0]), u * horner(u, c.drop_front()));
  Double twice{2.0 * a, x.constant(0.0)};
  Double denominator = twoSum(one, twice.hi);
  Double v = div(w, denominator);
  Double square = twoProd(a, a);
  ExpReduction red = reduceExp(-square.hi);
  Expr low = red.low - square.lo;
  Expr q = horner(red.r, format.table(kExpM1F32, kExpM1F64));
  Double power = fastTwoSum(one, red.r);
  power.lo = fma(red.r * red.r, q, power.lo);
  power = fastTwoSum(power.hi, power.lo);
  power.lo = fma(low, power.hi, power.lo);
  Double product = mul(power, v);
  // erfc(-a) = 2 - erfc(a).
  Expr positive = scale(product.hi + product.lo, red.k);
  Expr result = select(lt(x, 0.0), 2.0 - positive, positive);
  // Near 0 the rounding of u would weigh 3 ulp; there erfc = 1 - erf is
  // accurate.
  Expr e = horner(x * x, format.table(kErfF32, kErfF64));
  Double complement = fastTwoSum(one, -x);
  Expr near = complement.hi + fma(-x, e, complement.lo);
  result = select(lt(a, 0.5), near, result);
  return select(isNaN(x), x, result);
}

} // namespace cellgrad
