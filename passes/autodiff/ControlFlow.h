//===- ControlFlow.h - derivatives of structured control flow -------------===//
//
// A branch or a loop's body is a function of what it uses. The derivative of
// the op is the op again, over the derivative of that function.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_AUTODIFF_CONTROLFLOW_H
#define CELLGRAD_AUTODIFF_CONTROLFLOW_H

#include "passes/autodiff/Activity.h"
#include "passes/autodiff/Guards.h"
#include "passes/autodiff/InlinedPrimal.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// True for the ops of this file: scf.if, scf.for and scf.while.
bool isControlFlow(mlir::Operation *op);

/// The values from around `op` that its regions use.
llvm::SetVector<mlir::Value> capturedValues(mlir::Operation *op);

/// What `op` reads: its operands, and what its regions use from around it.
llvm::SmallVector<mlir::Value> readValues(mlir::Operation *op);

/// The error that `op`, which a derivative passes through, has no rule.
llvm::LogicalResult refuseDerivative(mlir::Operation *op);

/// `region` as a function of its arguments, then `captured`; constants from
/// around it are copied into it. It belongs to no module.
mlir::OwningOpRef<mlir::func::FuncOp>
outline(mlir::Region &region, const llvm::SetVector<mlir::Value> &captured);

/// Removes prints and checks from `func`, which is about to run a second time.
void dropEffects(mlir::func::FuncOp func);

/// Makes scf.for of each scf.while in `func` whose number of trips is known.
void countLoops(mlir::func::FuncOp func);

/// A loop over carried values: scf.for, or scf.while whose condition hands on
/// what it is given.
class Loop {
public:
  /// Fails with an error for another form of scf.while.
  static mlir::FailureOr<Loop> match(mlir::Operation *op);

  mlir::Operation *op;
  mlir::scf::ForOp asFor() const {
    return llvm::dyn_cast<mlir::scf::ForOp>(op);
  }
  mlir::ValueRange inits() const;
  mlir::Region &body() const;
  /// Arguments of the body before the carried ones: the induction variable.
  unsigned leading() const { return asFor() ? 1 : 0; }

  /// The same loop with more carried values. `emitBody` gets the arguments of
  /// the body, all carried values included, and gives what the next trip is
  /// handed.
  mlir::Operation *
  rebuild(mlir::OpBuilder &builder, mlir::ValueRange moreInits,
          llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
              mlir::OpBuilder &, mlir::ValueRange)>
              emitBody) const;
};

/// Cotangents by callee value, as they accumulate; absent means zero.
class Cotangents {
public:
  explicit Cotangents(mlir::OpBuilder &builder) : builder(builder) {}
  mlir::Value of(mlir::Value value) const { return sums.lookup(value); }
  void add(mlir::Value value, mlir::Value cotangent);

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
};

using Tangents = llvm::DenseMap<mlir::Value, mlir::Value>;

/// Adjoint code of the callee op `op`, whose copy is in `primal`; `following`
/// is what follows its results.
llvm::LogicalResult buildIfAdjoint(mlir::OpBuilder &builder, mlir::scf::IfOp op,
                                   InlinedPrimal &primal,
                                   const Activity &activity,
                                   Following following, Cotangents &cotangents);
llvm::LogicalResult buildLoopAdjoint(mlir::OpBuilder &builder, Loop loop,
                                     InlinedPrimal &primal,
                                     const Activity &activity,
                                     Following following,
                                     Cotangents &cotangents);

/// Tangent code of the callee op `op`, which computes the primal too and takes
/// the place of the copy in `primal`.
llvm::LogicalResult buildIfTangent(mlir::OpBuilder &builder, mlir::scf::IfOp op,
                                   InlinedPrimal &primal,
                                   const Activity &activity,
                                   Tangents &tangents);
llvm::LogicalResult buildLoopTangent(mlir::OpBuilder &builder, Loop loop,
                                     InlinedPrimal &primal,
                                     const Activity &activity,
                                     Tangents &tangents);

} // namespace cellgrad

#endif
