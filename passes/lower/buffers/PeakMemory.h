//===- PeakMemory.h - what is in an arena when most is ----------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_PEAKMEMORY_H
#define CELLGRAD_LOWER_BUFFERS_PEAKMEMORY_H

#include "passes/lower/buffers/BufferLifetimes.h"

namespace cellgrad {

/// On an entry: what `describePeak` says of its arena.
constexpr llvm::StringLiteral kMemory = "cell.memory";

/// A temporary with its place in an arena.
struct PlacedBuffer {
  mlir::Operation *alloc;
  int64_t bytes, offset;
  Lifetime life;
};

/// Finds when buffers of the most bytes are needed at the same time. The
/// dictionary has `peak`, their bytes; `temporaries`, how many buffers there
/// are; and `alive`: of each that is needed then its bytes, offset in the
/// arena, type and place (Places.h), largest first; and `buffers`: of every one
/// the same, with its location, and the `first` and the `last` time it is used.
mlir::DictionaryAttr describePeak(mlir::MLIRContext *context,
                                  llvm::ArrayRef<PlacedBuffer> buffers);

} // namespace cellgrad

#endif
