//===- Addressable.h - tensors that a process can address -----------------===//

#ifndef CELLGRAD_DIALECT_ADDRESSABLE_H
#define CELLGRAD_DIALECT_ADDRESSABLE_H

#include "mlir/IR/Types.h"

namespace cellgrad {

/// Whether values of `type` have at most 2^47 bytes, what a process can
/// address, so that arithmetic on their sizes and positions does not overflow.
/// A dimension of size 0 counts as 1: strides are products, too. Dynamic shapes
/// and types without a size are addressable.
bool isAddressable(mlir::Type type);

} // namespace cellgrad

#endif
