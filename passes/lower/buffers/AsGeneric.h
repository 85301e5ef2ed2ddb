//===- AsGeneric.h - ops on buffers as linalg.generic ---------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_ASGENERIC_H
#define CELLGRAD_LOWER_BUFFERS_ASGENERIC_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// Replaces a linalg op or a `memref.copy` by a `linalg.generic`; null where it
/// copied a buffer to itself, and nothing is left. Fails, with an error, for an
/// op of linalg that has no such form.
mlir::FailureOr<mlir::linalg::GenericOp>
replaceByGeneric(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace cellgrad

#endif
