//===- Passes.td - cell to linalg passes ----------------------------------===//

#ifndef CELLGRAD_LOWER_LINALG_PASSES_TD
#define CELLGRAD_LOWER_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def CellToLinalgPass : Pass<"cell-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the ops of the cell dialect to linalg on tensors";
  let description = [{
    Elementwise ops become `linalg.generic` with the payload of their record, contractions
    `linalg.matmul` and `linalg.batch_matmul` whose indexing maps say which operand is
    transposed, reductions `linalg.reduce`, shape ops `tensor` and `linalg` ops. No op of
    the cell dialect is left but `cell.print`. The module must be free of `cell.vjp` and
    `cell.jvp`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif
