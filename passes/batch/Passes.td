//===- Passes.td - passes for programs of any batch size ------------------===//

#ifndef CELLGRAD_BATCH_PASSES_TD
#define CELLGRAD_BATCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def OpenBatchPass : Pass<"cell-open-batch", "::mlir::ModuleOp"> {
  let summary = "Give dimensions `?` a size that stands in for the batch";
  let description = [{
    In a program of cell ops each dimension `?` is the batch, as in `tensor<?x784xf32>`. This pass
    puts a prime number in its place that no other dimension is a multiple of, and gives the module
    `cell.batch = {max = N : i64, size = 65521 : i64}` (`max` may be there before). A limit of a slice
    along the batch may be -1. Where samples meet in sums, derivatives are written out, and compared
    for several sizes.

    Tools run it on what they read, before they verify it: files with `?` need no option. Refuses two
    `?` in a type, inputs and results with a `?` that is not first, and `?` at ops of other dialects.
  }];
}

def SpecializeBatchPass : Pass<"cell-specialize-batch", "::mlir::ModuleOp"> {
  let summary = "Give the open batch of a module a size";
  let description = [{
    A module with `cell.batch = {size = 1048573 : i64, ...}` is a program for any batch size: where
    the first dimension of a tensor has that size, which stands in for the batch, the tensor has a row
    for each sample, and k rows where it is k times that. This pass puts `size` in its place, and drops the attribute. It refuses ops
    that mix samples, as `cell-tile-batch` does. So `cell-run` executes the program at any size, as an
    oracle for compiled ones.
  }];
  let options = [
    Option<"size", "size", "int64_t", "1", "Number of samples">,
  ];
}

def TileBatchPass : Pass<"cell-tile-batch", "::mlir::ModuleOp"> {
  let summary = "Make entries of an open batch loops over tiles of known size";
  let description = [{
    Each public function with an open batch gets the batch size as its first argument, a
    `tensor<i64>`, and becomes loops over tiles: copies of the function for a few numbers of
    rows. The largest tiles come first; one of at most 4 rows may begin before the last ended,
    and writes the same rows again. Without the option `tiles`, each number of rows up to 8 has a tile, and 8 and
    one row more are computed as 7 and 2. So a batch of at least 2 is never computed by a tile of one row, whose
    products add in another order, and results have the bits of a model that was compiled for the batch.

    A function that adds up over the batch becomes such loops in phases, one for each sum that needs another. What
    was costly to compute of samples is kept between the phases for batches of at most `kept`, if 32 MiB are enough
    for it, and in any case for those up to two of the largest tiles, or to a program for a known size; it is
    computed again for larger ones. Tiles above the largest batch are left out, and without the option those above 32
    where samples are added up.

    With `by-rows`, a large dense layer is one product of the kept samples between loops, and the gradient of its weights
    one behind them: each is a `linalg.matmul` of tensors with `?` rows, which the CPU pipeline has code for. Loops
    between such products have about every other size of a tile. Functions whose samples know nothing of each other are
    cut at large layers, too: they compute one part of the batch after the other, of at most 288 samples.

    For a batch of 1, for those that `often = array<i64: ...>` of `cell.batch` names, and where samples are added up
    also for those of the size of a tile of at least 32 rows, public functions for the size are put beside the entry, with
    `cell.batch_program = {of = "entry", size = N : i64}`: what calls the entry chooses among them. They are copies of
    functions that the entry names in `cell.batch_programs`, which are for such a size or, with derivatives not yet
    written out, for each; else of the entry. Ranks whose batches may differ choose in the entry.

    Refuses ops that mix samples, with their locations, and functions whose results are not one
    row a sample. Does nothing to a module without `cell.batch`.
  }];
  let options = [
    ListOption<"tiles", "tiles", "int64_t",
               "Rows of the tiles, descending to 1 (default: 128,64,32,16,8,7,6,5,4,3,2,1)">,
    Option<"kept", "kept", "int64_t", "1024",
           "Batches up to this size keep samples between phases (0: none)">,
    Option<"byRows", "by-rows", "bool", "false",
           "Large products of kept samples are of all of them, as many as there are when the code runs">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
