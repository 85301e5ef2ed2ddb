//===- Pipeline.h - the passes that give tensors their places -------------===//

#ifndef CELLGRAD_LOWER_TENSORS_PIPELINE_H
#define CELLGRAD_LOWER_TENSORS_PIPELINE_H

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

/// Arguments and results of entries become memory, and what is computed into it
/// is decided: by the order of ops, and by what loops carry.
void buildPlacePipeline(mlir::OpPassManager &pm);

} // namespace cellgrad

#endif
