//===- SpecialMath.td - special functions of scalars and vectors ----------===//
//
// What `math` is to the elementary functions: the scalar bodies of the special
// functions, which fuse and vectorise as single ops and become arithmetic in
// cell-expand-math.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_SPECIALMATH_TD
#define CELLGRAD_SPECIALMATH_TD

include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Special_Dialect : Dialect {
  let name = "special";
  let cppNamespace = "::cellgrad::special";
  let summary = "Special functions of floating point scalars and vectors";
}

/// What the formulas of cell-expand-math are written for.
def Special_Expanded
    : AnyTypeOf<[F32, F64, FixedVectorOfRankAndType<[1], [F32, F64]>]>;

class Special_UnaryOp<string mnemonic>
    : Op<Special_Dialect, mnemonic, !listconcat([
        Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let arguments = (ins FloatLike:$operand);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Special_BinaryOp<string mnemonic>
    : Op<Special_Dialect, mnemonic, !listconcat([
        Pure, SameOperandsAndResultType], ElementwiseMappable.traits)> {
  let arguments = (ins FloatLike:$lhs, FloatLike:$rhs);
  let results = (outs FloatLike:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Special_LgammaOp : Special_UnaryOp<"lgamma"> {
  let summary = "Logarithm of the absolute value of the gamma function";
}
def Special_DigammaOp : Special_UnaryOp<"digamma"> {
  let summary = "Derivative of lgamma";
}
def Special_PolygammaOp : Special_UnaryOp<"polygamma"> {
  let summary = "Derivative of digamma of order `order`, at least 1";
  let arguments = (ins FloatLike:$operand, I64Attr:$order);
}
def Special_ErfinvOp : Special_UnaryOp<"erfinv"> {
  let summary = "Inverse of the error function";
}
def Special_GaussianOp : Special_UnaryOp<"gaussian"> {
  let summary = "exp(-x^2)";
}
def Special_ExpSquareOp : Special_UnaryOp<"exp_square"> {
  let summary = "exp(x^2)";
}
def Special_SechSquaredOp : Special_UnaryOp<"sech_squared"> {
  let summary = "1 / cosh(x)^2";
}
def Special_SigmoidSlopeOp : Special_UnaryOp<"sigmoid_slope"> {
  let summary = "exp(-x) / (1 + exp(-x))^2";
}
def Special_HypotOp : Special_BinaryOp<"hypot"> {
  let summary = "sqrt(lhs^2 + rhs^2)";
}

def Special_ReduceLargeOp : Op<Special_Dialect, "reduce_large", [
    Pure, AllTypesMatch<["x", "r", "low", "newR", "newLow"]>,
    TypesMatchWith<"integers of the width of the floats", "x", "n",
                   "integersLike($_self)">,
    TypesMatchWith<"integers of the width of the floats", "x", "newN",
                   "integersLike($_self)">]> {
  let summary = "Exact reduction of large arguments by pi/2";
  let description = [{
    What is left of sin, cos and tan after cell-expand-math: in the lanes whose
    `x`, not negative, is too large for `n`, `r` and `low` to be right, those with
    `x = n pi/2 + r + low` and `n` modulo 4; in the others, what is given.
  }];
  let arguments = (ins Special_Expanded:$x, SignlessIntegerLike:$n,
                       Special_Expanded:$r, Special_Expanded:$low);
  let results = (outs SignlessIntegerLike:$newN, Special_Expanded:$newR,
                      Special_Expanded:$newLow);
  let assemblyFormat = [{
    $x `,` $n `,` $r `,` $low attr-dict `:` type($x)
  }];
}

#endif
