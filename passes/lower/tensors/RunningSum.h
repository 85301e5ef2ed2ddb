//===- RunningSum.h - sums that take their terms in order -----------------===//
//
// Where the order of additions is the operation, or known only when the code
// runs, no tree of blocks keeps the rounding errors small. Long sums of this
// kind are carried with more digits instead, and rounded once: those of f32 and
// narrower types in f64, those of f64 with the rounding errors of the additions
// beside them (Knuth's two-sum). docs/math-accuracy.md states the bound.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_TENSORS_RUNNINGSUM_H
#define CELLGRAD_LOWER_TENSORS_RUNNINGSUM_H

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// Makes the scalar code of running sums of one type of numbers.
class RunningSum {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// So many terms may be added one by one as numbers of the type.
  static int64_t longestChain(mlir::Type element);

  /// Sums of up to so many terms.
  RunningSum(mlir::Type element, int64_t terms);

  /// What is carried; zeros are a sum of nothing.
  llvm::ArrayRef<mlir::Type> types() const { return carried; }
  /// Whether that is a number of the type.
  bool isPlain() const { return carried == llvm::ArrayRef(element); }
  llvm::SmallVector<mlir::TypedAttr> zeros() const;

  /// The sum of `x` alone.
  Values begin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const;
  Values add(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange sum,
             mlir::Value x) const;
  /// The sum as a number of the type.
  mlir::Value round(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::ValueRange sum) const;
  /// The same of tensors of sums.
  mlir::Value roundAll(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::ValueRange sums) const;

private:
  mlir::Type element;
  llvm::SmallVector<mlir::Type> carried;
};

} // namespace cellgrad

#endif
