//===- Pipeline.h - the passes that merge ops of functions ----------------===//

#ifndef CELLGRAD_LOWER_FUSE_PIPELINE_H
#define CELLGRAD_LOWER_FUSE_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

struct FusePipelineOptions : mlir::PassPipelineOptions<FusePipelineOptions> {
  Option<unsigned> recomputeLimit{
      *this, "recompute-limit",
      llvm::cl::desc("largest body, in arithmetic ops, that is recomputed in "
                     "each user"),
      llvm::cl::init(4)};
};

/// On linalg over tensors: calls are written out, and ops that share an
/// iteration space become one.
void buildFusePipeline(mlir::OpPassManager &pm,
                       const FusePipelineOptions &options = {});

} // namespace cellgrad

#endif
