//===- Passes.h - buffers to NVVM on GPU passes ---------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PASSES_H
#define CELLGRAD_LOWER_GPU_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

#endif
