//===- Passes.td - buffers to NVVM on GPU passes --------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PASSES_TD
#define CELLGRAD_LOWER_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitPrograms : Pass<"cell-emit-programs", "::mlir::ModuleOp"> {
  let summary = "Make kernels that run a program of functions on buffers";
  let description = [{
    Every private function with `cell.device_kernel`, on buffers of static shape, becomes a kernel
    of one `gpu.module`: its arguments, and if it has temporaries that do not fit in shared
    memory, a last one with a slice for each block, of `cell.scratch_bytes` bytes. Of the function
    a declaration is left, whose attribute names the kernel. The kernel's attributes
    `known_block_size` and `known_grid_size` are how it must be launched.

    Each step of an `scf.forall` that is all the function does is a block; without one there is one
    block, which runs the steps of other such loops one after another.
    In a block, each `linalg` op and copy is spread over the threads, other ops are run by all of
    them, stores of scalars by one. Barriers come between ops where one reads or writes what
    another wrote. A kernel cannot be cancelled: a `cell.poll` in it does nothing. Which thread computes what depends on sizes alone: results have the same bits
    on every GPU.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def EmitNests : Pass<"cell-emit-nests", "::mlir::ModuleOp"> {
  let summary = "Make kernels of functions with one loop nest, shared by a grid";
  let description = [{
    Every function with `cell.grid_nest` holds one op on buffers, and fills of what it accumulates
    into. Its results are shared by all threads of as many blocks as there is work for: a thread
    takes neighbours of a map that one access of up to 16 bytes holds, where the strides of an
    operand allow that; of a reduction, a thread, a warp or a block computes each result. Fills
    become values. Otherwise as `cell-emit-programs`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def SplitReductions : Pass<"cell-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Compute long reductions to few results in parts";
  let description = [{
    A `linalg.generic` on buffers that reduces to too few results to keep a GPU busy becomes two:
    one computes the results of equal parts of a reduced dimension, another one combines these in
    order. What fills no part is added in between. How many parts there are follows from sizes.
  }];
  let options = [
    Option<"fewestSteps", "fewest-steps", "int64_t", "65536",
           "fewest steps of an op that is worth it">,
    Option<"launchCycles", "launch-cycles", "int64_t", "5000",
           "what the launch of another kernel costs, in cycles of a GPU">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

def OutlineDeviceKernels : Pass<"cell-outline-device-kernels", "::mlir::ModuleOp"> {
  let summary = "Split entries into kernels and the host programs that call them";
  let description = [{
    Entries are on buffers, with loops over items as `scf.forall`. What touches buffers goes into
    private functions with `cell.device_kernel`: each `scf.forall` into one of its own, whose
    steps are blocks; each op with many steps, with the fills of what it accumulates into, into one with
    `cell.grid_nest`; and what lies between them into others, of one block. Equal functions are one.
    The host keeps allocations and what it alone can do: `cell.check`, `cell.print`, `cell.poll`,
    stashes, with the `scf.for`, `scf.while` and `scf.if` around these, around an `scf.forall` or around an op of
    very many steps, and loads of the values that it needs for them. Other control flow is part of kernels.
  }];
  let options = [
    Option<"printPlan", "print-plan", "bool", "false",
           "say of each kernel, in a remark, what it holds">,
    Option<"fewestSteps", "fewest-steps", "int64_t", "16384",
           "fewest steps of an op that has a grid of its own; in control flow of kernels, 16 times as many">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LendScratch : Pass<"cell-lend-scratch", "::mlir::ModuleOp"> {
  let summary = "Give calls of kernels the memory that their blocks need";
  let description = [{
    A kernel with `cell.scratch_bytes` has a last argument with so many bytes for each block. The
    function that stands for it gets that argument, and its calls a buffer of the host program.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def HostProgram : Pass<"cell-host-program", "::mlir::ModuleOp"> {
  let summary = "Launch kernels, and read memory of the device, through the runtime";
  let description = [{
    Of every entry, whose temporaries are in its arena: calls of functions with
    `cell.device_kernel` become launches, loads become reads of the device, which wait; what is printed and
    stashed is copied to memory of the host first. The entry gets the runtime's
    call as its last argument. The kernels are listed in `cell.device_kernels`, in the order of their
    numbers; an entry that waits has `cell.reads_device`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def GpuToNVVM : Pass<"cell-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert device code to the LLVM and NVVM dialects";
  let description = [{
    One conversion of all that kernels hold: `gpu`, `nvgpu`, `func`, `arith`, `math`, `cf`,
    `memref`, `vector`, `scf`, `affine`. Kernels take bare pointers; memory is global (address
    space 1) or shared (3). Math ops become LLVM's intrinsics, never calls of a
    library: an op that has no instruction is an error, and `cell-expand-math` is to run
    before. Arithmetic of half precision is done in f32, and rounded after every op.

    `index` has 32 bits where all buffers of the module and all constants are small enough, and no
    other number of 64 bits becomes a position, as in most programs: a position of 64 bits takes
    two registers.
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
