//===- SumLoop.h - the loop of a sum, as a tree ---------------------------===//
//
// Rounding errors of a sum grow with the additions that a term passes through.
// Shared by the emitters: the long loop of a sum is cut into blocks, each with
// a partial sum of its own, these into blocks of blocks, and so on, so that the
// additions grow with the logarithm of the trips. docs/math-accuracy.md states
// the bound.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_SUMLOOP_H
#define CELLGRAD_LOWER_BUFFERS_SUMLOOP_H

#include "passes/lower/buffers/FlatMemory.h"

namespace cellgrad {

/// How the loop of a sum is cut.
struct SumBlocks {
  int64_t trips = 0;
  /// Trips of each block, innermost first, each a multiple of the one before;
  /// none where the loop stays whole.
  llvm::SmallVector<int64_t> blocks;
  /// Additions that the whole loop makes to what it is given.
  int64_t additions = 0;
};

/// How many additions may follow one another: in a loop that stays whole, and
/// in an innermost block of another. The fewer, the smaller the errors, and the
/// more blocks that begin and end.
struct SumChains {
  int64_t longest = 32, block = 32;
};

/// One trip makes `additions` to what it is given.
SumBlocks planSum(int64_t trips, int64_t additions = 1, SumChains chains = {});

/// In a register tile that makes so many additions in all; its sums wait in
/// memory while another block is summed.
SumChains tileChains(unsigned elementBits, int64_t additions);

/// Where a trip adds what a whole tile has summed.
constexpr SumChains kChainsOfTiles = {16, 8};

/// What the loop of a sum carries may be values or, where the hooks know of it,
/// memory.
struct SumHooks {
  using Values = llvm::SmallVector<mlir::Value>;
  /// What a block carries instead of `carried`: sums of nothing yet.
  llvm::function_ref<Values(mlir::ValueRange carried)> begin;
  /// `carried` after a block, which made `partial` of what it began with.
  llvm::function_ref<Values(mlir::ValueRange carried, mlir::ValueRange partial)>
      end;
  /// One trip.
  llvm::function_ref<Values(FlatIndex at, mlir::ValueRange carried)> body;
};

/// Runs the body at 0, step, ... below `size`, which is that of all trips where
/// it is null, and returns what is carried at the end.
SumHooks::Values emitSumLoop(mlir::OpBuilder &b, mlir::Location loc,
                             FlatMemory &mem, const SumBlocks &plan,
                             int64_t step, mlir::Value size,
                             mlir::ValueRange carried, const SumHooks &hooks);

/// The end of a block where all that is carried is sums.
SumHooks::Values addSums(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ValueRange sums, mlir::ValueRange partial);

} // namespace cellgrad

#endif
