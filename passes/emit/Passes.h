//===- Passes.h - passes at the end of the line ---------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_PASSES_H
#define CELLGRAD_PASSES_EMIT_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/emit/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/emit/Passes.h.inc"
} // namespace cellgrad

#endif
