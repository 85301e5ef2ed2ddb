//===- Passes.h - buffers to LLVM on CPU passes ---------------------------===//

#ifndef CELLGRAD_LOWER_CPU_PASSES_H
#define CELLGRAD_LOWER_CPU_PASSES_H

#include "passes/lower/target/TargetOption.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/lower/cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

#endif
