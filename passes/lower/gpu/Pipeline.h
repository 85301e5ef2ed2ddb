//===- Pipeline.h - the GPU lowering as pipelines -------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PIPELINE_H
#define CELLGRAD_LOWER_GPU_PIPELINE_H

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

/// From kernels on buffers to the LLVM and NVVM dialects, from which
/// cell-emit-ptx makes PTX.
void buildGPUPipeline(mlir::OpPassManager &pm);

} // namespace cellgrad

#endif
