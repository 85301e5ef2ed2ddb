//===- Passes.td - differentiation passes ---------------------------------===//

#ifndef CELLGRAD_AUTODIFF_PASSES_TD
#define CELLGRAD_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def CountLoopsPass : Pass<"cell-count-loops", "::mlir::ModuleOp"> {
  let summary = "Turn scf.while with a known number of trips into scf.for";
  let description = [{
    The loop's test must compare a carried integer with a constant, and its body add a
    constant to it. Calls in such loops are inlined before, unless the callee has
    transforms.

    ```mlir
    %r:2 = scf.while (%i = %c0, %a = %x) : (tensor<i64>, tensor<f32>) -> ...  // i < 5
    // becomes
    %r = scf.for %iv = %0 to %5 step %1 iter_args(%a = %x) -> (tensor<f32>)
    ```
  }];
  let dependentDialects = ["::cellgrad::CellDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def DifferentiatePass : Pass<"cell-differentiate", "::mlir::ModuleOp"> {
  let summary = "Expand cell.vjp, cell.jvp and cell.vmap into adjoint, tangent and batched code";
  let description = [{
    After this pass no `cell.vjp`, `cell.jvp` or `cell.vmap` is left, and every function
    can be transformed again: the three nest in any order. Functions are taken innermost first over the graph of who
    differentiates or calls whom, so that a derivative of a derivative meets plain ops.
    Calls in differentiated functions are inlined.

    Branches and loops of `scf` are transformed as such: a loop stays a loop, and its
    adjoint walks the trips backwards over what a `cell.stash` kept of them. What
    `canonicalize` made of them (`arith.select` of tensors, logic of conditions, conditions
    that hand on a part of what is carried) is undone first. Ops with
    rules of their own (`cell.custom`, `cell.recompute`) follow their rules, and are
    inlined when all transforms are expanded.

    Only values that depend on an argument in `wrt` and influence a result in `of` get
    adjoint or tangent code, and a cotangent or tangent that is known to be zero is never
    materialised. The functions that changed are simplified before the next level.
  }];
  let options = [
    Option<"simplify", "simplify", "bool", "true",
           "Canonicalise and eliminate common subexpressions after every level">,
  ];
  let statistics = [
    Statistic<"numExpanded", "num-expanded", "Number of transforms expanded">,
  ];
  let dependentDialects = ["::cellgrad::CellDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ChainSumsPass : Pass<"cell-chain-sums", "::mlir::func::FuncOp"> {
  let summary = "Start loops that add to zeros from what their result is added to";
  let description = [{
    ```mlir
    %r = scf.for ... iter_args(%a = %zeros) { yield cell.scatter "add" %u into %a at %i }
    %s = cell.add %sum, %r
    // becomes
    %s = scf.for ... iter_args(%a = %sum) { yield cell.scatter "add" %u into %a at %i }
    ```

    Between the start and what the trip yields there may be sums, additions to slices and loops
    that do the same. Runs behind `cell-tile-batch`, where a sum over the batch that a loop carries starts from zero.
  }];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

def RematerializePass : Pass<"cell-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "Compute elementwise values of the forward pass again where the adjoint reads them";
  let description = [{
    A value that is read again after several deep products of matrices or convolutions, and that
    elementwise ops compute from values which are kept until then anyway, is computed again from
    those, behind a `cell.barrier`: of each layer of a deep network the argument of its activation
    is kept, and not what the activation and its slope are made of.
  }];
  let options = [
    Option<"distance", "distance", "unsigned", "3",
           "deep products, branches and loops between two uses of what is repeated">,
    Option<"depth", "depth", "int64_t", "128",
           "multiplications of a deep product for each element that it reads or writes">,
    Option<"fewestElements", "fewest-elements", "int64_t", "1024",
           "elements of the smallest values that are repeated">,
  ];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

def CheckNansPass : Pass<"cell-check-nans", "::mlir::ModuleOp"> {
  let summary = "End the call with an error where an op gives NaN";
  let description = [{
    Puts a `cell.check` behind every op of the dialect that gives floating-point numbers,
    with a message that names the op; after `cell-differentiate`, also behind those of derivatives.
  }];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

#endif
