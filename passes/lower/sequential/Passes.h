//===- Passes.h - passes that make loops of ops ---------------------------===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_PASSES_H
#define CELLGRAD_LOWER_SEQUENTIAL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/sequential/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/sequential/Passes.h.inc"
} // namespace cellgrad

#endif
