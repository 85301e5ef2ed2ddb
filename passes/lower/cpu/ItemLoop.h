//===- ItemLoop.h - loops whose steps may be shared -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_CPU_ITEMLOOP_H
#define CELLGRAD_LOWER_CPU_ITEMLOOP_H

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// A loop over `count` independent items, which take so long together.
void emitItems(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult count,
               double nanoseconds,
               llvm::function_ref<void(mlir::Value item)> body);

} // namespace cellgrad

#endif
