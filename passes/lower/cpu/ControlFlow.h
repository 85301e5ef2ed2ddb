//===- ControlFlow.h - loops and branches as blocks -----------------------===//

#ifndef CELLGRAD_LOWER_CPU_CONTROLFLOW_H
#define CELLGRAD_LOWER_CPU_CONTROLFLOW_H

#include "mlir/IR/BuiltinOps.h"

namespace cellgrad {

/// Turns the scf ops of all functions of `module` into blocks and branches, in
/// time that is linear in the number of ops.
mlir::LogicalResult lowerControlFlow(mlir::ModuleOp module);

} // namespace cellgrad

#endif
