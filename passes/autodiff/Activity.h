//===- Activity.h - which values a derivative passes through --------------===//

#ifndef CELLGRAD_AUTODIFF_ACTIVITY_H
#define CELLGRAD_AUTODIFF_ACTIVITY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace cellgrad {

/// The values of a function that depend on one of the arguments `wrt` and
/// influence one of the results `of`, along paths of floating point values
/// through ops whose derivative is not identically zero. Every other value has
/// a zero derivative.
class Activity {
public:
  Activity(mlir::func::FuncOp func, llvm::ArrayRef<int64_t> wrt,
           llvm::ArrayRef<int64_t> of);

  bool isActive(mlir::Value value) const { return active.contains(value); }

  /// An op that sends to another rank what depends on `wrt`, but whose result
  /// influences none of `of`: the derivative would lack what comes back. Null
  /// where there is none.
  mlir::Operation *lostMessage() const { return lost; }

private:
  mlir::Operation *lost = nullptr;
  llvm::DenseSet<mlir::Value> active;
};

} // namespace cellgrad

#endif
