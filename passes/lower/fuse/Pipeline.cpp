//===- Pipeline.cpp - the passes that merge ops of functions --------------===//

#include "passes/lower/fuse/Pipeline.h"

#include "passes/lower/fuse/Passes.h"
#include "passes/lower/tensors/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cellgrad::buildFusePipeline(OpPassManager &pm,
                                 const FusePipelineOptions &options) {
  // Without passes of its own: functions have been simplified before they
  // became linalg, and what their bodies share is found below.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFuseLinalg({options.recomputeLimit}));
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyStage());
}
