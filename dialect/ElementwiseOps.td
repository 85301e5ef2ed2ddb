//===- ElementwiseOps.td - one scalar function on every element -----------===//

#ifndef CELLGRAD_ELEMENTWISEOPS_TD
#define CELLGRAD_ELEMENTWISEOPS_TD

include "dialect/CellBase.td"

//===----------------------------------------------------------------------===//
// Sign and magnitude
//===----------------------------------------------------------------------===//

def Cell_NegOp : Cell_UnaryOp<"neg", Cell_NumericTensor> {
  let summary = "Negation, -x";
  let derivative = VJP<["neg(ct)"]>;
  let scalar = Scalar<"-x", "arith::NegFOp(x)", "arith::SubIOp(0, x)">;
  let python = Python<"neg", "Neg", ["input"]>;
  let forms = ["ops.negative", "Tensor.neg", "Tensor.negative", "mint.neg", "mint.negative"];
  let example = Example<["[-1.5, 2.0]"], "[ 1.5 -2. ]">;
}

def Cell_AbsOp : Cell_UnaryOp<"abs", Cell_NumericTensor> {
  let summary = "Absolute value, |x|";
  let derivative = VJP<["mul(ct, sign(x))"]>;
  let subgradient = "0 at 0";
  let scalar = Scalar<"magnitudeOf(x)", "math::AbsFOp(x)", "math::AbsIOp(x)">;
  let python = Python<"abs", "Abs", ["input"]>;
  let forms = ["ops.absolute", "Tensor.abs", "Tensor.absolute", "mint.abs"];
  let example = Example<["[-1.5, 2.0]"], "[1.5 2. ]">;
}

def Cell_SignOp : Cell_UnaryOp<"sign", Cell_NumericTensor> {
  let summary = "Sign of x: -1, 0 or 1; NaN for NaN";
  let derivative = ZeroDerivative<"sign is piecewise constant">;
  let scalar = Scalar<"signOf(x)",
    "arith::SelectOp(arith::CmpFOp(arith::CmpFPredicate::ONE, x, 0), math::CopySignOp(1, x), x)",
    "arith::SubIOp(arith::ExtUIOp(elementType, arith::CmpIOp(arith::CmpIPredicate::sgt, x, 0)), arith::ExtUIOp(elementType, arith::CmpIOp(arith::CmpIPredicate::slt, x, 0)))">;
  let python = Python<"sign", "Sign", ["input"]>;
  let forms = ["Tensor.sign", "Tensor.sign_", "mint.sign"];
  let example = Example<["[-1.5, 2.0]"], "[-1.  1.]">;
}

//===----------------------------------------------------------------------===//
// Powers and roots
//===----------------------------------------------------------------------===//

def Cell_SquareOp : Cell_UnaryOp<"square", Cell_NumericTensor> {
  let summary = "Square, x*x";
  let derivative = VJP<["mul(ct, mul(x, 2))"]>;
  let scalar = Scalar<"x * x", "arith::MulFOp(x, x)", "arith::MulIOp(x, x)">;
  let python = Python<"square", "Square", ["input"]>;
  let forms = ["Tensor.square", "mint.square"];
  let example = Example<["[-1.5, 2.0]"], "[2.25 4.  ]">;
}

def Cell_SqrtOp : Cell_UnaryOp<"sqrt", Cell_FloatTensor, [Singular]> {
  let summary = "Square root; NaN for x < 0";
  let derivative = VJP<["div(mul(ct, 0.5), result)"]>;
  let subgradient = "inf at 0";
  let scalar = Scalar<"std::sqrt(x)", "math::SqrtOp(x)">;
  let python = Python<"sqrt", "Sqrt", ["x"]>;
  let forms = ["Tensor.sqrt", "mint.sqrt(input)"];
  let example = Example<["[0.25, 4.0]"], "[0.5 2. ]">;
}

def Cell_RsqrtOp : Cell_UnaryOp<"rsqrt", Cell_FloatTensor, [Singular]> {
  let summary = "Reciprocal square root, 1/sqrt(x)";
  let derivative = VJP<["div(mul(mul(ct, -0.5), result), x)"]>;
  let scalar = Scalar<"1 / std::sqrt(x)", "math::RsqrtOp(x)">;
  let python = Python<"rsqrt", "Rsqrt", ["input"]>;
  let forms = ["Tensor.rsqrt", "mint.rsqrt"];
  let example = Example<["[0.25, 4.0]"], "[2.  0.5]">;
}

