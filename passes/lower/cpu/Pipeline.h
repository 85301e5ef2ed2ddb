//===- Pipeline.h - the CPU lowering as one pipeline ----------------------===//

#ifndef CELLGRAD_LOWER_CPU_PIPELINE_H
#define CELLGRAD_LOWER_CPU_PIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
}

namespace cellgrad {

/// What the generated code may use, and does for tests.
struct CPUPipelineOptions : mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<unsigned> vectorWidth{
      *this, "vector-width",
      llvm::cl::desc("width of a vector register in bits: 128, 256 or 512"),
      llvm::cl::init(512)};
  Option<bool> fma{
      *this, "fma",
      llvm::cl::desc("the target multiplies and adds in one instruction"),
      llvm::cl::init(true)};
  Option<bool> separateTemporaries{
      *this, "separate-temporaries",
      llvm::cl::desc("allocate every temporary by itself, for checks of memory "
                     "accesses"),
      llvm::cl::init(false)};
  Option<bool> poison{
      *this, "poison",
      llvm::cl::desc("fill temporaries with NaN where they are not needed"),
      llvm::cl::init(false)};
};

/// From linalg on tensors to one `llvm.func` per public function.
void buildCPUPipeline(mlir::OpPassManager &pm,
                      const CPUPipelineOptions &options);

} // namespace cellgrad

#endif
