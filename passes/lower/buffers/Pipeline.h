//===- Pipeline.h - the passes that make buffers of tensors ---------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_PIPELINE_H
#define CELLGRAD_LOWER_BUFFERS_PIPELINE_H

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

/// From tensors with places to buffers, as few as can be: what every target
/// takes over.
void buildBufferPipeline(mlir::OpPassManager &pm);

} // namespace cellgrad

#endif
