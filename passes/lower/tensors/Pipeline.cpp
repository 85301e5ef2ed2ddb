//===- Pipeline.cpp - the passes that give tensors their places -----------===//

#include "passes/lower/tensors/Pipeline.h"

#include "passes/lower/tensors/Passes.h"
#include "passes/lower/tensors/Verify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cellgrad::buildPlacePipeline(OpPassManager &pm) {
  pm.addPass(createConvertEntryPoints());
  pm.addNestedPass<func::FuncOp>(createSeparateInits());
  pm.addNestedPass<func::FuncOp>(createInsertPolls());
  pm.addNestedPass<func::FuncOp>(createPlaceResults());
  // Two reshapes of one donated argument would pass for two tensors, and the
  // update between them for a conflict.
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createSeparateInits());
  // Not after the next one: several values are of one buffer then, and what is
  // computed in place of one would change the others.
  pm.addNestedPass<func::FuncOp>(createPlaceTiles());
  pm.addNestedPass<func::FuncOp>(createCarryBuffers());
  pm.addPass(createVerifyStage());
}
