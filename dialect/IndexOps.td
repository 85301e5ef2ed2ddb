//===- IndexOps.td - positions, and elements at positions -----------------===//

#ifndef CELLGRAD_INDEXOPS_TD
#define CELLGRAD_INDEXOPS_TD

include "dialect/CellBase.td"

def Cell_IndexTensor : Cell_TensorOf<[I32, I64]>;

//===----------------------------------------------------------------------===//
// Elements at positions
//===----------------------------------------------------------------------===//

def Cell_GatherOp : Cell_Op<"gather", [
    Pure, Exact, DiscardsElements, InferTypeOpAdaptor]> {
  let summary = "Slices of x at indices along dim";
  let description = [{
    With `x` of shape [B.., P.., N, R..], where N is dimension `dim` and B are the first
    `batch_dims` dimensions, and `indices` of shape [B.., I..], the result is
    [B.., P.., I.., R..]. An index below 0 counts as 0, one above N - 1 as N - 1. The
    adjoint adds the cotangents of equal indices up.

    ```mlir
    %y = cell.gather %x at %i dim 0 : tensor<9x4xf32>, tensor<2x3xi32> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Cell_Tensor:$x, Cell_IndexTensor:$indices, I64Attr:$dim,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = [{
    $x `at` $indices `dim` $dim (`batch` $batch_dims^)? attr-dict
    `:` type($x) `,` type($indices) `->` type($result)
  }];
  let derivative = Custom<["indices"]>;
  let hasFolder = 1;
}

def Cell_ScatterOp : Cell_Op<"scatter", [
    Pure, Polynomial, DiscardsElements, Sequential, AllTypesMatch<["x", "result"]>]> {
  let summary = "x with updates added to, or put in the place of, its slices at indices along dim";
  let description = [{
    Dimensions and indices are those of `cell.gather`, and `updates` has the shape of its
    result. `combine` is "add", or "set", where the last of equal indices wins.

    ```mlir
    %y = cell.scatter "add" %u into %x at %i dim 0
        : tensor<2x3x4xf32>, tensor<9x4xf32>, tensor<2x3xi32>
    ```
  }];
  let arguments = (ins Cell_Tensor:$x, Cell_IndexTensor:$indices, Cell_Tensor:$updates,
                       I64Attr:$dim, DefaultValuedAttr<I64Attr, "0">:$batch_dims,
                       StrAttr:$combine);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = [{
    $combine $updates `into` $x `at` $indices `dim` $dim (`batch` $batch_dims^)? attr-dict
    `:` type($updates) `,` type($x) `,` type($indices)
  }];
  let derivative = Custom<["indices"]>;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool adds() { return getCombine() == "add"; }
  }];
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def Cell_IotaOp : Cell_Op<"iota", [Pure, Exact]> {
  let summary = "Each element is its index along dim";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let derivative = ZeroDerivative<"a constant does not change">;
  let hasVerifier = 1;
}

class Cell_PositionOp<string mnemonic> : Cell_Op<mnemonic, [Pure]> {
  let description = [{
    The row-major position over `dims`, which are dropped, of the first such element. NaN
    counts as the extremum; -0 equals 0.
  }];
  let arguments = (ins Cell_NumericTensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Cell_IndexTensor:$result);
  let assemblyFormat = "$x `over` $dims attr-dict `:` type($x) `->` type($result)";
  let derivative = ZeroDerivative<"a position is piecewise constant">;
  let batch = BatchAlike<["dims"]>;
  let hasVerifier = 1;
}

def Cell_ArgMaxOp : Cell_PositionOp<"argmax"> {
  let summary = "Position of the largest element over dims";
}
def Cell_ArgMinOp : Cell_PositionOp<"argmin"> {
  let summary = "Position of the smallest element over dims";
}

#endif
