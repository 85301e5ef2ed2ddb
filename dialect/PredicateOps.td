//===- PredicateOps.td - comparisons, logic and choice --------------------===//

#ifndef CELLGRAD_PREDICATEOPS_TD
#define CELLGRAD_PREDICATEOPS_TD

include "dialect/CellBase.td"

class Cell_CompareOp<string mnemonic, string cxx, string floats, string ints,
                     string function, string className>
    : Cell_PredicateOp<mnemonic, [SameTypeOperands]> {
  let arguments = (ins Cell_Tensor:$lhs, Cell_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
  let scalar = Scalar<"lhs " # cxx # " rhs",
    "arith::CmpFOp(arith::CmpFPredicate::" # floats # ", lhs, rhs)",
    "arith::CmpIOp({orderOn(elementType, arith::CmpIPredicate::" # ints # ")}, lhs, rhs)">;
  let python = Python<function, className, ["input", "other"]>;
}

def Cell_EqualOp : Cell_CompareOp<"equal", "==", "OEQ", "eq", "equal", "Equal"> {
  let summary = "True where lhs equals rhs; false for NaN";
  let forms = ["ops.eq", "Tensor.eq", "Tensor.equal", "mint.eq"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[False  True]">;
}
def Cell_NotEqualOp : Cell_CompareOp<"not_equal", "!=", "UNE", "ne", "not_equal", "NotEqual"> {
  let summary = "True where lhs differs from rhs; true for NaN";
  let forms = ["ops.ne", "Tensor.ne", "Tensor.not_equal", "mint.ne", "mint.not_equal"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[ True False]">;
}
def Cell_LessOp : Cell_CompareOp<"less", "<", "OLT", "slt", "less", "Less"> {
  let summary = "True where lhs is less than rhs";
  let forms = ["ops.lt", "Tensor.less", "Tensor.lt", "mint.less", "mint.lt"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[ True False]">;
}
def Cell_LessEqualOp : Cell_CompareOp<"less_equal", "<=", "OLE", "sle", "less_equal", "LessEqual"> {
  let summary = "True where lhs is at most rhs";
  let forms = ["ops.le", "Tensor.le", "Tensor.less_equal", "mint.le", "mint.less_equal"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[ True  True]">;
}
def Cell_GreaterOp : Cell_CompareOp<"greater", ">", "OGT", "sgt", "greater", "Greater"> {
  let summary = "True where lhs is greater than rhs";
  let forms = ["ops.gt", "Tensor.greater", "Tensor.gt", "mint.greater", "mint.gt"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[False False]">;
}
def Cell_GreaterEqualOp : Cell_CompareOp<"greater_equal", ">=", "OGE", "sge", "greater_equal", "GreaterEqual"> {
  let summary = "True where lhs is at least rhs";
  let forms = ["ops.ge", "Tensor.ge", "Tensor.greater_equal", "mint.ge", "mint.greater_equal"];
  let example = Example<["[1.0, 2.0]", "[2.0, 2.0]"], "[False  True]">;
}

def Cell_IsFiniteOp : Cell_PredicateOp<"is_finite"> {
  let summary = "True where x is neither infinite nor NaN";
  let arguments = (ins Cell_FloatTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let scalar = Scalar<"std::isfinite(x)", "math::IsFiniteOp(x)">;
  let python = Python<"isfinite", "IsFinite", ["input"]>;
  let forms = ["Tensor.isfinite", "mint.isfinite"];
  let example = Example<["[1.0, float('inf')]"], "[ True False]">;
}

def Cell_IsNanOp : Cell_PredicateOp<"is_nan"> {
  let summary = "True where x is NaN";
  let arguments = (ins Cell_FloatTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let scalar = Scalar<"std::isnan(x)", "arith::CmpFOp(arith::CmpFPredicate::UNO, x, x)">;
  let python = Python<"isnan", "IsNan", ["input"]>;
  let forms = ["Tensor.isnan", "mint.isnan(tensor)"];
  let example = Example<["[1.0, float('nan')]"], "[False  True]">;
}

def Cell_IsInfOp : Cell_PredicateOp<"is_inf"> {
  let summary = "True where x is infinite";
  let arguments = (ins Cell_FloatTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let scalar = Scalar<"std::isinf(x)", "payload::IsInf(x)">;
  let python = Python<"isinf", "IsInf", ["input"]>;
  let forms = ["Tensor.isinf", "mint.isinf"];
  let example = Example<["[1.0, float('inf')]"], "[False  True]">;
}

class Cell_LogicalOp<string mnemonic, string cxx, string ints, string className>
    : Cell_BinaryOp<mnemonic, Cell_BoolTensor, [Commutative]> {
  let derivative = ZeroDerivative<"truth values carry no derivative">;
  let scalar = Scalar<"lhs " # cxx # " rhs", "", ints>;
  let python = Python<mnemonic, className, ["input", "other"]>;
}

def Cell_LogicalAndOp : Cell_LogicalOp<"logical_and", "&&", "arith::AndIOp(lhs, rhs)", "LogicalAnd"> {
  let summary = "True where both operands are";
  let forms = ["Tensor.logical_and", "mint.logical_and"];
  let example = Example<["[True, False]", "[True, True]"], "[ True False]">;
}
def Cell_LogicalOrOp : Cell_LogicalOp<"logical_or", "||", "arith::OrIOp(lhs, rhs)", "LogicalOr"> {
  let summary = "True where an operand is";
  let forms = ["Tensor.logical_or", "mint.logical_or"];
  let example = Example<["[True, False]", "[False, False]"], "[ True False]">;
}
def Cell_LogicalXorOp : Cell_LogicalOp<"logical_xor", "!=", "arith::XOrIOp(lhs, rhs)", "LogicalXor"> {
  let summary = "True where exactly one operand is";
  let forms = ["Tensor.logical_xor", "mint.logical_xor"];
  let example = Example<["[True, False]", "[True, True]"], "[False  True]">;
}
def Cell_LogicalNotOp : Cell_UnaryOp<"logical_not", Cell_BoolTensor> {
  let summary = "True where the operand is false";
  let derivative = ZeroDerivative<"truth values carry no derivative">;
  let scalar = Scalar<"!x", "", "arith::XOrIOp(x, 1)">;
  let python = Python<"logical_not", "LogicalNot", ["input"]>;
  let forms = ["Tensor.logical_not", "mint.logical_not"];
  let example = Example<["[True, False]"], "[False  True]">;
}

def Cell_SelectOp : Cell_ElementwiseOp<"select", [Exact, DiscardsElements,
    AllTypesMatch<["on_true", "on_false", "result"]>,
    TypesMatchWith<"condition has the shape of the result", "result", "condition",
                   "::cellgrad::predicateType($_self)">]> {
  let summary = "on_true where the condition holds, on_false elsewhere";
  let description = [{
    Cotangents are masked before they enter a branch: the branch not taken receives an
    exact zero.
  }];
  let arguments = (ins Cell_BoolTensor:$condition, Cell_Tensor:$on_true,
                       Cell_Tensor:$on_false);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)";
  let derivative = VJP<["", "select(condition, ct, 0)", "select(condition, 0, ct)"],
                       "select(condition, d_on_true, d_on_false)">;
  let scalar = Scalar<"", "arith::SelectOp(condition, on_true, on_false)",
                      "arith::SelectOp(condition, on_true, on_false)">;
}

def Cell_GuardOp : Cell_ElementwiseOp<"guard", [
    DiscardsElements, AllTypesMatch<["x", "cotangent", "result"]>]> {
  let summary = "x, but 0 where cotangent is 0 and x is infinite or NaN";
  let description = [{
    Differentiation puts it where a cotangent that a choice has masked (zero for the
    elements not taken) meets a derivative that may be infinite or NaN there:
    the product 0 * inf is then no number that the program asks for. Where the cotangent is
    not zero, x passes as it is. Its tangent is guarded as well: 0 * sqrt(y) is finite at
    y = 0, its tangent is not.
  }];
  let arguments = (ins Cell_FloatTensor:$x, Cell_FloatTensor:$cotangent);
  let results = (outs Cell_FloatTensor:$result);
  let assemblyFormat = "$x `,` $cotangent attr-dict `:` type($result)";
  defvar discarded = "logical_and(equal(cotangent, 0), logical_not(is_finite(x)))";
  let derivative = VJP<["select(" # discarded # ", 0, ct)", ""],
                       "guard(select(" # discarded # ", 0, d_x), cotangent)">;
  let scalar = Scalar<"cotangent == 0 && !std::isfinite(x) ? 0 : x",
                      "payload::Guard(x, cotangent)">;
}

#endif
