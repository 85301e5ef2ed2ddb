//===- ScanOps.td - running combinations and sorting along a dimension ----===//

#ifndef CELLGRAD_SCANOPS_TD
#define CELLGRAD_SCANOPS_TD

include "dialect/IndexOps.td"

//===----------------------------------------------------------------------===//
// Running sums and products
//===----------------------------------------------------------------------===//

class Cell_CumulativeOp<string mnemonic>
    : Cell_Op<mnemonic, [Pure, Polynomial, Sequential, SameOperandsAndResultType]> {
  let description = [{
    With `reverse` they start at the end; with `exclusive` an element is not part of its
    own. Those of half precision numbers are accumulated in f32.

    ```mlir
    %y = cell.cumsum %x along 1 {exclusive = true} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse,
                       DefaultValuedAttr<BoolAttr, "false">:$exclusive);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = "$x `along` $dim attr-dict `:` type($x)";
  let batch = BatchAlike<["dim"]>;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cell_CumSumOp : Cell_CumulativeOp<"cumsum"> {
  let summary = "Sums of all elements up to each one along dim";
  let derivative = Linear<[
    "cumsum(ct, dim=dim, reverse={!getReverse()}, exclusive=exclusive)"]>;
}

// The products p before each element follow p' = x p. An inclusive product is x p, so that
// nothing is divided by, and zeros are like other numbers.
defvar ProductsBefore = "cumprod(x, dim=dim, reverse=reverse, exclusive=true)";
defvar ProductsTangent = !strconcat("recurrence(x, mul(d_x, ", ProductsBefore,
                                    "), dim=dim, reverse=reverse)");

def Cell_CumProdOp : Cell_CumulativeOp<"cumprod"> {
  let summary = "Products of all elements up to each one along dim";
  let derivative = VJP<
    [!strconcat("when(exclusive, "
       "mul(recurrence(x, ct, dim=dim, reverse={!getReverse()}), result), "
       "mul(add(recurrence(x, mul(ct, x), dim=dim, reverse={!getReverse()}), ct), ",
       ProductsBefore, "))")],
    !strconcat("when(exclusive, "
       "recurrence(x, mul(d_x, result), dim=dim, reverse=reverse), "
       "add(mul(", ProductsTangent, ", x), mul(d_x, ", ProductsBefore, ")))")>;
}

//===----------------------------------------------------------------------===//
// Linear recurrences
//===----------------------------------------------------------------------===//

def Cell_RecurrenceOp : Cell_Op<"recurrence", [Pure, Polynomial, Sequential, SameOperandsAndResultType]> {
  let summary = "y of y[i+1] = a[i] y[i] + b[i] along dim, from y[0] = 0";
  let description = [{
    With `reverse` from the end: y[i-1] = a[i] y[i] + b[i]. The last a and b have no
    influence: what they lead to is a y + b. The adjoint is the recurrence in the other
    direction. Half precision numbers are accumulated in f32.

    ```mlir
    %y = cell.recurrence %a, %b along 1 {reverse = true} : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$a, Cell_NumericTensor:$b, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = "$a `,` $b `along` $dim attr-dict `:` type($result)";
  let derivative = VJP<
    ["mul(recurrence(a, ct, dim=dim, reverse={!getReverse()}), result)",
     "recurrence(a, ct, dim=dim, reverse={!getReverse()})"],
    "recurrence(a, add(mul(d_a, result), d_b), dim=dim, reverse=reverse)">;
  let batch = BatchAlike<["dim"]>;
  let hasVerifier = 1;
}

def Cell_SegmentCumSumOp : Cell_Op<"segment_cumsum", [
    Pure, Polynomial, Sequential, SameOperandsAndResultShape, AllTypesMatch<["x", "result"]>]> {
  let summary = "Sums of all elements of a segment up to each one along dim";
  let description = [{
    A segment is from an element where `starts` is true to the one before the next such,
    and the first is from the first element. With `reverse` sums start at the ends of
    segments. Half precision numbers are accumulated in f32.

    ```mlir
    %y = cell.segment_cumsum %x from %starts along 1 : tensor<2x3xf32>, tensor<2x3xi1>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, Cell_BoolTensor:$starts, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Cell_NumericTensor:$result);
  let assemblyFormat = [{
    $x `from` $starts `along` $dim attr-dict `:` type($x) `,` type($starts)
  }];
  let derivative = VJP<
    ["segment_cumsum(ct, starts, dim=dim, reverse={!getReverse()})", ""],
    "segment_cumsum(d_x, starts, dim=dim, reverse=reverse)">;
  let batch = BatchAlike<["dim"]>;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Running extrema
//===----------------------------------------------------------------------===//

class Cell_CumulativeExtremumOp<string mnemonic>
    : Cell_Op<mnemonic, [Pure, Exact, DiscardsElements, Sequential, InferTypeOpAdaptor]> {
  let description = [{
    `positions` are along dim, of the last of equal elements; -0 equals 0. From a NaN on
    all are NaN, with its position.

    ```mlir
    %y, %i = cell.cummax %x along 1 : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, I64Attr:$dim);
  let results = (outs Cell_NumericTensor:$values,
                      Cell_TensorOf<[I32]>:$positions);
  let assemblyFormat = "$x `along` $dim attr-dict `:` type($x)";
  let derivative = Custom<["positions"]>;
  let batch = BatchAlike<["dim"]>;
  let hasVerifier = 1;
}

def Cell_CumMaxOp : Cell_CumulativeExtremumOp<"cummax"> {
  let summary = "Largest of all elements up to each one along dim, and their positions";
  let subgradient = "all to the last element that attains the maximum";
}
def Cell_CumMinOp : Cell_CumulativeExtremumOp<"cummin"> {
  let summary = "Smallest of all elements up to each one along dim, and their positions";
  let subgradient = "all to the last element that attains the minimum";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def Cell_ArgSortOp : Cell_Op<"argsort", [Pure, Sequential]> {
  let summary = "Positions along dim that put x in order";
  let description = [{
    Equal elements stay in their order. NaN comes after all numbers, or before them with
    `descending`; -0 equals 0. To sort is to gather at these positions. A result that is
    shorter along dim holds the first ones: what is not among them is not sorted.

    ```mlir
    %i = cell.argsort %x along 0 {descending = true} : tensor<5xf32> -> tensor<5xi32>
    ```
  }];
  let arguments = (ins Cell_NumericTensor:$x, I64Attr:$dim,
                       DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs Cell_IndexTensor:$result);
  let assemblyFormat = "$x `along` $dim attr-dict `:` type($x) `->` type($result)";
  let derivative = ZeroDerivative<"a position is piecewise constant">;
  let batch = BatchAlike<["dim"]>;
  let hasVerifier = 1;
}

#endif
