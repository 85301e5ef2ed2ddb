//===- Passes.h - passes that form kernels --------------------------------===//

#ifndef CELLGRAD_LOWER_FUSE_PASSES_H
#define CELLGRAD_LOWER_FUSE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/fuse/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

#endif
