//===- RuleOps.td - calls whose derivative the user chooses ---------------===//

#ifndef CELLGRAD_RULEOPS_TD
#define CELLGRAD_RULEOPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "dialect/CellBase.td"

class Cell_RuledCallOp<string mnemonic, list<Trait> traits = []>
    : Op<Cell_Dialect, mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<DifferentiableOpInterface>], traits)> {
  let results = (outs Variadic<Cell_Tensor>:$outs);
}

def Cell_CustomOp : Cell_RuledCallOp<"custom", [AttrSizedOperandSegments]> {
  let summary = "A call whose derivative is given by another function";
  let description = [{
    Calls `callee` on `args` and `captures`. Its derivative is not derived from its body
    but taken from the rule, which is either of

    - `vjp @rule`: takes the arguments, the results, the cotangents of the floating point
      results, and the rule's own captures; gives a cotangent for every floating point
      argument, in order. Forward mode is refused, as nothing can be derived from it.
    - `jvp @rule`: takes the arguments, the tangents of the floating point arguments, and
      the rule's captures; gives the results, then the tangents of the floating point
      ones. Reverse mode is its transpose: a rule that is not linear in the tangents, or
      whose tangents do not depend on them, is refused there.

    Captures get no cotangent; differentiating by one is refused. What is left after
    `cell-differentiate` is a plain call, and inlined.

    ```mlir
    %y = cell.custom @f(%x) vjp @f_vjp : (tensor<f32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Cell_Tensor>:$args,
                       Variadic<Cell_Tensor>:$captures,
                       OptionalAttr<FlatSymbolRefAttr>:$vjp,
                       OptionalAttr<FlatSymbolRefAttr>:$jvp,
                       Variadic<Cell_Tensor>:$rule_captures);
  let assemblyFormat = [{
    $callee `(` $args `)` (`captures` `(` $captures^ `)`)? (`vjp` $vjp^)? (`jvp` $jvp^)?
    (`with` `(` $rule_captures^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::FlatSymbolRefAttr getRuleAttr() {
      return getVjpAttr() ? getVjpAttr() : getJvpAttr();
    }
  }];
}

def Cell_RecomputeOp : Cell_RuledCallOp<"recompute"> {
  let summary = "A call whose intermediate values are computed again for the adjoint";
  let description = [{
    Rematerialisation: reverse mode keeps only the arguments, and runs the callee a second
    time right before its adjoint. Memory for time.

    ```mlir
    %y = cell.recompute @block(%x, %w) : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Cell_Tensor>:$args);
  let assemblyFormat = "$callee `(` $args `)` attr-dict `:` functional-type($args, results)";
}

def Cell_BarrierOp : Cell_Op<"barrier", [Pure, Exact]> {
  let summary = "The identity, computed after the values in after; not seen through";
  let description = [{
    Keeps what is computed from the result apart from what is computed from `x`: no pass
    merges the two. It costs nothing at run time.
  }];
  // A buffer takes the place of the tensor when the graph has been bufferised.
  let arguments = (ins Cell_Tensor:$x, Variadic<Cell_Tensor>:$after);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = [{
    $x `after` `(` $after `)` attr-dict `:` functional-type(operands, $result)
  }];
  let derivative = Custom<[]>;
  let hasVerifier = 1;
}

#endif
