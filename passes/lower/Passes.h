//===- Passes.h - cell to linalg, of every room's patterns ----------------===//

#ifndef CELLGRAD_LOWER_PASSES_H
#define CELLGRAD_LOWER_PASSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/Passes.h.inc"
} // namespace cellgrad

#endif
