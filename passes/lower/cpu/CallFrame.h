//===- CallFrame.h - what a call keeps while it runs ------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_CPU_CALLFRAME_H
#define CELLGRAD_LOWER_CPU_CALLFRAME_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace cellgrad {

/// Gives `func`, if it has polls or stashes, a `cell_rt_call` on the stack
/// (runtime/runtime.h), and turns its polls into tests of it. At the end of the
/// function nothing is left of its stashes.
void openCallFrame(mlir::func::FuncOp func);

/// The address of the `cell_rt_call` of the function that `op` lies in; null
/// where there is none.
mlir::Value callFrame(mlir::Operation *op);

/// Frees what a call that ends still has.
void closeCallFrame(mlir::OpBuilder &b, mlir::Location loc, mlir::Value frame);

/// Calls the function `name` of the runtime.
mlir::Value callRuntime(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::StringRef name,
                        llvm::ArrayRef<mlir::Value> operands,
                        mlir::Type result = {});

} // namespace cellgrad

#endif
