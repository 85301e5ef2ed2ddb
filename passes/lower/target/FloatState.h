//===- FloatState.h - the state of floating-point arithmetic --------------===//

#ifndef CELLGRAD_LOWER_TARGET_FLOATSTATE_H
#define CELLGRAD_LOWER_TARGET_FLOATSTATE_H

#include "passes/lower/target/Target.h"

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// Puts what controls vector arithmetic (rounding, which exceptions trap,
/// subnormal numbers, sticky flags) into the state that programs start with, at
/// the insertion point; returns what restoreFloatState takes, null where the
/// machine has no such state. `entry` is the function's first block.
mlir::Value setDefaultFloatState(mlir::OpBuilder &b, mlir::Location loc,
                                 Arch arch, mlir::Block &entry);

/// Restores what was there before.
void restoreFloatState(mlir::OpBuilder &b, mlir::Location loc, Arch arch,
                       mlir::Value before);

} // namespace cellgrad

#endif
