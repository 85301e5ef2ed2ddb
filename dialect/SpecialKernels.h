//===- SpecialKernels.h - special functions in C++, for interpretation ----===//
//
// Independent of the compiled code, which these check: long double arithmetic
// and other formulas.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_DIALECT_SPECIALKERNELS_H
#define CELLGRAD_DIALECT_SPECIALKERNELS_H

namespace cellgrad {

/// The derivative of lgamma.
double digamma(double x);

/// The derivative of digamma of `order`, at least 1.
double polygamma(int order, double x);

/// The number whose error function is x.
double inverseErf(double x);

} // namespace cellgrad

#endif
