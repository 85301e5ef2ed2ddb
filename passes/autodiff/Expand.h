//===- Expand.h - transforms of one call, in place ------------------------===//

#ifndef CELLGRAD_AUTODIFF_EXPAND_H
#define CELLGRAD_AUTODIFF_EXPAND_H

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace cellgrad {

/// The body of a callee, copied to the place of a transform op.
class InlinedPrimal {
public:
  InlinedPrimal(mlir::OpBuilder &builder, mlir::func::FuncOp callee,
                mlir::ValueRange args);

  /// Pairs of callee op and its copy, in order.
  llvm::ArrayRef<std::pair<mlir::Operation *, mlir::Operation *>> ops() const {
    return copies;
  }
  /// The results of the call.
  llvm::SmallVector<mlir::Value> results() const;
  /// The copy of a callee value.
  mlir::Value copyOf(mlir::Value value) const { return map.lookup(value); }
  mlir::func::FuncOp callee() const { return func; }

private:
  mlir::func::FuncOp func;
  mlir::IRMapping map;
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>> copies;
};

/// Replaces `op` by the callee's body followed by its adjoint code in reverse
/// order. The callee must hold no transform ops and no calls.
llvm::LogicalResult expandVJP(VJPOp op, mlir::func::FuncOp callee);

/// Replaces `op` by the callee's body with tangent code beside each op.
llvm::LogicalResult expandJVP(JVPOp op, mlir::func::FuncOp callee);

/// Replaces `op` by the callee's body on the whole batch.
llvm::LogicalResult expandVMap(VMapOp op, mlir::func::FuncOp callee);

} // namespace cellgrad

#endif
