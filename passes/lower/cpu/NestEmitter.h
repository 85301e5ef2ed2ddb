//===- NestEmitter.h - vector loops for one nest --------------------------===//

#ifndef CELLGRAD_LOWER_CPU_NESTEMITTER_H
#define CELLGRAD_LOWER_CPU_NESTEMITTER_H

#include "passes/lower/buffers/LoopNest.h"
#include "passes/lower/target/Target.h"

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// Replaces `op`, a `linalg.generic` on memrefs, by vector loops, the outermost
/// one over items where it takes `fewestNanoseconds`; reports the plan as a
/// remark if `printPlan`.
mlir::LogicalResult emitNest(mlir::RewriterBase &rewriter,
                             mlir::linalg::GenericOp op, const Target &target,
                             double fewestNanoseconds, bool printPlan);

} // namespace cellgrad

#endif