def Cell_ReciprocalOp : Cell_UnaryOp<"reciprocal", Cell_FloatTensor, [Singular]> {
  let summary = "Reciprocal, 1/x";
  let derivative = VJP<["neg(mul(ct, square(result)))"]>;
  let scalar = Scalar<"1 / x", "arith::DivFOp(1, x)">;
  let python = Python<"reciprocal", "Reciprocal", ["input"]>;
  let forms = ["Tensor.reciprocal", "mint.reciprocal"];
  let example = Example<["[0.5, 4.0]"], "[2.   0.25]">;
}

def Cell_PowOp : Cell_BinaryOp<"pow", Cell_FloatTensor, [Singular]> {
  let summary = "Power, lhs raised to rhs";
  let description = [{
    Follows C's `pow` at special values. The derivative with respect to the exponent is
    NaN for a negative base, as the logarithm does not exist there, and zero for base 0
    where the exponent is not negative. Arguments that a mask discards are replaced before
    they reach `pow` and `log`, so that higher orders stay finite too.
  }];
  let derivative = VJP<[
    "mul(ct, select(equal(rhs, 0), 0, mul(rhs, pow(lhs, select(equal(rhs, 0), 1, sub(rhs, 1))))))",
    "mul(ct, mul(result, log(select(logical_and(equal(lhs, 0), greater_equal(rhs, 0)), 1, lhs))))"]>;
  let subgradient = "0 in the base for exponent 0; 0 in the exponent for base 0 and exponent >= 0";
  let scalar = Scalar<"std::pow(lhs, rhs)", "math::PowFOp(lhs, rhs)">;
  let hasCanonicalizer = 1;
}

def Cell_HypotOp : Cell_BinaryOp<"hypot", Cell_FloatTensor, [Singular]> {
  let summary = "Length of the vector (lhs, rhs); no square overflows or underflows";
  let derivative = VJP<["mul(ct, div(lhs, result))", "mul(ct, div(rhs, result))"]>;
  let subgradient = "NaN at (0, 0)";
  let scalar = Scalar<"std::hypot(lhs, rhs)", "special::HypotOp(lhs, rhs)">;
}

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

def Cell_ExpOp : Cell_UnaryOp<"exp", Cell_FloatTensor, [Singular]> {
  let summary = "Exponential, e to the x";
  let derivative = VJP<["mul(ct, result)"]>;
  let scalar = Scalar<"std::exp(x)", "math::ExpOp(x)">;
  let python = Python<"exp", "Exp", ["input"]>;
  let forms = ["Tensor.exp", "Tensor.exp_", "mint.exp"];
  let example = Example<["[0.0, 1.0]"], "[1.        2.7182817]">;
}

def Cell_LogOp : Cell_UnaryOp<"log", Cell_FloatTensor, [Singular]> {
  let summary = "Natural logarithm; -inf at 0, NaN for x < 0";
  let derivative = VJP<["div(ct, x)"]>;
  let scalar = Scalar<"std::log(x)", "math::LogOp(x)">;
  let python = Python<"log", "Log", ["input"]>;
  let forms = ["Tensor.log", "Tensor.log_", "mint.log"];
  let example = Example<["[1.0, 2.0]"], "[0.        0.6931472]">;
}

def Cell_SigmoidOp : Cell_UnaryOp<"sigmoid", Cell_FloatTensor> {
  let summary = "Logistic function, 1/(1 + exp(-x))";
  // Not result (1 - result), which has lost the small exponential of a large x.
  let derivative = VJP<["mul(ct, sigmoid_slope(x))"]>;
  // Of exp(-|x|), which does not overflow: the result is accurate down to the smallest number.
  let scalar = Scalar<"x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x))",
    "arith::DivFOp(arith::SelectOp(arith::CmpFOp(arith::CmpFPredicate::OLT, x, 0), math::ExpOp(arith::NegFOp(math::AbsFOp(x))), 1), arith::AddFOp(1, math::ExpOp(arith::NegFOp(math::AbsFOp(x)))))">;
  let python = Python<"sigmoid", "Sigmoid", ["input"]>;
  let forms = [
    "Tensor.sigmoid",
    "Tensor.sigmoid_",
    "nn.Sigmoid(x)",
    "mint.nn.Sigmoid()(input)",
    "mint.nn.functional.sigmoid",
    "mint.nn.functional.sigmoid_",
    "mint.sigmoid"
  ];
  let example = Example<["[0.0, 1.0]"], "[0.5       0.7310586]">;
}

//===----------------------------------------------------------------------===//
// Trigonometric and hyperbolic functions
//===----------------------------------------------------------------------===//

