//===- Collectives.h - collectives as calls of the runtime ----------------===//

#ifndef CELLGRAD_LOWER_CPU_COLLECTIVES_H
#define CELLGRAD_LOWER_CPU_COLLECTIVES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {

/// The number of a start or a wait in a profile.
inline constexpr llvm::StringLiteral kProbe = "cell.probe";

/// Turns the collectives of `func` on buffers into calls of the runtime
/// (runtime/comm.c). Each tells what the ranks of its group have to agree on
/// before: a hash of the group's collectives in their order.
void lowerCollectives(mlir::func::FuncOp func);

} // namespace cellgrad

#endif
