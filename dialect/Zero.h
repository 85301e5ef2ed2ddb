//===- Zero.h - what adds nothing -----------------------------------------===//

#ifndef CELLGRAD_DIALECT_ZERO_H
#define CELLGRAD_DIALECT_ZERO_H

#include "mlir/IR/Matchers.h"

namespace cellgrad {

/// Whether `value` is a constant of zeros with which sums begin, +0.0 for
/// floating-point numbers.
inline bool isConstantZero(mlir::Value value) {
  return mlir::matchPattern(value, mlir::m_PosZeroFloat()) ||
         mlir::matchPattern(value, mlir::m_Zero());
}

} // namespace cellgrad

#endif
