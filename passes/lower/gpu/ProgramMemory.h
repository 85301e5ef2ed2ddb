//===- ProgramMemory.h - the buffers of a program -------------------------===//

#ifndef CELLGRAD_LOWER_GPU_PROGRAMMEMORY_H
#define CELLGRAD_LOWER_GPU_PROGRAMMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {

/// Where the temporaries of a program are.
struct ProgramMemory {
  /// In the shared memory of its block.
  llvm::SmallVector<mlir::memref::AllocOp> shared;
  /// In the block's slice of the kernel's last argument.
  struct Scratch {
    mlir::memref::AllocOp alloc;
    int64_t offset;
  };
  llvm::SmallVector<Scratch> scratch;
  int64_t scratchBytes = 0; ///< of one block
};

/// Small temporaries are in shared memory as long as there is some. Fails, with
/// an error, where a temporary has no place of its own.
mlir::FailureOr<ProgramMemory> planProgramMemory(mlir::func::FuncOp program);

/// `type` in an address space.
mlir::Type inMemory(mlir::Type type, unsigned space);

/// Gives all buffers of `kernel`, whose arguments are global memory, the
/// address space that they are in, and temporaries their places. `block` is the
/// number of the block, and `scratch` the argument with all its slices, if
/// there is one.
void placeProgramMemory(mlir::gpu::GPUFuncOp kernel,
                        const ProgramMemory &memory, mlir::Value block,
                        mlir::Value scratch);

} // namespace cellgrad

#endif
