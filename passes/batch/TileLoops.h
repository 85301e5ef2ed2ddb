//===- TileLoops.h - a function for a few samples, for all of a batch -----===//

#ifndef CELLGRAD_BATCH_TILELOOPS_H
#define CELLGRAD_BATCH_TILELOOPS_H

#include "passes/batch/SampleFlow.h"

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// A function for so many samples.
using Tile = std::pair<int64_t, mlir::func::FuncOp>;

/// Mark arguments of a function for tiles, behind its inputs, that are told
/// which sample its first one is, and how many there are in all.
inline constexpr llvm::StringLiteral kFirstSample = "cell.first_sample";
inline constexpr llvm::StringLiteral kAllSamples = "cell.all_samples";

/// The batch size as the first argument of `entry`, and as an index.
mlir::Value addBatchArgument(mlir::func::FuncOp entry);

/// Loops over the tiles of a batch.
class TileLoops {
public:
  TileLoops(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
            const OpenBatch &batch)
      : b(b), loc(loc), size(size), batch(batch) {}

  /// Calls `tiles`, which descend to 1, for all samples. Results with samples
  /// are put in their places of a tensor for all; others are parts that
  /// `combines` makes one of. Samples are computed once where there are such
  /// parts; else tiles of at most 4 samples may begin before the one before has
  /// ended.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<Tile> tiles,
                                     mlir::ValueRange inputs,
                                     mlir::TypeRange results,
                                     llvm::ArrayRef<Combine> combines);

  /// Calls `tile` once, for a batch that has its size.
  llvm::SmallVector<mlir::Value>
  runOnce(const Tile &tile, mlir::ValueRange inputs, mlir::TypeRange results);

private:
  mlir::Value constant(int64_t value);
  llvm::SmallVector<mlir::Value> emptyFor(mlir::TypeRange results,
                                          llvm::ArrayRef<Combine> combines);
  void loopOver(const Tile &tile, mlir::ValueRange inputs,
                std::optional<int64_t> spare, double trips);
  llvm::SmallVector<mlir::Value> callTile(const Tile &tile, mlir::Value at,
                                          mlir::ValueRange inputs,
                                          mlir::ValueRange into);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value size; ///< the batch
  const OpenBatch &batch;
  mlir::Value begin; ///< samples before it are computed
  llvm::SmallVector<mlir::Value> values;
  llvm::ArrayRef<Combine> combines;
};

} // namespace cellgrad

#endif
