//===- Stash.h - stashes as calls of the runtime --------------------------===//

#ifndef CELLGRAD_LOWER_CPU_STASH_H
#define CELLGRAD_LOWER_CPU_STASH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace cellgrad {

/// Frees the stashes of `func` after their last use.
void freeStashes(mlir::func::FuncOp func);

/// Turns stashes on buffers into calls of the runtime (runtime/stash.c).
void populateStashToLLVMPatterns(mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

} // namespace cellgrad

#endif
