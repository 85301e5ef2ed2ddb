//===- Pipelines.cpp - named pass pipelines -------------------------------===//

#include "passes/Registry.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

void cellgrad::registerPipelines() {}
