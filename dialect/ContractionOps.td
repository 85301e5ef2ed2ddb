//===- ContractionOps.td - products that sum over a shared dimension ------===//

#ifndef CELLGRAD_CONTRACTIONOPS_TD
#define CELLGRAD_CONTRACTIONOPS_TD

include "dialect/CellBase.td"

def Cell_MatMulOp : Cell_Op<"matmul", [
    Pure, Polynomial, InferTypeOpAdaptor]> {
  let summary = "Matrix product of the last two dimensions, batched over the others";
  let description = [{
    Leading dimensions must be equal; broadcasting is explicit. `transpose_a` and
    `transpose_b` read an operand with its last two dimensions exchanged, at no cost.
  }];
  let arguments = (ins Cell_NumericTensor:$lhs, Cell_NumericTensor:$rhs,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_b);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, $result)
  }];
  let derivative = Multilinear<[
    "when(transpose_a, matmul(rhs, ct, transpose_a=transpose_b, transpose_b=true), matmul(ct, rhs, transpose_b={!getTransposeB()}))",
    "when(transpose_b, matmul(ct, lhs, transpose_a=true, transpose_b=transpose_a), matmul(lhs, ct, transpose_a={!getTransposeA()}))"]>;
  let hasCanonicalizer = 1;
}

#endif
