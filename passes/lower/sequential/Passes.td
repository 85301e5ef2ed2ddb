//===- Passes.td - passes that make loops of ops --------------------------===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_PASSES_TD
#define CELLGRAD_LOWER_SEQUENTIAL_PASSES_TD

include "mlir/Pass/PassBase.td"

def SequentialToLoops : Pass<"cell-sequential-to-loops", "::mlir::ModuleOp"> {
  let summary = "Lower scans, sorts, scatters and factorizations to loops on tensors";
  let description = [{
    Ops with the trait `Sequential`, which `cell-to-linalg` leaves, become `scf` loops over numbers,
    and over `linalg` ops on rows and matrices, marked `cell.loop_of_op`. A target with another form for
    one of them takes that op away first.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif
