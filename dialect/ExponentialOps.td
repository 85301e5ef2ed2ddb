//===- ExponentialOps.td - exponentials, logarithms, error function -------===//

#ifndef CELLGRAD_EXPONENTIALOPS_TD
#define CELLGRAD_EXPONENTIALOPS_TD

include "dialect/CellBase.td"

def Cell_Exp2Op : Cell_UnaryOp<"exp2", Cell_FloatTensor, [Singular]> {
  let summary = "Two to the x";
  let derivative = VJP<["mul(ct, mul(result, 0.6931471805599453))"]>;
  let scalar = Scalar<"std::exp2(x)", "math::Exp2Op(x)">;
  let python = Python<"exp2", "", ["input"]>;
  let forms = ["mint.exp2", "mint.special.exp2"];
  let example = Example<["[0.0, 1.0]"], "[1. 2.]">;
}

def Cell_Expm1Op : Cell_UnaryOp<"expm1", Cell_FloatTensor, [Singular]> {
  let summary = "exp(x) - 1, accurate near 0";
  // Not result + 1, which has lost the small exponential of a negative x.
  let derivative = VJP<["mul(ct, exp(x))"]>;
  let scalar = Scalar<"std::expm1(x)", "math::ExpM1Op(x)">;
  let python = Python<"expm1", "Expm1", ["input"]>;
  let forms = ["Tensor.expm1", "mint.expm1", "mint.special.expm1"];
  let example = Example<["[0.0, 1.0]"], "[0.        1.7182819]">;
}

def Cell_Log1pOp : Cell_UnaryOp<"log1p", Cell_FloatTensor, [Singular]> {
  let summary = "log(1 + x), accurate near 0; -inf at -1, NaN for x < -1";
  let derivative = VJP<["div(ct, add(x, 1))"]>;
  let scalar = Scalar<"std::log1p(x)", "math::Log1pOp(x)">;
  let python = Python<"log1p", "Log1p", ["input"]>;
  let forms = ["Tensor.log1p", "mint.log1p", "mint.special.log1p"];
  let example = Example<["[0.0, 1.0]"], "[0.        0.6931472]">;
}

def Cell_Log2Op : Cell_UnaryOp<"log2", Cell_FloatTensor, [Singular]> {
  let summary = "Logarithm to base 2; -inf at 0, NaN for x < 0";
  let derivative = VJP<["div(mul(ct, 1.4426950408889634), x)"]>;
  let scalar = Scalar<"std::log2(x)", "math::Log2Op(x)">;
  let python = Python<"log2", "", ["input"]>;
  let forms = ["Tensor.log2", "mint.log2"];
  let example = Example<["[1.0, 8.0]"], "[0. 3.]">;
}

def Cell_Log10Op : Cell_UnaryOp<"log10", Cell_FloatTensor, [Singular]> {
  let summary = "Logarithm to base 10; -inf at 0, NaN for x < 0";
  let derivative = VJP<["div(mul(ct, 0.4342944819032518), x)"]>;
  let scalar = Scalar<"std::log10(x)", "math::Log10Op(x)">;
  let python = Python<"log10", "", ["input"]>;
  let forms = ["Tensor.log10", "mint.log10"];
  let example = Example<["[1.0, 100.0]"], "[0. 2.]">;
}

def Cell_SoftplusOp : Cell_UnaryOp<"softplus", Cell_FloatTensor> {
  let summary = "log(1 + exp(x)), which never overflows";
  let derivative = VJP<["mul(ct, sigmoid(x))"]>;
  let scalar = Scalar<"largerOf(x, 0.0) + std::log1p(std::exp(-std::abs(x)))",
    "arith::AddFOp(arith::MaximumFOp(x, 0), math::Log1pOp(math::ExpOp(arith::NegFOp(math::AbsFOp(x)))))">;
}

def Cell_ErfOp : Cell_UnaryOp<"erf", Cell_FloatTensor> {
  let summary = "Error function";
  let derivative = VJP<["mul(ct, mul(gaussian(x), 1.1283791670955126))"]>;
  let scalar = Scalar<"std::erf(x)", "math::ErfOp(x)">;
  let python = Python<"erf", "Erf", ["input"]>;
  let forms = ["Tensor.erf", "mint.erf"];
  let example = Example<["[0.0, 1.0]"], "[0.         0.84270084]">;
}

def Cell_ErfcOp : Cell_UnaryOp<"erfc", Cell_FloatTensor> {
  let summary = "Complementary error function, 1 - erf(x) without cancellation";
  let derivative = VJP<["mul(ct, mul(gaussian(x), -1.1283791670955126))"]>;
  let scalar = Scalar<"std::erfc(x)", "math::ErfcOp(x)">;
  let python = Python<"erfc", "Erfc", ["input"]>;
  let forms = ["Tensor.erfc", "mint.erfc", "mint.special.erfc"];
  let example = Example<["[0.0, 1.0]"], "[1.        0.1572992]">;
}

//===----------------------------------------------------------------------===//
// Derivatives of the above, accurate where they are nearly 0
//===----------------------------------------------------------------------===//

def Cell_GaussianOp : Cell_UnaryOp<"gaussian", Cell_FloatTensor> {
  let summary = "exp(-x^2), without the rounding of the square";
  let derivative = VJP<["mul(ct, mul(mul(x, result), -2))"]>;
  let scalar = Scalar<"std::exp(-static_cast<long double>(x) * x)",
                      "special::GaussianOp(x)">;
}

def Cell_ExpSquareOp : Cell_UnaryOp<"exp_square", Cell_FloatTensor, [Singular]> {
  let summary = "exp(x^2), without the rounding of the square";
  let derivative = VJP<["mul(ct, mul(mul(x, result), 2))"]>;
  let scalar = Scalar<"std::exp(static_cast<long double>(x) * x)",
                      "special::ExpSquareOp(x)">;
}

def Cell_SechSquaredOp : Cell_UnaryOp<"sech_squared", Cell_FloatTensor> {
  let summary = "1 - tanh(x)^2 = 1/cosh(x)^2, without cancellation";
  let derivative = VJP<["mul(ct, mul(mul(result, tanh(x)), -2))"]>;
  let scalar = Scalar<"std::pow(1 / std::cosh(x), 2)",
                      "special::SechSquaredOp(x)">;
}

def Cell_SigmoidSlopeOp : Cell_UnaryOp<"sigmoid_slope", Cell_FloatTensor> {
  let summary = "sigmoid(x) sigmoid(-x) = 1/(4 cosh(x/2)^2), without cancellation";
  let derivative = VJP<["mul(ct, mul(result, tanh(mul(x, -0.5))))"]>;
  let scalar = Scalar<"std::pow(0.5 / std::cosh(0.5 * x), 2)",
                      "special::SigmoidSlopeOp(x)">;
}

#endif
