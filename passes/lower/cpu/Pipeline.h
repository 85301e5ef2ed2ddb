//===- Pipeline.h - the CPU lowering as pipelines -------------------------===//

#ifndef CELLGRAD_LOWER_CPU_PIPELINE_H
#define CELLGRAD_LOWER_CPU_PIPELINE_H

#include "passes/lower/target/TargetOption.h"

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

struct TargetOptions : mlir::PassPipelineOptions<TargetOptions> {
  Option<TargetName> target{
      *this, "target", llvm::cl::desc("the machine to plan for (Target.h)")};
};

/// What the generated code may use, and does for tests.
struct CPUPipelineOptions : mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<TargetName> target{
      *this, "target", llvm::cl::desc("the machine to plan for (Target.h)")};
  Option<bool> separateTemporaries{
      *this, "separate-temporaries",
      llvm::cl::desc("allocate every temporary by itself, for checks of memory "
                     "accesses"),
      llvm::cl::init(false)};
  Option<int64_t> kernelBytes{
      *this, "kernel-bytes",
      llvm::cl::desc("least traffic that a kernel of several ops saves"),
      llvm::cl::init(65536)};
  Option<int64_t> bucketBytes{
      *this, "bucket-bytes",
      llvm::cl::desc("most bytes of several reductions that are one"),
      llvm::cl::init(25 << 20)};
  Option<bool> poison{
      *this, "poison",
      llvm::cl::desc("fill temporaries with NaN where they are not needed"),
      llvm::cl::init(false)};
  Option<bool> probes{
      *this, "probes",
      llvm::cl::desc("call the probe of the caller's context around kernels"),
      llvm::cl::init(false)};
  Option<bool> reportMemory{
      *this, "report-memory",
      llvm::cl::desc("note what is in memory when most is"),
      llvm::cl::init(false)};

  /// Whether ops of the program are named.
  bool namesOps() const { return probes || reportMemory; }
};

/// From linalg on buffers to loops over vectors, with the temporaries in one
/// arena.
void buildCPUKernelPipeline(mlir::OpPassManager &pm,
                            const CPUPipelineOptions &options);

/// From loops over vectors to one `llvm.func` per public function.
void buildConvertToLLVMPipeline(mlir::OpPassManager &pm,
                                const TargetOptions &options);

/// From linalg on tensors to the LLVM dialect: all stages, one after another.
void buildCPUPipeline(mlir::OpPassManager &pm,
                      const CPUPipelineOptions &options);

} // namespace cellgrad

#endif
