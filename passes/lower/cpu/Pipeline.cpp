//===- Pipeline.cpp - the CPU lowering as pipelines -----------------------===//

#include "passes/lower/cpu/Pipeline.h"

#include "passes/lower/buffers/Passes.h"
#include "passes/lower/buffers/Pipeline.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/fuse/Pipeline.h"
#include "passes/lower/math/Passes.h"
#include "passes/lower/sequential/Passes.h"
#include "passes/lower/tensors/Pipeline.h"
#include "passes/lower/tensors/Verify.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void cellgrad::buildCPUKernelPipeline(OpPassManager &pm,
                                      const CPUPipelineOptions &options) {
  const Target &target = *options.target;
  // Kernels for tests are of any size.
  int64_t nanoseconds =
      options.kernelBytes < CPUPipelineOptions().kernelBytes ? 0 : 20000;
  pm.addNestedPass<func::FuncOp>(createParallelizeLoops({nanoseconds}));
  pm.addNestedPass<func::FuncOp>(createAccumulateProducts({target}));
  pm.addNestedPass<func::FuncOp>(createFormEpilogues(
      {target, std::min<int64_t>(options.kernelBytes,
                                 FormEpiloguesOptions().fewestBytes)}));
  FormKernelsOptions kernels;
  kernels.fewestBytes = options.kernelBytes;
  kernels.fewestNanoseconds = nanoseconds;
  // Tests have products of both kinds.
  kernels.productNanoseconds = nanoseconds ? nanoseconds : 200;
  kernels.productsAnywhere = nanoseconds == 0;
  kernels.innerTiles = true;
  kernels.itemBytes = target.l2Bytes / 2;
  pm.addNestedPass<func::FuncOp>(createFormKernels(kernels));
  pm.addNestedPass<func::FuncOp>(createStraightenProducts());
  pm.addNestedPass<func::FuncOp>(createJoinOps({nanoseconds}));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.probes)
    pm.addPass(createInsertProbes());
  pm.addPass(createVerifyStage());
  pm.addPass(createOutlineKernels());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createEmitGemm({target, nanoseconds}));
  functions.addPass(createEmitLoops({target, nanoseconds}));
  pm.addPass(createOutlineItems({nanoseconds}));
  pm.addPass(createOutlineLoops());
  pm.addNestedPass<func::FuncOp>(
      createExpandMath({target.fma, target.scale512}));
  pm.addPass(createBucketCollectives({options.bucketBytes}));
  pm.addPass(createScheduleCollectives());
  if (options.separateTemporaries)
    pm.addPass(createSeparateTemporaries());
  else
    pm.addPass(createPlanMemory({target.memorySpaces.front().alignment,
                                 options.poison, options.reportMemory}));
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addPass(createShareMath({target.fma}));
}

void cellgrad::buildConvertToLLVMPipeline(OpPassManager &pm,
                                          const TargetOptions &options) {
  pm.addPass(createConvertToLLVM({options.target}));
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createLaunchKernels({options.target}));
  pm.addPass(createVerifyStage());
}

void cellgrad::buildCPUPipeline(OpPassManager &pm,
                                const CPUPipelineOptions &options) {
  TargetOptions machine;
  machine.target = options.target;
  pm.addPass(createSequentialToLoops());
  buildFusePipeline(pm);
  buildPlacePipeline(pm);
  buildBufferPipeline(pm);
  buildCPUKernelPipeline(pm, options);
  buildConvertToLLVMPipeline(pm, machine);
}