def Cell_SinOp : Cell_UnaryOp<"sin", Cell_FloatTensor> {
  let summary = "Sine, x in radians";
  let derivative = VJP<["mul(ct, cos(x))"]>;
  let scalar = Scalar<"std::sin(x)", "math::SinOp(x)">;
  let python = Python<"sin", "Sin", ["input"]>;
  let forms = ["Tensor.sin", "mint.sin"];
  let example = Example<["[0.0, 1.0]"], "[0.         0.84147096]">;
}

def Cell_CosOp : Cell_UnaryOp<"cos", Cell_FloatTensor> {
  let summary = "Cosine, x in radians";
  let derivative = VJP<["neg(mul(ct, sin(x)))"]>;
  let scalar = Scalar<"std::cos(x)", "math::CosOp(x)">;
  let python = Python<"cos", "Cos", ["input"]>;
  let forms = ["Tensor.cos", "mint.cos"];
  let example = Example<["[0.0, 1.0]"], "[1.        0.5403023]">;
}

def Cell_TanOp : Cell_UnaryOp<"tan", Cell_FloatTensor, [Singular]> {
  let summary = "Tangent, x in radians";
  let derivative = VJP<["mul(ct, add(square(result), 1))"]>;
  let scalar = Scalar<"std::tan(x)", "math::TanOp(x)">;
  let python = Python<"tan", "Tan", ["input"]>;
  let forms = ["Tensor.tan", "mint.tan"];
  let example = Example<["[0.0, 1.0]"], "[0.        1.5574077]">;
}

def Cell_SinhOp : Cell_UnaryOp<"sinh", Cell_FloatTensor, [Singular]> {
  let summary = "Hyperbolic sine";
  let derivative = VJP<["mul(ct, cosh(x))"]>;
  let scalar = Scalar<"std::sinh(x)", "math::SinhOp(x)">;
  let python = Python<"sinh", "Sinh", ["input"]>;
  let forms = ["Tensor.sinh", "mint.sinh"];
  let example = Example<["[0.0, 1.0]"], "[0.        1.1752012]">;
}

def Cell_CoshOp : Cell_UnaryOp<"cosh", Cell_FloatTensor, [Singular]> {
  let summary = "Hyperbolic cosine";
  let derivative = VJP<["mul(ct, sinh(x))"]>;
  let scalar = Scalar<"std::cosh(x)", "math::CoshOp(x)">;
  let python = Python<"cosh", "Cosh", ["input"]>;
  let forms = ["Tensor.cosh", "mint.cosh"];
  let example = Example<["[0.0, 1.0]"], "[1.        1.5430807]">;
}

def Cell_TanhOp : Cell_UnaryOp<"tanh", Cell_FloatTensor> {
  let summary = "Hyperbolic tangent";
  // Not 1 - result^2, which cancels where the result is near 1.
  let derivative = VJP<["mul(ct, sech_squared(x))"]>;
  let scalar = Scalar<"std::tanh(x)", "math::TanhOp(x)">;
  let python = Python<"tanh", "Tanh", ["input"]>;
  let forms = [
    "Tensor.tanh",
    "Tensor.tanh_",
    "nn.Tanh(x)",
    "mint.nn.Tanh()(input)",
    "mint.nn.functional.tanh",
    "mint.tanh"
  ];
  let example = Example<["[0.0, 1.0]"], "[0.        0.7615942]">;
}

