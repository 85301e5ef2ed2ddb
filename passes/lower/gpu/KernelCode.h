//===- KernelCode.h - ops of an entry as the code of a kernel -------------===//

#ifndef CELLGRAD_LOWER_GPU_KERNELCODE_H
#define CELLGRAD_LOWER_GPU_KERNELCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace cellgrad {

/// What nothing but its operands decides, and nothing but its results tells of.
bool isFloating(mlir::Operation *op);

/// What memory keeps of a scalar: indices have one size there.
mlir::Type typeInMemory(mlir::Type type);
mlir::Value loadValue(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value buffer, mlir::Type type);
void storeValue(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                mlir::Value buffer);

/// The code of a kernel while it is made.
class KernelCode {
public:
  KernelCode(mlir::func::FuncOp func,
             const llvm::DenseMap<mlir::Value, mlir::Value> &spilled,
             const llvm::DenseSet<mlir::Operation *> &own)
      : func(func), spilled(spilled), own(own), b(func.getContext()) {
    b.setInsertionPointToEnd(&func.getBody().front());
  }

  /// What `value` of the host program is in the kernel, at the place where its
  /// code ends now.
  mlir::FailureOr<mlir::Value> resolve(mlir::Value value);
  llvm::LogicalResult copy(mlir::Operation *op);
  /// Copies the loop whose steps are blocks: all code is in it.
  llvm::LogicalResult copyBlocks(mlir::scf::ForallOp loop);

  mlir::OpBuilder &builder() { return b; }
  mlir::IRMapping &values() { return map; }
  llvm::ArrayRef<mlir::Value> passed() const { return operands; }

private:
  llvm::LogicalResult resolveUses(mlir::Operation *op);

  mlir::func::FuncOp func;
  const llvm::DenseMap<mlir::Value, mlir::Value> &spilled;
  const llvm::DenseSet<mlir::Operation *>
      &own; ///< buffers that no one else uses
  mlir::OpBuilder b;
  mlir::IRMapping map;
  llvm::SmallVector<mlir::Value> operands; ///< of the call
};

} // namespace cellgrad

#endif
