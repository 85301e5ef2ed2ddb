//===- Passes.td - cell to linalg passes ----------------------------------===//

#ifndef CELLGRAD_LOWER_LINALG_PASSES_TD
#define CELLGRAD_LOWER_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerStashPass : Pass<"cell-lower-stash", "::mlir::ModuleOp"> {
  let summary = "Turn stashes of known capacity into tensors";
  let description = [{
    A stash whose loop has a known number of trips becomes a tensor with a leading
    dimension for the trips, which the loop carries and bufferisation changes in place: it
    lives in the arena. Others stay, and grow at run time. Additions to an element become a read, a
    sum and a write in both.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CellToLinalgPass : Pass<"cell-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the ops of the cell dialect to linalg on tensors";
  let description = [{
    Elementwise ops become `linalg.generic` with the payload of their record, contractions
    `linalg.matmul` and `linalg.batch_matmul` whose indexing maps say which operand is
    transposed, reductions `linalg.reduce`, shape ops `tensor` and `linalg` ops, factorizations
    `scf` loops over `linalg` ops on rows and matrices. No op of the cell dialect is left but those
    that act at run time (`cell.print`, `cell.check` of one truth value, `cell.barrier`, stashes that
    grow). Loops that ops become are marked `cell.loop_of_op`. The module must be free of `cell.vjp`
    and `cell.jvp`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::cellgrad::special::SpecialDialect"
  ];
}

def DecomposePass : Pass<"cell-decompose", "::mlir::ModuleOp"> {
  let summary = "Turn solves into factorizations, and factorize large matrices in blocks";
  let description = [{
    `cell.solve` becomes `cell.lu` and two triangular solves; equal factorizations are then
    left to common subexpression elimination. A `cell.cholesky` or `cell.triangular_solve`
    of more rows than a block is halved until its parts have no more (or a twelfth of all),
    so that most of the work is in matrix products.
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "64",
           "rows of a matrix that is not divided further">,
  ];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

#endif