def Cell_AtanhOp : Cell_UnaryOp<"atanh", Cell_FloatTensor, [Singular]> {
  let summary = "Inverse hyperbolic tangent; +-inf at +-1, NaN outside";
  let derivative = VJP<["div(ct, one_minus_square(x))"]>;
  let scalar = Scalar<"std::atanh(x)", "math::AtanhOp(x)">;
  let python = Python<"atanh", "Atanh", ["input"]>;
  let forms = ["ops.arctanh", "Tensor.arctanh", "Tensor.atanh", "mint.arctanh", "mint.atanh"];
  let example = Example<["[0.0, 0.5]"], "[0.         0.54930615]">;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def Cell_AddOp : Cell_BinaryOp<"add", Cell_NumericTensor, [Commutative, Polynomial]> {
  let summary = "Sum, lhs + rhs";
  let derivative = VJP<["ct", "ct"]>;
  let scalar = Scalar<"lhs + rhs", "arith::AddFOp(lhs, rhs)", "arith::AddIOp(lhs, rhs)">;
  let python = Python<"add", "Add", ["input", "other"]>;
  let example = Example<["[1.0, 2.0]", "[3.0, 4.0]"], "[4. 6.]">;
  let hasCanonicalizer = 1;
}

def Cell_SubOp : Cell_BinaryOp<"sub", Cell_NumericTensor, [Polynomial]> {
  let summary = "Difference, lhs - rhs";
  let derivative = VJP<["ct", "neg(ct)"]>;
  let scalar = Scalar<"lhs - rhs", "arith::SubFOp(lhs, rhs)", "arith::SubIOp(lhs, rhs)">;
  let python = Python<"sub", "Sub", ["input", "other"]>;
  let example = Example<["[1.0, 2.0]", "[3.0, 5.0]"], "[-2. -3.]">;
  let hasCanonicalizer = 1;
}

def Cell_MulOp : Cell_BinaryOp<"mul", Cell_NumericTensor, [Commutative, Polynomial]> {
  let summary = "Product, lhs * rhs, element by element";
  let derivative = Multilinear<["mul(ct, rhs)", "mul(ct, lhs)"]>;
  let scalar = Scalar<"lhs * rhs", "arith::MulFOp(lhs, rhs)", "arith::MulIOp(lhs, rhs)">;
  let python = Python<"mul", "Mul", ["input", "other"]>;
  let forms = ["ops.multiply", "Tensor.mul", "Tensor.multiply(value)", "mint.mul"];
  let example = Example<["[1.0, 2.0]", "[3.0, 4.0]"], "[3. 8.]">;
  let hasCanonicalizer = 1;
}

def Cell_DivOp : Cell_BinaryOp<"div", Cell_FloatTensor, [Singular]> {
  let summary = "Quotient, lhs / rhs, of floating point numbers";
  // Both cotangents share a quotient. The tangent is one quotient too: as a difference of two, each of
  // which has two terms in the next derivative, ops would double with the order.
  let derivative = VJP<["div(ct, rhs)", "neg(mul(div(ct, rhs), result))"],
                       "div(sub(d_lhs, mul(d_rhs, result)), rhs)">;
  let scalar = Scalar<"lhs / rhs", "arith::DivFOp(lhs, rhs)">;
  let hasCanonicalizer = 1;
}

def Cell_MaximumOp : Cell_BinaryOp<"maximum", Cell_NumericTensor, [DiscardsElements]> {
  let summary = "Larger of two; NaN if one is";
  let derivative = VJP<[
    "select(equal(lhs, rhs), half(ct), select(less(lhs, rhs), 0, ct))",
    "select(equal(lhs, rhs), half(ct), select(less(rhs, lhs), 0, ct))"]>;
  let subgradient = "one half to each operand at a tie; all to both where one is NaN";
  let scalar = Scalar<"largerOf(lhs, rhs)", "arith::MaximumFOp(lhs, rhs)",
                      "arith::MaxSIOp(lhs, rhs)">;
  let python = Python<"maximum", "Maximum", ["input", "other"]>;
  let forms = ["Tensor.maximum", "mint.maximum"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[2. 2.]">;
}

def Cell_MinimumOp : Cell_BinaryOp<"minimum", Cell_NumericTensor, [DiscardsElements]> {
  let summary = "Smaller of two; NaN if one is";
  let derivative = VJP<[
    "select(equal(lhs, rhs), half(ct), select(less(rhs, lhs), 0, ct))",
    "select(equal(lhs, rhs), half(ct), select(less(lhs, rhs), 0, ct))"]>;
  let subgradient = "one half to each operand at a tie; all to both where one is NaN";
  let scalar = Scalar<"smallerOf(lhs, rhs)", "arith::MinimumFOp(lhs, rhs)",
                      "arith::MinSIOp(lhs, rhs)">;
  let python = Python<"minimum", "Minimum", ["input", "other"]>;
  let forms = ["Tensor.minimum", "mint.minimum"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[1. 2.]">;
}

def Cell_ReluOp : Cell_UnaryOp<"relu", Cell_NumericTensor, [DiscardsElements]> {
  let summary = "Rectifier, max(x, 0); NaN for NaN";
  let derivative = VJP<["select(greater(result, 0), ct, 0)"]>;
  let subgradient = "0 at 0";
  let scalar = Scalar<"largerOf(x, decltype(x)(0))", "arith::MaximumFOp(x, 0)",
                      "arith::MaxSIOp(x, 0)">;
  let python = Python<"relu", "", ["input"]>;
  let example = Example<["[-1.5, 2.0]"], "[0. 2.]">;
}

#endif
