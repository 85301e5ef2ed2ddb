//===- QR.h - QR factors by Householder reflections -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_QR_H
#define CELLGRAD_LOWER_SEQUENTIAL_QR_H

#include "passes/lower/sequential/MatrixLoops.h"

namespace cellgrad {

/// The factors q and r of the matrix `x`, of the shapes of `inits`.
llvm::SmallVector<mlir::Value> factorizeQR(MatrixLoops &m, mlir::Value x,
                                           mlir::ValueRange inits);

} // namespace cellgrad

#endif
