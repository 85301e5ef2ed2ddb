//===- ReadByLoops.h - what parallel loops read and do not write *- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_READBYLOOPS_H
#define CELLGRAD_LOWER_BUFFERS_READBYLOOPS_H

#include "mlir/IR/Operation.h"

namespace cellgrad {

/// The outermost parallel loop around `block` through all of which `buffer` is
/// the same memory with the same contents, or null. The views that the buffer
/// is are then before that loop.
mlir::Operation *loopThatReads(mlir::Block *block, mlir::Value buffer);

} // namespace cellgrad

#endif
