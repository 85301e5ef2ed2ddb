//===- GraphOps.td - constants, casts, differentiation, printing ----------===//

#ifndef CELLGRAD_GRAPHOPS_TD
#define CELLGRAD_GRAPHOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "dialect/CellBase.td"

def Cell_ConstantOp : Cell_Op<"constant", [
    Pure, Exact, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let derivative = ZeroDerivative<"a constant does not change">;
  let batch = BatchAlike<[]>;
  let hasFolder = 1;
}

def Cell_CastOp : Cell_Op<"cast", [Pure, SameOperandsAndResultShape]> {
  let summary = "Converts elements to another type";
  let description = [{
    Floating point to integer truncates toward zero and saturates at the ends of the
    range, NaN gives 0; to bool it is `x != 0`. The derivative passes between numbers,
    but is zero where they are rounded to integers without `cell.straight`, and through bool.
  }];
  let arguments = (ins Cell_Tensor:$x);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let derivative = Custom<[]>;
  let batch = BatchAlike<[]>;
  let hasFolder = 1;
}

def Cell_StopGradientOp : Cell_Op<"stop_gradient", [Pure, Exact, SameOperandsAndResultType]> {
  let summary = "The identity, with a zero derivative at every order";
  let arguments = (ins Cell_Tensor:$x);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let derivative = ZeroDerivative<"the gradient is stopped by request">;
  let batch = BatchAlike<[]>;
}

def Cell_PrintOp : Cell_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints text and tensors when the graph runs, in order";
  let description = [{
    Every `{}` of `format` stands for the next operand.

    ```mlir
    cell.print "loss {}" (%loss : tensor<f32>)
    ```
  }];
  // Buffers take the place of tensors when the graph has been bufferised.
  let arguments = (ins Variadic<AnyTypeOf<[Cell_Tensor, AnyStaticShapeMemRef]>>:$xs,
                       StrAttr:$format);
  let assemblyFormat = "$format (`(` $xs^ `:` type($xs) `)`)? attr-dict";
  let derivative = ZeroDerivative<"printing has no result">;
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

class Cell_TransformOp<string mnemonic> : Op<Cell_Dialect, mnemonic, [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let results = (outs Variadic<Cell_Tensor>:$outs);
}

def Cell_VJPOp : Cell_TransformOp<"vjp"> {
  let summary = "Vector-Jacobian product: results of a function and cotangents of its arguments";
  let description = [{
    Calls `callee` on `args` and pulls `cotangents` of its results `of` back to the
    arguments `wrt`. Results not listed in `of` have a zero cotangent. Gives the primal
    results of the callee, then one cotangent for every entry of `wrt`.

    `transpose` says that the callee is linear in the arguments `wrt`, whose values are
    then of no account; expansion refuses a callee that is not.

    ```mlir
    %y, %dx = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0]
        : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Cell_Tensor>:$args,
                       Variadic<Cell_NumericTensor>:$cotangents, DenseI64ArrayAttr:$of,
                       DenseI64ArrayAttr:$wrt, UnitAttr:$transpose);
  let assemblyFormat = [{
    $callee `(` $args `)` `cotangents` `(` $cotangents `)` `of` $of `wrt` $wrt
    (`transpose` $transpose^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Cell_JVPOp : Cell_TransformOp<"jvp"> {
  let summary = "Jacobian-vector product: results of a function and their tangents";
  let description = [{
    Calls `callee` on `args` and pushes `tangents` of the arguments `wrt` forward to the
    results `of`. Arguments not listed in `wrt` have a zero tangent. Gives the primal
    results of the callee, then one tangent for every entry of `of`.

    ```mlir
    %y, %dy = cell.jvp @f(%x) tangents(%t) wrt [0] of [0]
        : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Cell_Tensor>:$args,
                       Variadic<Cell_NumericTensor>:$tangents, DenseI64ArrayAttr:$wrt,
                       DenseI64ArrayAttr:$of);
  let assemblyFormat = [{
    $callee `(` $args `)` `tangents` `(` $tangents `)` `wrt` $wrt `of` $of attr-dict
    `:` functional-type(operands, results)
  }];
}

def Cell_VMapOp : Op<Cell_Dialect, "vmap", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function applied to every element of a batch";
  let description = [{
    `in_dims` gives for each argument the dimension that holds the batch, or -1 for one
    that is the same for all elements; `out_dims` gives for each result the dimension in
    which the batch comes out, or -1 for one that depends on no mapped argument.

    ```mlir
    %y = cell.vmap @f(%x, %w) in [0, -1] out [0]
        : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Cell_Tensor>:$args,
                       DenseI64ArrayAttr:$in_dims, DenseI64ArrayAttr:$out_dims);
  let results = (outs Variadic<Cell_Tensor>:$outs);
  let assemblyFormat = [{
    $callee `(` $args `)` `in` $in_dims `out` $out_dims attr-dict
    `:` functional-type($args, results)
  }];
  let extraClassDeclaration = [{
    /// Number of elements of the batch; 0 if no argument is mapped, which is refused.
    int64_t getBatchSize();
  }];
}

#endif
