//===- Passes.h - passes on buffers that every target shares --------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_PASSES_H
#define CELLGRAD_LOWER_BUFFERS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/buffers/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

#endif
