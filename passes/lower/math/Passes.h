//===- Passes.h - math expansion passes --------------------------------===//

#ifndef CELLGRAD_LOWER_MATH_PASSES_H
#define CELLGRAD_LOWER_MATH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/math/Passes.h.inc"
} // namespace cellgrad

#endif
