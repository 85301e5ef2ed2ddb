//===- FillFolding.h - the constant a buffer was filled with --------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_FILLFOLDING_H
#define CELLGRAD_LOWER_BUFFERS_FILLFOLDING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// The `linalg.fill` that wrote `memref` before `op`, when nothing in between
/// touches the same memory: `op` may then start from the value itself, and the
/// caller erases the fill. Null otherwise.
mlir::linalg::FillOp findFill(mlir::Operation *op, mlir::Value memref);

} // namespace cellgrad

#endif
