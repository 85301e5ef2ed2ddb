//===- Passes.td - cell to linalg passes -----------------------------===//

#ifndef CELLGRAD_LOWER_LINALG_PASSES_TD
#define CELLGRAD_LOWER_LINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif
