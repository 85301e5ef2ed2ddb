//===- Interference.h - whether two buffers can be one ----------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_INTERFERENCE_H
#define CELLGRAD_LOWER_BUFFERS_INTERFERENCE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {

/// False when `temporary`, the result of a `memref.alloc`, can share the memory
/// of `other`, another one or an argument of the function: neither is written
/// while what the other holds may still be read. Contents that a copy has made
/// equal are one value.
bool interfere(mlir::Value temporary, mlir::Value other);

} // namespace cellgrad

#endif
