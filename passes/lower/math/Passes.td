//===- Passes.td - math expansion passes -----------------------------===//

#ifndef CELLGRAD_LOWER_MATH_PASSES_TD
#define CELLGRAD_LOWER_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif
