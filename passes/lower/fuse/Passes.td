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

def ParallelizeLoops : Pass<"cell-parallelize-loops", "::mlir::func::FuncOp"> {
  let summary = "Make items of the steps of loops that do not depend on each other";
  let description = [{
    An `scf.for` of known length becomes an `scf.forall` where each step writes only what is made in it
    and one slice of each buffer, which no other step touches: loops over the rows of a sort, the
    batches of a scatter, the matrices of a factorization, the samples of a user. Outermost loops only.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time of a loop that is cut into items">,
  ];
}

def FormKernels : Pass<"cell-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "Run ops that share rows on a few rows at a time";
  let description = [{
    Groups `linalg` ops on buffers that share an item dimension, walk it in the
    same way and have more data than the first-level cache holds, as one
    `scf.forall` over items, in which all ops run on one tile of rows before the
    next. Temporaries that no other op reads shrink to a tile. Reductions over
    the items keep one result an item, combined after the loop. Where one row is
    larger than a tile, as a matrix of scores is, its ops run on tiles of it.

    Products that each item has for itself, as those of the heads of attention, join what they need and what needs
    them, where all that an item uses stays in a cache.

    Products of matrices in loops that are too short to be cut into items by themselves join, too, where that
    makes a kernel which threads share.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fewestBytes", "fewest-bytes", "int64_t", "65536",
           "smallest traffic that is saved; 1 to form kernels of anything">,
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time of an op that is cut into items by itself">,
    Option<"tileBytes", "tile-bytes", "int64_t", "262144",
           "most bytes of the slices of a tile: a part of the second-level cache">,
    Option<"mostItems", "most-items", "int64_t", "128",
           "most items of a kernel: more than any machine has cores to keep busy">,
    Option<"itemNanoseconds", "item-nanoseconds", "int64_t", "3000",
           "shortest time of an item: shorter ones cost more to hand out than they take">,
    Option<"productNanoseconds", "product-nanoseconds", "int64_t", "0",
           "products that take as long have items of their own; shorter ones join (0: none does)">,
    Option<"productsAnywhere", "products-anywhere", "bool", "false",
           "products join outside of loops, too: sums over rows beside them are cut otherwise then">,
    Option<"itemBytes", "item-bytes", "int64_t", "0",
           "most bytes of an item that has products of its own: a part of the second-level cache (0: none has)">,
    Option<"innerTiles", "inner-tiles", "bool", "false",
           "cut a row that is larger than a tile again, where its ops share rows of that, and keep what is "
           "written over in its tile">,
    Option<"printPlan", "print-plan", "bool", "false",
           "say of each kernel, in a remark, how it is cut">,
  ];
}

def StraightenProducts : Pass<"cell-straighten-products", "::mlir::func::FuncOp"> {
  let summary = "Transpose before a loop what its products would transpose in each trip";
  let description = [{
    A product of a few rows with a matrix that is stored by output, `C[i, j] += A[i, k] * B[j, k]`, packs all of B. In a
    loop that does not write B it reads a copy instead, which is made once: the weights of a recurrent layer.
    Numbers are added in the same order.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def JoinOps : Pass<"cell-join-ops", "::mlir::func::FuncOp"> {
  let summary = "Compute small independent ops side by side";
  let description = [{
    Ops on buffers that are too short to be cut into items, and do not need each other,
    become the items of one `scf.forall`: an op and those that need it in one item, in
    their order. Products stay outside, with their epilogues.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time of all that is joined; the longest item is shorter by half of it">,
  ];
}

#endif
