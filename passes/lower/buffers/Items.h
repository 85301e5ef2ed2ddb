//===- Items.h - loops whose steps are independent ------------------------===//
//
// An `scf.forall` with this attribute is a kernel: its steps, the items, may
// run in any order and at once. What they are follows from shapes and the
// target alone.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_ITEMS_H
#define CELLGRAD_LOWER_BUFFERS_ITEMS_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad {

/// On an `scf.forall`: about how long all items take on one core.
constexpr llvm::StringLiteral kNanoseconds = "cell.nanoseconds";

/// On an `scf.for`: its steps are the tiles of an item, or of a kernel of one
/// item. On an `scf.if`: it is what one of the items computes. The value is how
/// often the body runs in an item, on average.
constexpr llvm::StringLiteral kTiles = "cell.tiles";

/// On a function: it computes items. The value is the position of the argument
/// that is the first item; those after it are the end of the items, and the
/// worker that computes them.
constexpr llvm::StringLiteral kKernel = "cell.kernel";

/// On an entry: the bytes that each worker needs of the arena, at its end. The
/// arena's size counts them once.
constexpr llvm::StringLiteral kWorkerBytes = "cell.slot_bytes";

} // namespace cellgrad

#endif
