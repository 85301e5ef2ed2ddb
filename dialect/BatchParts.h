//===- BatchParts.h - what functions are for of a batch of any size -------===//

#ifndef CELLGRAD_DIALECT_BATCHPARTS_H
#define CELLGRAD_DIALECT_BATCHPARTS_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad {

/// Marks functions that compute parts of a batch. Sums of a sample are ordered
/// alike in all parts: how many samples there are decides nothing.
inline constexpr llvm::StringLiteral kBatchTiles = "cell.batch_tiles";

/// Of a function for a batch of known size, `{of = "entry", size = 20 : i64}`:
/// which entry runs it, for which size.
inline constexpr llvm::StringLiteral kBatchProgram = "cell.batch_program";

/// On a loop over tiles of a batch: about how often it runs, a float.
inline constexpr llvm::StringLiteral kTileTrips = "cell.tile_trips";

} // namespace cellgrad

#endif
