//===- Pipelines.cpp - named pass pipelines -------------------------------===//

#include "passes/Registry.h"

#include "passes/batch/Passes.h"
#include "passes/lower/buffers/Pipeline.h"
#include "passes/lower/cpu/Pipeline.h"
#include "passes/lower/fuse/Pipeline.h"
#include "passes/lower/gpu/Pipeline.h"
#include "passes/lower/sequential/Passes.h"
#include "passes/lower/tensors/Passes.h"
#include "passes/lower/tensors/Pipeline.h"
#include "passes/lower/tensors/Verify.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace cellgrad;

/// What takes the cell dialect to linalg: passes anyone could type.
static constexpr const char *kDifferentiate =
    "cell-count-loops,cell-differentiate,func.func(cell-check-collectives)";
static constexpr const char *kToLinalg =
    "cell-decompose,cell-lower-unsigned,canonicalize,cse,"
    "func.func(cell-chain-sums),func.func(cell-rematerialize),cell-lower-stash,"
    "func.func(cell-sum-behind-loops),cell-to-linalg";

static void addCellToLinalg(OpPassManager &pm, bool namesOps = false,
                            bool byRows = false) {
  TileBatchPassOptions tiles;
  tiles.byRows = byRows;
  pm.addPass(createTileBatchPass(tiles));
  // Every name in the text is registered beside the pipelines.
  (void)parsePassPipeline(kDifferentiate, pm);
  if (namesOps)
    pm.addPass(createNameOps());
  (void)parsePassPipeline(kToLinalg, pm);
  pm.addPass(createVerifyStage());
}

namespace {
struct CUDAPipelineOptions : CUDAKernelOptions {
  Option<TargetName> target{
      *this, "target",
      llvm::cl::desc("the machine of the host program (Target.h)")};
};
} // namespace

static void buildCUDAPipeline(OpPassManager &pm,
                              const CUDAPipelineOptions &options) {
  TargetOptions machine;
  machine.target = options.target;
  pm.addPass(createSequentialToLoops());
  buildFusePipeline(pm);
  buildPlacePipeline(pm);
  buildBufferPipeline(pm);
  buildCUDAKernelPipeline(pm, options);
  buildCUDAHostPipeline(pm);
  buildConvertToLLVMPipeline(pm, machine);
}

void cellgrad::registerPipelines() {
  // So that a pipeline that was printed can be read.
  registerPass(createVerifyStage);
  PassPipelineRegistration<>(
      "cell-to-linalg-pipeline",
      "cell ops to linalg on tensors, with derivatives expanded",
      [](OpPassManager &pm) { addCellToLinalg(pm); });
  PassPipelineRegistration<FusePipelineOptions>(
      "cell-fuse-pipeline", "linalg on tensors: calls written out, ops merged",
      [](OpPassManager &pm, const FusePipelineOptions &options) {
        buildFusePipeline(pm, options);
      });
  PassPipelineRegistration<>(
      "cell-place-pipeline",
      "linalg on tensors: results and what loops carry have their memory",
      buildPlacePipeline);
  PassPipelineRegistration<>("cell-buffer-pipeline",
                             "linalg on tensors to linalg on buffers",
                             buildBufferPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "cell-cpu-kernel-pipeline",
      "linalg on buffers to loops over vectors, temporaries in one arena",
      buildCPUKernelPipeline);
  PassPipelineRegistration<TargetOptions>(
      "cell-convert-to-llvm-pipeline",
      "loops over vectors to the LLVM dialect: one function per entry point",
      buildConvertToLLVMPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "cell-cpu-pipeline",
      "linalg on tensors to the LLVM dialect: the five pipelines before",
      buildCPUPipeline);
  PassPipelineRegistration<>("cell-gpu-pipeline",
                             "kernels on buffers to the LLVM and NVVM dialects",
                             buildGPUPipeline);
  PassPipelineRegistration<CUDAKernelOptions>(
      "cell-cuda-kernel-pipeline",
      "linalg on buffers to kernels on buffers and their host programs",
      buildCUDAKernelPipeline);
  PassPipelineRegistration<CUDAPipelineOptions>(
      "cell-cuda-pipeline",
      "linalg on tensors to the LLVM and NVVM dialects: kernels for GPUs, and "
      "host programs",
      buildCUDAPipeline);
  PassPipelineRegistration<CUDAPipelineOptions>(
      "cell-to-cuda-pipeline",
      "cell ops to the LLVM and NVVM dialects: what cellc --device=cuda runs "
      "on "
      "the cell dialect",
      [](OpPassManager &pm, const CUDAPipelineOptions &options) {
        addCellToLinalg(pm);
        buildCUDAPipeline(pm, options);
      });
  PassPipelineRegistration<CPUPipelineOptions>(
      "cell-to-llvm-pipeline",
      "cell ops to the LLVM dialect: what cellc runs on the cell dialect",
      [](OpPassManager &pm, const CPUPipelineOptions &options) {
        addCellToLinalg(pm, options.namesOps(), /*byRows=*/true);
        buildCPUPipeline(pm, options);
      });
}
