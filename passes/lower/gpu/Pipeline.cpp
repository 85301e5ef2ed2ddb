//===- Pipeline.cpp - the GPU lowering as pipelines -----------------------===//

#include "passes/lower/gpu/Pipeline.h"

#include "passes/lower/buffers/Passes.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/gpu/Passes.h"
#include "passes/lower/math/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Memory of a device is aligned as allocations of the driver are.
static constexpr int64_t kDeviceAlignment = 256;

/// Of rows that a block works on at a time: a good part of its shared memory.
static constexpr int64_t kBlockBytes = 32 << 10;
/// Some waves of blocks on a large GPU; each has results of its own where rows
/// are summed.
static constexpr int64_t kMostBlocks = 1024;
/// What a block is worth, as the time it takes a core of a CPU.
static constexpr int64_t kBlockNanoseconds = 100;

void cellgrad::buildCUDAKernelPipeline(OpPassManager &pm,
                                       const CUDAKernelOptions &options) {
  pm.addNestedPass<func::FuncOp>(createParallelizeLoops({options.nanoseconds}));
  // A block's rows are in its shared memory; an op by itself has a grid.
  FormKernelsOptions kernels;
  kernels.fewestBytes = options.kernelBytes;
  kernels.fewestNanoseconds = std::numeric_limits<int64_t>::max();
  kernels.tileBytes = kBlockBytes;
  kernels.mostItems = kMostBlocks;
  kernels.itemNanoseconds = kBlockNanoseconds;
  pm.addNestedPass<func::FuncOp>(createFormKernels(kernels));
  pm.addNestedPass<func::FuncOp>(createSplitReductions(
      {std::min<int64_t>(options.steps, 65536), options.launchCycles}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createBucketCollectives({options.bucketBytes}));
  OutlineDeviceKernelsOptions outline;
  outline.fewestSteps = options.steps;
  pm.addPass(createOutlineDeviceKernels(outline));
  // While what the functions of kernels do to buffers can be read.
  pm.addPass(createScheduleCollectives());
}

void cellgrad::buildCUDAHostPipeline(OpPassManager &pm) {
  pm.addPass(createEmitNests());
  pm.addPass(createEmitPrograms());
  pm.addPass(createLendScratch());
  pm.addPass(createPlanMemory({kDeviceAlignment}));
  pm.addPass(createHostProgram());
  // Constants are the device's.
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(createExpandMath());
  buildGPUPipeline(pm);
}

void cellgrad::buildGPUPipeline(OpPassManager &pm) {
  pm.addPass(createEmitNests());
  pm.addPass(createEmitPrograms());
  pm.addNestedPass<gpu::GPUModuleOp>(createExpandMath());
  pm.addNestedPass<gpu::GPUModuleOp>(createCanonicalizerPass());
  pm.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
  pm.addPass(createShareMath());
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createGpuToNVVM());
  // What has no intrinsic becomes PTX here.
  device.addPass(createConvertNVVMToLLVMPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCSEPass());
}
