//===- Passes.td - linalg to LLVM on CPU passes -----------------------------===//

#ifndef CELLGRAD_LOWER_CPU_PASSES_TD
#define CELLGRAD_LOWER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif
