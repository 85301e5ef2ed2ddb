//===- Passes.td - passes that form kernels -------------------------------===//

#ifndef CELLGRAD_LOWER_FUSE_PASSES_TD
#define CELLGRAD_LOWER_FUSE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseLinalg : Pass<"cell-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "Merge elementwise linalg ops, and fold views into indexing maps";
  let description = [{
    Works block by block on `linalg` over tensors. Every linalg op becomes a
    `linalg.generic`; pure transposes, broadcasts, splat constants and fills are
    folded into the maps and bodies of their users (contractions included);
    elementwise ops over one iteration space are merged into one
    `linalg.generic`, with one result for each value that is still needed
    outside; elementwise producers are merged into the body of a reduction. An
    op whose users cannot all be merged is recomputed when it is cheap (few ops
    that OpCost.cpp lists as cheap) and computed once and stored when it is not
    (divisions, functions, loads).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"recomputeLimit", "recompute-limit", "unsigned", "4",
           "largest body, in arithmetic ops, that is recomputed in each user">,
  ];
}

#endif
