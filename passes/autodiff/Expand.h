//===- Expand.h - transforms of a function's body, in place ---------------===//

#ifndef CELLGRAD_AUTODIFF_EXPAND_H
#define CELLGRAD_AUTODIFF_EXPAND_H

#include "passes/autodiff/Guards.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {

/// Results of a function and what a transform gives beside them: cotangents of
/// the arguments `wrt`, or tangents of the results `of`. Null stands for zero.
struct Expansion {
  llvm::SmallVector<mlir::Value> primal;
  llvm::SmallVector<mlir::Value> derivatives;
};

// The callee of each must hold no transform ops and no calls, and one block.

/// Emits the callee's body on `args`, then its adjoint code in reverse order.
/// `outside` is what follows the results of the call.
mlir::FailureOr<Expansion>
emitVJP(mlir::OpBuilder &builder, mlir::func::FuncOp callee,
        mlir::ValueRange args, llvm::ArrayRef<int64_t> of,
        mlir::ValueRange cotangents, llvm::ArrayRef<int64_t> wrt,
        Following outside);

/// Emits the callee's body on `args` with tangent code beside each op.
mlir::FailureOr<Expansion>
emitJVP(mlir::OpBuilder &builder, mlir::func::FuncOp callee,
        mlir::ValueRange args, llvm::ArrayRef<int64_t> wrt,
        mlir::ValueRange tangents, llvm::ArrayRef<int64_t> of);

/// Replace a transform op by what it stands for.
llvm::LogicalResult expandVJP(VJPOp op, mlir::func::FuncOp callee);
llvm::LogicalResult expandJVP(JVPOp op, mlir::func::FuncOp callee);

/// Refuses a function that is not linear in the arguments that `op` transposes
/// it by, as far as operations show that are not in branches and loops.
/// `simplify` canonicalises a function.
llvm::LogicalResult
checkTranspose(VJPOp op, mlir::func::FuncOp callee,
               llvm::function_ref<void(mlir::func::FuncOp)> simplify);

/// Replaces a vmap by what it stands for; `symbols` gets mapped copies of the
/// functions that ops of the callee refer to: rules of their own, and
/// transforms where it has some.
llvm::LogicalResult expandVMap(VMapOp op, mlir::func::FuncOp callee,
                               mlir::SymbolTable &symbols);

/// Brings branches and loops that upstream's canonicalisation has simplified
/// back to forms that transforms know.
void restoreControlFlow(mlir::ModuleOp module);

/// Puts vmap inside of derivatives of loops whose number of trips may differ
/// within a batch.
llvm::LogicalResult mapInward(mlir::ModuleOp module,
                              mlir::SymbolTable &symbols);

/// Replaces `op` by the callee's body on its operands.
void inlineCall(mlir::Operation *op, mlir::func::FuncOp callee,
                mlir::ValueRange args);

} // namespace cellgrad

#endif
