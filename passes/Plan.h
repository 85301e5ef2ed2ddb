//===- Plan.h - the kernels of a program, in numbers ------------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_PLAN_H
#define CELLGRAD_PASSES_PLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace cellgrad {

/// Writes a table of each entry of a module on buffers, behind
/// cell-form-kernels: its kernels, how often they run, their items, the bytes
/// that go through memory, arithmetic operations, an estimate of the time on
/// one core, and the line of the program. All follows from shapes: nothing is
/// measured.
void printPlan(mlir::ModuleOp module, llvm::raw_ostream &os);

/// The same for a device, behind cell-outline-device-kernels: its launches,
/// with the blocks of each: what says 1 is computed by one multiprocessor.
void printDevicePlan(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace cellgrad

#endif
