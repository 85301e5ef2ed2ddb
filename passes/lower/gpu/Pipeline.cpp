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

void cellgrad::buildCUDAKernelPipeline(OpPassManager &pm,
                                       const CUDAKernelOptions &options) {
  pm.addNestedPass<func::FuncOp>(createParallelizeLoops({options.nanoseconds}));
  pm.addNestedPass<func::FuncOp>(
      createFormKernels({options.kernelBytes, options.nanoseconds}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createOutlineDeviceKernels());
}

void cellgrad::buildCUDAHostPipeline(OpPassManager &pm) {
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
