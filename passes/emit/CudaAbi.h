//===- CudaAbi.h - the functions of a model with CUDA kernels -------------===//

#ifndef CELLGRAD_PASSES_EMIT_CUDAABI_H
#define CELLGRAD_PASSES_EMIT_CUDAABI_H

#include "passes/emit/AbiWriter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace cellgrad {

/// The chips that `device` has code for, as cell-emit-ptx left it, or an error
/// at it.
mlir::FailureOr<std::vector<std::string>>
readChips(mlir::gpu::GPUModuleOp device);

/// As writeAbi, for entries on memory of a device: the model carries the code
/// of `device`, which is erased. Implementations take the runtime's call after
/// the arena.
mlir::LogicalResult
writeCudaAbi(mlir::ModuleOp module, mlir::gpu::GPUModuleOp device,
             const ModelSpec &model, llvm::ArrayRef<EntryImpl> impls,
             uint64_t cpuFeatures, llvm::StringRef signature,
             mlir::ArrayAttr checks);

} // namespace cellgrad

#endif
