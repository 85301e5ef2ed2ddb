//===- ReverseOps.td - elements in the opposite order ---------------------===//

#ifndef CELLGRAD_REVERSEOPS_TD
#define CELLGRAD_REVERSEOPS_TD

include "dialect/CellBase.td"

def Cell_ReverseOp : Cell_Op<"reverse", [Pure, Exact, SameOperandsAndResultType]> {
  let summary = "Elements of dims in the opposite order";
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$x `over` $dims attr-dict `:` type($x)";
  let derivative = Linear<["reverse(ct, dims=dims)"]>;
  let batch = BatchAlike<["dims"]>;
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
