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
/// The index again, where the body was cleared.
mlir::Value readBatchArgument(mlir::func::FuncOp entry);

/// Some samples of a batch: so many from `begin` on, which is null for the
/// first.
struct SomeSamples {
  mlir::Value begin, count;
};

/// Loops over the tiles of a batch, or of some of its samples.
class TileLoops {
public:
  TileLoops(mlir::OpBuilder &b, mlir::Location loc, mlir::Value size,
            const OpenBatch &batch)
      : TileLoops(b, loc, {{}, size}, size, batch) {}
  TileLoops(mlir::OpBuilder &b, mlir::Location loc, SomeSamples samples,
            mlir::Value all, const OpenBatch &batch)
      : b(b), loc(loc), first(samples.begin), size(samples.count), all(all),
        batch(batch) {}

  /// Calls `tiles`, which descend to 1, for all samples. Results with samples
  /// are put in their places of a tensor for all; others are parts that
  /// `combines` makes one of. Samples are computed once where there are such
  /// parts; else tiles of at most 4 samples may begin before the one before has
  /// ended. Results are put into the tensors `into`, where these are not null.
  /// Tensors of the stand-in's size have all of the batch, others
  /// the samples that the loops are over.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<Tile> tiles,
                                     mlir::ValueRange inputs,
                                     mlir::TypeRange results,
                                     llvm::ArrayRef<Combine> combines,
                                     llvm::ArrayRef<mlir::Value> into = {});

  /// Calls `tile` once, for a batch that has its size.
  llvm::SmallVector<mlir::Value>
  runOnce(const Tile &tile, mlir::ValueRange inputs, mlir::TypeRange results);

private:
  mlir::Value constant(int64_t value);
  llvm::SmallVector<mlir::Value> emptyFor(mlir::TypeRange results,
                                          llvm::ArrayRef<Combine> combines);
  void loopOver(const Tile &tile, mlir::ValueRange inputs,
                std::optional<int64_t> spare, double trips,
                bool leavesOneMore = false);
  llvm::SmallVector<mlir::Value> callTile(const Tile &tile, mlir::Value at,
                                          mlir::ValueRange inputs,
                                          mlir::ValueRange into);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value first; ///< of the samples, null for that of the batch
  mlir::Value size;  ///< how many they are
  mlir::Value all;   ///< the batch
  const OpenBatch &batch;
  mlir::Value begin; ///< samples before it are computed
  llvm::SmallVector<mlir::Value> values;
  llvm::ArrayRef<Combine> combines;
};

} // namespace cellgrad

#endif
