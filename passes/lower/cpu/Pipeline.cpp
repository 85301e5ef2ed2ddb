//===- Pipeline.cpp - the CPU lowering as one pipeline --------------------===//

#include "passes/lower/cpu/Pipeline.h"

#include "passes/lower/buffers/Passes.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/math/Passes.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cellgrad::buildCPUPipeline(OpPassManager &pm,
                                const CPUPipelineOptions &options) {
  // On tensors.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFuseLinalg());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertEntryPoints());
  pm.addNestedPass<func::FuncOp>(createSeparateInits());
  pm.addNestedPass<func::FuncOp>(createInsertPolls());
  pm.addNestedPass<func::FuncOp>(createPlaceResults());
  // Two reshapes of one donated argument would pass for two tensors, and the
  // update between them for a conflict.
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createSeparateInits());
  pm.addNestedPass<func::FuncOp>(createCarryBuffers());

  // To buffers.
  bufferization::OneShotBufferizePassOptions bufferize;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createCoalesceBuffers());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  // On buffers.
  pm.addPass(createOutlineKernels());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createEmitGemm({options.vectorWidth, options.fma}));
  functions.addPass(createEmitLoops({options.vectorWidth}));
  functions.addPass(createExpandMath({options.fma}));
  if (options.separateTemporaries)
    pm.addPass(createSeparateTemporaries());
  else
    pm.addPass(createPlanMemory({options.poison}));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createShareMath({options.fma}));

  pm.addPass(createConvertToLLVM());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}
