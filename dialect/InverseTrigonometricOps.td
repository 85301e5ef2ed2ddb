//===- InverseTrigonometricOps.td - inverse circular and hyperbolic ops ---===//

#ifndef CELLGRAD_INVERSETRIGONOMETRICOPS_TD
#define CELLGRAD_INVERSETRIGONOMETRICOPS_TD

include "dialect/CellBase.td"

def Cell_AsinOp : Cell_UnaryOp<"asin", Cell_FloatTensor, [Singular]> {
  let summary = "Inverse sine in radians; NaN outside [-1, 1]";
  let derivative = VJP<["div(ct, sqrt(one_minus_square(x)))"]>;
  let subgradient = "inf at -1 and 1";
  let scalar = Scalar<"std::asin(x)", "math::AsinOp(x)">;
  let python = Python<"asin", "Asin", ["input"]>;
  let forms = ["ops.arcsin(x)", "Tensor.arcsin", "Tensor.asin", "mint.arcsin(x)", "mint.asin"];
  let example = Example<["[0.0, 0.5]"], "[0.        0.5235988]">;
}

def Cell_AcosOp : Cell_UnaryOp<"acos", Cell_FloatTensor, [Singular]> {
  let summary = "Inverse cosine in radians; NaN outside [-1, 1]";
  let derivative = VJP<["neg(div(ct, sqrt(one_minus_square(x))))"]>;
  let subgradient = "-inf at -1 and 1";
  let scalar = Scalar<"std::acos(x)", "math::AcosOp(x)">;
  let python = Python<"acos", "ACos", ["input"]>;
  let forms = ["ops.arccos", "Tensor.acos", "Tensor.arccos", "mint.acos", "mint.arccos"];
  let example = Example<["[1.0, 0.5]"], "[0.        1.0471976]">;
}

def Cell_AtanOp : Cell_UnaryOp<"atan", Cell_FloatTensor> {
  let summary = "Inverse tangent in radians";
  // 1/(1 + x*x), but the square does not overflow.
  let derivative = VJP<["mul(ct, square(reciprocal(hypot(x, 1))))"]>;
  let scalar = Scalar<"std::atan(x)", "math::AtanOp(x)">;
  let python = Python<"atan", "Atan", ["input"]>;
  let forms = ["ops.arctan", "Tensor.arctan", "Tensor.atan", "mint.arctan", "mint.atan"];
  let example = Example<["[0.0, 1.0]"], "[0.        0.7853981]">;
}

def Cell_Atan2Op : Cell_BinaryOp<"atan2", Cell_FloatTensor, [Singular]> {
  let summary = "Angle of the point (rhs, lhs), in (-pi, pi]";
  let derivative = VJP<[
    "mul(ct, div(div(rhs, hypot(lhs, rhs)), hypot(lhs, rhs)))",
    "neg(mul(ct, div(div(lhs, hypot(lhs, rhs)), hypot(lhs, rhs))))"]>;
  let subgradient = "NaN at (0, 0)";
  let scalar = Scalar<"std::atan2(lhs, rhs)", "math::Atan2Op(lhs, rhs)">;
  let python = Python<"atan2", "Atan2", ["input", "other"]>;
  let forms = ["ops.arctan2", "Tensor.arctan2", "Tensor.atan2", "mint.arctan2", "mint.atan2"];
  let example = Example<["[1.0, -1.0]", "[1.0, 1.0]"], "[ 0.7853981 -0.7853981]">;
}

def Cell_AsinhOp : Cell_UnaryOp<"asinh", Cell_FloatTensor> {
  let summary = "Inverse hyperbolic sine";
  let derivative = VJP<["div(ct, hypot(x, 1))"]>;
  let scalar = Scalar<"std::asinh(x)", "math::AsinhOp(x)">;
  let python = Python<"asinh", "Asinh", ["input"]>;
  let forms = ["ops.arcsinh", "Tensor.arcsinh", "Tensor.asinh", "mint.arcsinh", "mint.asinh"];
  let example = Example<["[0.0, 1.0]"], "[0.        0.8813736]">;
}

def Cell_AcoshOp : Cell_UnaryOp<"acosh", Cell_FloatTensor, [Singular]> {
  let summary = "Inverse hyperbolic cosine; NaN for x < 1";
  // 1/sqrt(x*x - 1), which neither cancels near 1 nor overflows; all terms of a derivative of
  // the product have one sign, so that it is infinite at 1 and not NaN.
  let derivative = VJP<["mul(ct, mul(rsqrt(sub(x, 1)), rsqrt(add(x, 1))))"]>;
  let subgradient = "inf at 1";
  let scalar = Scalar<"std::acosh(x)", "math::AcoshOp(x)">;
  let python = Python<"acosh", "Acosh", ["input"]>;
  let forms = ["ops.arccosh", "Tensor.acosh", "Tensor.arccosh", "mint.acosh", "mint.arccosh"];
  let example = Example<["[1.0, 2.0]"], "[0.       1.316958]">;
}

//===----------------------------------------------------------------------===//
// What the slopes of asin, acos and atanh are made of
//===----------------------------------------------------------------------===//

// An op, as the adjoint of a product has 0 times infinity where one of its factors is 0.
def Cell_OneMinusSquareOp : Cell_UnaryOp<"one_minus_square", Cell_FloatTensor> {
  let summary = "1 - x^2, without cancellation near -1 and 1";
  let derivative = VJP<["mul(ct, mul(x, -2))"]>;
  let scalar = Scalar<"(1 - x) * (1 + x)",
    "arith::MulFOp(arith::SubFOp(1, x), arith::AddFOp(x, 1))">;
}

#endif
