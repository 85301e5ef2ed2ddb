//===- Erfinv.cpp - erfinv ------------------------------------------------===//
//
// erfinv(x) = x P(w), w = -log(1 - x^2); where w is not small, P is a
// polynomial in its square root (M. Giles, "Approximating the erfinv function",
// GPU Computing Gems, 2011).
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include <limits>

namespace cellgrad {

Expr expandErfinv(Expr x) {
  Format format(x);
  Expr w = -expandLog((1.0 - x) * (1.0 + x));
  Expr root = sqrt(w);
  Expr near = horner(w - 2.5, format.table(kErfinvAF32, kErfinvAF64));
  Expr far = horner(root - 3.1, format.table(kErfinvBF32, kErfinvBF64));
  if (format.f64)
    far = select(lt(w, 16.0), far, horner(root - 5.0, kErfinvCF64));
  Expr result = x * select(lt(w, 5.0), near, far);
  Expr infinity = x.constant(std::numeric_limits<double>::infinity());
  return select(eq(abs(x), 1.0), copysign(infinity, x), result);
}

} // namespace cellgrad
