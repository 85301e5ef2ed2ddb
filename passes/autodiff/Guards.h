//===- Guards.h - no NaN from elements that a choice discards -------------===//

#ifndef CELLGRAD_PASSES_AUTODIFF_GUARDS_H
#define CELLGRAD_PASSES_AUTODIFF_GUARDS_H

#include "passes/autodiff/Activity.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace cellgrad {

/// Whether a choice that follows a value may discard elements of it, and
/// whether one expects that it is infinite or NaN.
struct Following {
  bool discards = false, expects = false;

  void add(Following other) {
    discards |= other.discards;
    expects |= other.expects;
  }
};

/// Where adjoint code needs cell.guard. A choice (select, maximum, a slice, a
/// branch, a loop that may make no trip) gives the elements it discards a
/// cotangent of exactly zero. Where the derivative of an op before it is
/// infinite or NaN for such an element, the product is NaN, though the element
/// has no influence.
///
/// Two static answers keep programs without choices, and choices between
/// harmless values, free of guards: does a choice follow, and can the new
/// cotangent be other than finite for finite inputs and a finite cotangent?
/// Products and sums count as finite for finite operands. The inputs count as
/// finite, unless a select follows whose condition says that they may not be:
/// a test for NaN or infinity, a mask, or a comparison of an input itself.
class Guards {
public:
  /// `outside` is what follows the results of the callee.
  Guards(mlir::func::FuncOp callee, const Activity &activity,
         Following outside);

  /// What follows a value of the callee.
  Following following(mlir::Value value) const;

  /// What follows the results of callee op `op`: its regions, and functions it
  /// calls, are differentiated under the same choices.
  Following following(mlir::Operation *op) const;

  /// Guards the cotangents of the operands of callee op `op`, which its rule
  /// has built from those of its results.
  void apply(mlir::OpBuilder &builder, mlir::Operation *op,
             llvm::ArrayRef<mlir::Value> incoming,
             llvm::MutableArrayRef<mlir::Value> outgoing);

private:
  using Known = llvm::DenseMap<mlir::Value, bool>;

  /// Whether `value` can be infinite or NaN. `known` has what was found out;
  /// `ofInputs` is the answer for inputs.
  static bool mayBeNonFinite(mlir::Value value, Known &known, bool ofInputs);

  /// What a choice follows, and what one follows that expects such inputs.
  llvm::DenseSet<mlir::Value> discarded, expected;
  Known forFinite, forAll;
};

} // namespace cellgrad

#endif
