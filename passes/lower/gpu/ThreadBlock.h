//===- ThreadBlock.h - the threads that run a kernel together -------------===//

#ifndef CELLGRAD_LOWER_GPU_THREADBLOCK_H
#define CELLGRAD_LOWER_GPU_THREADBLOCK_H

#include "passes/lower/buffers/Combiner.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace cellgrad {

/// Threads that run in step, and read each other's registers.
constexpr int64_t kWarp = 32;

/// Who computes one result.
enum class Team { Thread, Warp, Block };

/// The threads of a block, in the kernel that they run.
class ThreadBlock {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// `threads` is a multiple of a warp; `blocks` share what is computed.
  ThreadBlock(mlir::gpu::GPUFuncOp kernel, int64_t threads, int64_t blocks = 1);

  const int64_t threads, blocks;
  int64_t warps() const { return threads / kWarp; }
  /// The teams among which results are shared: this thread's, and how many.
  mlir::Value number(mlir::OpBuilder &b, mlir::Location loc, Team team) const;
  int64_t count(Team team) const;
  mlir::Value thread() const { return threadId; } ///< its number in the block
  mlir::Value warp() const { return warpId; }     ///< that of its warp
  mlir::Value lane() const { return laneId; }     ///< its number in the warp
  /// Whether it is the one that does what one does for all.
  mlir::Value isFirst() const { return first; }

  /// What `combiners` make of a value of every lane, the same in all lanes:
  /// pairs that are 16 apart, then 8, ... All lanes must come here.
  Values reduceWarp(mlir::OpBuilder &b, mlir::Location loc,
                    llvm::ArrayRef<Combiner> combiners,
                    mlir::ValueRange values);

  /// The same of all threads, which must all come here: warps first, then their
  /// results, neighbours in pairs. Memory of the block holds them: a barrier
  /// comes between two calls.
  Values reduceBlock(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::ArrayRef<Combiner> combiners,
                     mlir::ValueRange values);

private:
  /// Shared memory with a value for each warp.
  mlir::Value slots(mlir::Type word, unsigned which);

  mlir::gpu::GPUFuncOp kernel;
  mlir::Value blockId; ///< null where there is but one
  mlir::Value threadId, warpId, laneId, first;
  llvm::DenseMap<std::pair<mlir::Type, unsigned>, mlir::Value> known;
};

/// Bytes of shared memory that reductions may take.
constexpr int64_t kSlotBytes = 2 << 10;

} // namespace cellgrad

#endif
