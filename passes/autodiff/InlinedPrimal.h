//===- InlinedPrimal.h - the copied body of a function --------------------===//

#ifndef CELLGRAD_AUTODIFF_INLINEDPRIMAL_H
#define CELLGRAD_AUTODIFF_INLINEDPRIMAL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace cellgrad {

/// The body of a callee, copied to the place of a transform.
class InlinedPrimal {
public:
  InlinedPrimal(mlir::func::FuncOp callee, mlir::ValueRange args);

  /// Copies one op, those before it already being there; or all ops.
  void clone(mlir::OpBuilder &builder, mlir::Operation &op);
  void cloneAll(mlir::OpBuilder &builder);

  /// The copy of a callee op.
  mlir::Operation *copyOf(mlir::Operation *op) const {
    return copies.lookup(op);
  }
  /// The copy of a callee value.
  mlir::Value copyOf(mlir::Value value) const { return map.lookup(value); }
  llvm::SmallVector<mlir::Value> copiesOf(mlir::ValueRange values) const;
  /// The results of the call.
  llvm::SmallVector<mlir::Value> results() const;

  /// Makes `other` the copy of `op`: its first results are those of `op`. A
  /// copy that is already there goes.
  void replace(mlir::Operation *op, mlir::Operation *other);

private:
  mlir::func::FuncOp func;
  mlir::IRMapping map;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies;
};

} // namespace cellgrad

#endif
