//===- NestEmitter.h - vector loops for one nest --------------------------===//

#ifndef CELLGRAD_LOWER_CPU_NESTEMITTER_H
#define CELLGRAD_LOWER_CPU_NESTEMITTER_H

#include "passes/lower/cpu/LoopNest.h"

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// Replaces `op`, a `linalg.generic` on memrefs, by vector loops.
mlir::LogicalResult emitNest(mlir::RewriterBase &rewriter,
                             mlir::linalg::GenericOp op, unsigned vectorWidth);

} // namespace cellgrad

#endif
