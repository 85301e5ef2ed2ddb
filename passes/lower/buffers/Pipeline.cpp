//===- Pipeline.cpp - the passes that make buffers of tensors -------------===//

#include "passes/lower/buffers/Pipeline.h"

#include "passes/lower/buffers/Passes.h"
#include "passes/lower/tensors/Verify.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cellgrad::buildBufferPipeline(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCoalesceBuffers());
  pm.addNestedPass<func::FuncOp>(createDropDeadBuffers());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyStage());
}
