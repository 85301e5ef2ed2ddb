//===- Pipeline.cpp - the GPU lowering as pipelines -----------------------===//

#include "passes/lower/gpu/Pipeline.h"

#include "passes/lower/gpu/Passes.h"
#include "passes/lower/math/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

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
