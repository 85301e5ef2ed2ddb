//===- Inference.h - what inference of result types shares ----------------===//

#ifndef CELLGRAD_DIALECT_INFERENCE_H
#define CELLGRAD_DIALECT_INFERENCE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace cellgrad {

/// A diagnostic of op `OpT` while its type is inferred: the op does not exist
/// yet.
template <typename OpT>
mlir::InFlightDiagnostic inferenceError(mlir::MLIRContext *context,
                                        std::optional<mlir::Location> loc) {
  return mlir::emitError(loc.value_or(mlir::UnknownLoc::get(context)))
         << "'" << OpT::getOperationName() << "' op ";
}

} // namespace cellgrad

#endif
