//===- Passes.td - cell to linalg, of every room's patterns ---------------===//

#ifndef CELLGRAD_LOWER_PASSES_TD
#define CELLGRAD_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

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

#endif
