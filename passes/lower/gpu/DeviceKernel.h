//===- DeviceKernel.h - kernels made of functions on buffers --------------===//

#ifndef CELLGRAD_LOWER_GPU_DEVICEKERNEL_H
#define CELLGRAD_LOWER_GPU_DEVICEKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace cellgrad {

/// How a kernel is launched.
struct KernelShape {
  int64_t threads, blocks;
  int64_t scratchBytes = 0; ///< of a block; 0 for none
};

/// The module of device code of a module, which is made when it is needed.
class DeviceModule {
public:
  explicit DeviceModule(mlir::ModuleOp module);

  /// Makes a kernel with the body of `func`, of which a declaration is left
  /// that names it. Arguments are global memory, indices have 64 bits; the last
  /// argument is the scratch, if there is some. Constants come along.
  mlir::gpu::GPUFuncOp makeKernel(mlir::func::FuncOp func,
                                  const KernelShape &shape);

private:
  mlir::SymbolTable symbols;
  mlir::gpu::GPUModuleOp device;
  mlir::SymbolTable kernels;
};

} // namespace cellgrad

#endif
