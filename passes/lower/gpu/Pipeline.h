//===- Pipeline.h - the GPU lowering as pipelines -------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PIPELINE_H
#define CELLGRAD_LOWER_GPU_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

/// How programs are cut into kernels.
struct CUDAKernelOptions : mlir::PassPipelineOptions<CUDAKernelOptions> {
  Option<int64_t> kernelBytes{
      *this, "kernel-bytes",
      llvm::cl::desc("least traffic that a kernel of several ops saves"),
      llvm::cl::init(65536)};
  Option<int64_t> nanoseconds{
      *this, "fewest-nanoseconds",
      llvm::cl::desc("shortest time on one core of a CPU of what is shared by "
                     "blocks"),
      llvm::cl::init(10000)};
  Option<int64_t> steps{
      *this, "fewest-steps",
      llvm::cl::desc("fewest steps of an op that has a grid of its own"),
      llvm::cl::init(16384)};
  Option<int64_t> bucketBytes{
      *this, "bucket-bytes",
      llvm::cl::desc("most bytes of several reductions that are one"),
      llvm::cl::init(25 << 20)};
  Option<int64_t> launchCycles{
      *this, "launch-cycles",
      llvm::cl::desc("what the launch of another kernel costs"),
      llvm::cl::init(5000)};
};

/// From linalg on buffers to kernels on buffers, and the host programs that
/// call them.
void buildCUDAKernelPipeline(mlir::OpPassManager &pm,
                             const CUDAKernelOptions &options);

/// From there to kernels in the LLVM and NVVM dialects, and host programs that
/// launch them through the runtime.
void buildCUDAHostPipeline(mlir::OpPassManager &pm);

/// From kernels on buffers to the LLVM and NVVM dialects, from which
/// cell-emit-ptx makes PTX.
void buildGPUPipeline(mlir::OpPassManager &pm);

} // namespace cellgrad

#endif
