//===- VectorTranspose.h - transposes in registers ------------------------===//

#ifndef CELLGRAD_LOWER_CPU_VECTORTRANSPOSE_H
#define CELLGRAD_LOWER_CPU_VECTORTRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// Transposes as many 1-D vectors as each has elements (a power of two), in
/// place.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::MutableArrayRef<mlir::Value> rows);

} // namespace cellgrad

#endif
