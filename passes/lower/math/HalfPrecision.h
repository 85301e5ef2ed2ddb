//===- HalfPrecision.h - half precision computed in single ----------------===//

#ifndef CELLGRAD_LOWER_MATH_HALFPRECISION_H
#define CELLGRAD_LOWER_MATH_HALFPRECISION_H

#include "mlir/IR/Operation.h"

namespace cellgrad {

/// Arithmetic below `root` on the `half` types of floats is computed in single
/// precision, and rounded after every op: what it gives is what instructions of
/// half precision would give, and the same on every target. Returns whether
/// there is any value of these types.
mlir::FailureOr<bool> computeHalfInSingle(mlir::Operation *root,
                                          llvm::ArrayRef<mlir::Type> half);

} // namespace cellgrad

#endif
