//===- Passes.h - passes for programs of any batch size -------------------===//

#ifndef CELLGRAD_BATCH_PASSES_H
#define CELLGRAD_BATCH_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cellgrad {
#define GEN_PASS_DECL
#include "passes/batch/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

#endif
