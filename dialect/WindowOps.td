//===- WindowOps.td - convolution, and windows that slide over a tensor ---===//

#ifndef CELLGRAD_WINDOWOPS_TD
#define CELLGRAD_WINDOWOPS_TD

include "dialect/CellBase.td"

def Cell_ConvOp : Cell_Op<"conv", [
    Pure, Polynomial, DiscardsElements, InferTypeOpAdaptor]> {
  let summary = "Convolution (cross-correlation) over any number of spatial dimensions";
  let description = [{
    x is [N, C, S...], w is [O, C / groups, K...], the result [N, O, S'...] with
    S' = (S - dilation * (K - 1) - 1) / stride + 1: only windows that lie inside x. Other
    padding is a `cell.pad` before, a transposed convolution one with interior padding.

    ```mlir
    %y = cell.conv %x, %w strides [1, 1] dilations [1, 1] groups 1
        : (tensor<8x3x32x32xf32>, tensor<6x3x5x5xf32>) -> tensor<8x6x28x28xf32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, Cell_NumericTensor:$w,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       I64Attr:$groups);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = [{
    $x `,` $w `strides` $strides `dilations` $dilations `groups` $groups attr-dict
    `:` functional-type(operands, $result)
  }];
  let derivative = Custom<["x", "w"]>;
}

def Cell_WindowsOp : Cell_Op<"windows", [
    Pure, Exact, DiscardsElements, InferTypeOpAdaptor]> {
  let summary = "All windows of the last dimensions: [B.., S..] to [B.., O.., K..]";
  let description = [{
    Element (b, o, k) is x(b, o * stride + k * dilation), in each of the last dimensions
    that `sizes` gives a window for. Linear; lowering reads x in place.
  }];
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = [{
    $x `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict
    `:` type($x) `->` type($result)
  }];
  let derivative = Linear<[
    "overlap_add(ct, strides=strides, dilations=dilations, like=x)"]>;
  let batch = BatchAlike<[]>;
}

def Cell_OverlapAddOp : Cell_Op<"overlap_add", [Pure, Polynomial]> {
  let summary = "Adds each window up where cell.windows took it from: its adjoint";
  let description = [{
    y is [B.., O.., K..], the result [B.., S..]: that of `cell.windows` and its operand.
    An element that no window covers is 0.
  }];
  let arguments = (ins Cell_NumericTensor:$y, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = [{
    $y `strides` $strides `dilations` $dilations attr-dict `:` type($y) `->` type($result)
  }];
  let derivative = Linear<[
    "windows(ct, sizes={getSizes()}, strides=strides, dilations=dilations)"]>;
  let batch = BatchAlike<[]>;
  let extraClassDeclaration = [{
    /// Sizes of the windows: the last dimensions of y.
    ::llvm::ArrayRef<int64_t> getSizes();
  }];
  let hasVerifier = 1;
}

#endif
