//===- BitwiseOps.td - operations on the bits of integers -----------------===//

#ifndef CELLGRAD_BITWISEOPS_TD
#define CELLGRAD_BITWISEOPS_TD

include "dialect/CellBase.td"

def Cell_IntTensor : Cell_TensorOf<CellInts>;

class Cell_BitwiseOp<string mnemonic, string cxx, string ints, string className>
    : Cell_BinaryOp<mnemonic, Cell_IntTensor, [Commutative]> {
  let derivative = ZeroDerivative<"integers carry no derivative">;
  let scalar = Scalar<"lhs " # cxx # " rhs", "", ints>;
  let python = Python<mnemonic, className, ["input", "other"]>;
}

def Cell_BitwiseAndOp : Cell_BitwiseOp<"bitwise_and", "&", "arith::AndIOp(lhs, rhs)", "BitwiseAnd"> {
  let summary = "Bits set in both operands; logical for bools";
  let forms = ["Tensor.bitwise_and", "mint.bitwise_and"];
  let example = Example<["[5, 6]", "[3, 3]"], "[1 2]">;
}
def Cell_BitwiseOrOp : Cell_BitwiseOp<"bitwise_or", "|", "arith::OrIOp(lhs, rhs)", "BitwiseOr"> {
  let summary = "Bits set in an operand; logical for bools";
  let forms = ["Tensor.bitwise_or", "mint.bitwise_or"];
  let example = Example<["[5, 6]", "[3, 3]"], "[7 7]">;
}
def Cell_BitwiseXorOp : Cell_BitwiseOp<"bitwise_xor", "^", "arith::XOrIOp(lhs, rhs)", "BitwiseXor"> {
  let summary = "Bits set in exactly one operand; logical for bools";
  let forms = ["Tensor.bitwise_xor", "mint.bitwise_xor"];
  let example = Example<["[5, 6]", "[3, 3]"], "[6 5]">;
}
def Cell_BitwiseNotOp : Cell_UnaryOp<"bitwise_not", Cell_IntTensor> {
  let summary = "All bits inverted, -x - 1";
  let derivative = ZeroDerivative<"integers carry no derivative">;
  let scalar = Scalar<"~x", "", "arith::XOrIOp(x, -1)">;
}

#endif
