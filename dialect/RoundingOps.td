//===- RoundingOps.td - rounding, division with remainder -----------------===//

#ifndef CELLGRAD_ROUNDINGOPS_TD
#define CELLGRAD_ROUNDINGOPS_TD

include "dialect/CellBase.td"

class Cell_RoundingOp<string mnemonic, string eval, string floats>
    : Cell_UnaryOp<mnemonic, Cell_NumericTensor> {
  let derivative = ZeroDerivative<"rounding is piecewise constant">;
  let scalar = Scalar<eval, floats, "x">;
}

def Cell_FloorOp : Cell_RoundingOp<"floor", "floorOf(x)", "math::FloorOp(x)"> {
  let summary = "Largest integer not above x";
  let python = Python<"floor", "Floor", ["input"]>;
  let forms = ["Tensor.floor", "Tensor.floor_", "mint.floor"];
  let example = Example<["[0.5, -1.5]"], "[ 0. -2.]">;
}
def Cell_CeilOp : Cell_RoundingOp<"ceil", "ceilOf(x)", "math::CeilOp(x)"> {
  let summary = "Smallest integer not below x";
  let python = Python<"ceil", "Ceil", ["input"]>;
  let forms = ["Tensor.ceil", "mint.ceil"];
  let example = Example<["[0.5, -1.5]"], "[ 1. -1.]">;
}
def Cell_TruncOp : Cell_RoundingOp<"trunc", "truncOf(x)", "math::TruncOp(x)"> {
  let summary = "Integer part of x, towards 0";
  let python = Python<"trunc", "Trunc", ["input"]>;
  let forms = ["Tensor.trunc", "mint.fix(input)", "mint.trunc"];
  let example = Example<["[0.5, -1.5]"], "[ 0. -1.]">;
}
def Cell_RoundOp : Cell_RoundingOp<"round", "roundOf(x)", "math::RoundEvenOp(x)"> {
  let summary = "Nearest integer, the even one of two";
}

def Cell_FloorDivOp : Cell_BinaryOp<"floor_div", Cell_NumericTensor, [Singular]> {
  let summary = "Largest integer not above lhs / rhs; 0 for an integer divided by 0";
  let derivative = ZeroDerivative<"the integer part of a quotient is piecewise constant">;
  let scalar = Scalar<"floorDivide(lhs, rhs)", "math::FloorOp(arith::DivFOp(lhs, rhs))",
                      "payload::FloorDivI(lhs, rhs)">;
  let python = Python<"floor_div", "FloorDiv", ["x", "y"]>;
  let example = Example<["[7.0, -7.0]", "[2.0, 2.0]"], "[ 3. -4.]">;
}

def Cell_FloorModOp : Cell_BinaryOp<"floor_mod", Cell_NumericTensor, [Singular]> {
  let summary = "Remainder of lhs / rhs with the sign of rhs; 0 for an integer divided by 0";
  let description = [{
    Floating point remainders are exact, as those of C's `fmod`; for f64 while the quotient
    is below 2 to the 300.
  }];
  let derivative = VJP<["ct", "neg(mul(ct, floor_div(lhs, rhs)))"]>;
  let subgradient = "that of the piece to the right, where lhs is a multiple of rhs";
  let scalar = Scalar<"floorRemainder(lhs, rhs)", "payload::FloorModF(lhs, rhs)",
                      "payload::FloorModI(lhs, rhs)">;
  let python = Python<"floor_mod", "FloorMod", ["x", "y"]>;
  let example = Example<["[7.0, -7.0]", "[4.0, 4.0]"], "[3. 1.]">;
}

def Cell_TruncModOp : Cell_BinaryOp<"trunc_mod", Cell_NumericTensor, [Singular]> {
  let summary = "Remainder of lhs / rhs with the sign of lhs; 0 for an integer divided by 0";
  let derivative = VJP<["ct", "neg(mul(ct, trunc(quotient(lhs, rhs))))"]>;
  let subgradient = "that of the piece away from 0, where lhs is a multiple of rhs";
  let scalar = Scalar<"truncRemainder(lhs, rhs)", "payload::TruncModF(lhs, rhs)",
                      "payload::TruncModI(lhs, rhs)">;
  let python = Python<"truncate_mod", "TruncateMod", ["x", "y"]>;
  let example = Example<["[7.0, -7.0]", "[4.0, 4.0]"], "[ 3. -3.]">;
}

#endif
