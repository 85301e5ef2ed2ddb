//===- Passes.td - buffers to NVVM on GPU passes --------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PASSES_TD
#define CELLGRAD_LOWER_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def GpuToNVVM : Pass<"cell-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert device code to the LLVM and NVVM dialects";
  let description = [{
    One conversion of all that kernels hold: `gpu`, `nvgpu`, `func`, `arith`, `math`, `cf`,
    `memref`, `vector`, `scf`, `affine`. Kernels take bare pointers; memory is global (address
    space 1) or shared (3). Math ops become LLVM's intrinsics, never calls of a
    library: an op that has no instruction is an error, and `cell-expand-math` is to run
    before. Arithmetic of half precision is done in f32, and rounded after every op.

    `index` has 32 bits where all buffers of the module and all constants are small enough,
    as in most programs: 64-bit positions take twice the registers.
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", "0",
           "32 or 64; 0 for the fewest that every position fits in">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::index::IndexDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif
