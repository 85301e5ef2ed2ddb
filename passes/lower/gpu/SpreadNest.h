//===- SpreadNest.h - a nest run by the threads of a block ----------------===//

#ifndef CELLGRAD_LOWER_GPU_SPREADNEST_H
#define CELLGRAD_LOWER_GPU_SPREADNEST_H

#include "passes/lower/gpu/ThreadBlock.h"

namespace cellgrad {

/// The nest of `op`, its dimensions in the order in which threads take its
/// steps: neighbours write neighbouring elements. Fails as analyzeNest does.
mlir::FailureOr<LoopNest> nestForThreads(mlir::linalg::GenericOp op);

/// How many threads have something to do.
int64_t usefulThreads(const LoopNest &nest);

/// Emits a nest of nestForThreads where all threads of the block
/// come. They read nothing that another of the nest's threads writes. Which
/// thread computes what, and the order of every sum, follow from the sizes.
void spreadNest(mlir::OpBuilder &b, const LoopNest &nest, ThreadBlock &block);

} // namespace cellgrad

#endif
