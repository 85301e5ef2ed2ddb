//===- Passes.td - differentiation passes -----------------------------===//

#ifndef CELLGRAD_AUTODIFF_PASSES_TD
#define CELLGRAD_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif
