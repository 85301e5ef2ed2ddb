//===- ShapeOps.td - ops that move elements -------------------------------===//

#ifndef CELLGRAD_SHAPEOPS_TD
#define CELLGRAD_SHAPEOPS_TD

include "dialect/CellBase.td"

class Cell_ShapeOp<string mnemonic, list<Trait> traits = []>
    : Cell_Op<mnemonic, !listconcat([Pure, Exact], traits)> {
  let results = (outs Cell_Tensor:$result);
  let hasVerifier = 1;
}

class Cell_InferredShapeOp<string mnemonic, list<Trait> traits = []>
    : Cell_ShapeOp<mnemonic, !listconcat([
        InferTypeOpAdaptor], traits)> {
  // The shape is computed, and refused, in inferReturnTypes.
  let hasVerifier = 0;
}

def Cell_ReshapeOp : Cell_ShapeOp<"reshape"> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Cell_Tensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let derivative = Linear<["reshape(ct, like=x)"]>;
  let batch = BatchAlike<[]>;
  let hasFolder = 1;
}

def Cell_BroadcastOp : Cell_ShapeOp<"broadcast"> {
  let summary = "Repeats x along new dimensions";
  let description = [{
    `dims` are the dimensions of the result that x does not have, in ascending order;
    the others are those of x, in order. Exactly the adjoint of `cell.reduce_sum` over
    the same `dims`. A size-1 dimension is not stretched: reshape it away first.

    ```mlir
    %b = cell.broadcast %x along [0] : tensor<3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `along` $dims attr-dict `:` type($x) `->` type($result)";
  let derivative = Linear<["reduce_sum(ct, dims=dims)"]>;
  let batch = BatchAlike<["dims"]>;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Cell_TransposeOp : Cell_InferredShapeOp<"transpose"> {
  let summary = "Permutes dimensions: dimension i of the result is perm[i] of x";
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$perm);
  let assemblyFormat = "$x `perm` $perm attr-dict `:` type($x) `->` type($result)";
  let derivative = Linear<["transpose(ct, perm={inversePermutation(getPerm())})"]>;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Cell_SliceOp : Cell_InferredShapeOp<"slice", [DiscardsElements]> {
  let summary = "Elements starts, starts + strides, ... below limits of each dimension";
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let assemblyFormat = [{
    $x `from` $starts `to` $limits `by` $strides attr-dict `:` type($x) `->` type($result)
  }];
  let derivative = Linear<[
    "pad(ct, low=starts, high={highPaddingOfSlice(*this)}, interior={interiorOfStrides(getStrides())})"]>;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Cell_PadOp : Cell_InferredShapeOp<"pad"> {
  let summary = "Zeros before, after and between the elements of each dimension";
  let arguments = (ins Cell_Tensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let assemblyFormat = [{
    $x `low` $low `high` $high `interior` $interior attr-dict `:` type($x) `->` type($result)
  }];
  let derivative = Linear<[
    "slice(ct, starts=low, limits={limitsOfPad(*this)}, strides={stridesOfInterior(getInterior())})"]>;
  let hasFolder = 1;
}

def Cell_ConcatOp : Cell_InferredShapeOp<"concat"> {
  let summary = "Operands one after the other along dimension dim";
  let arguments = (ins Variadic<Cell_Tensor>:$xs, I64Attr:$dim);
  let assemblyFormat = "$xs `dim` $dim attr-dict `:` functional-type($xs, $result)";
  let derivative = Custom<[]>;
  let batch = BatchAlike<["dim"]>;
  let hasFolder = 1;
}

#endif
