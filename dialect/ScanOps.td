//===- ScanOps.td - running sums and sorting along a dimension ------------===//

#ifndef CELLGRAD_SCANOPS_TD
#define CELLGRAD_SCANOPS_TD

include "dialect/IndexOps.td"

def Cell_CumSumOp : Cell_Op<"cumsum", [Pure, SameOperandsAndResultType]> {
  let summary = "Sums of all elements up to each one along dim";
  let description = [{
    With `reverse` the sums start at the end; with `exclusive` an element is not part of
    its own sum. Sums of half precision numbers are accumulated in f32.

    ```mlir
    %y = cell.cumsum %x along 1 {exclusive = true} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse,
                       DefaultValuedAttr<BoolAttr, "false">:$exclusive);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = "$x `along` $dim attr-dict `:` type($x)";
  let derivative = Linear<[
    "cumsum(ct, dim=dim, reverse={!getReverse()}, exclusive=exclusive)"]>;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cell_ArgSortOp : Cell_Op<"argsort", [Pure]> {
  let summary = "Positions along dim that put x in order";
  let description = [{
    Equal elements stay in their order. NaN comes after all numbers, or before them with
    `descending`; -0 equals 0. To sort is to gather at these positions.

    ```mlir
    %i = cell.argsort %x along 0 {descending = true} : tensor<5xf32> -> tensor<5xi32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs Cell_IndexTensor:$result);
  let assemblyFormat = "$x `along` $dim attr-dict `:` type($x) `->` type($result)";
  let derivative = ZeroDerivative<"a position is piecewise constant">;
  let hasVerifier = 1;
}

#endif
