//===- SpreadNest.h - a nest run by threads -------------------------------===//

#ifndef CELLGRAD_LOWER_GPU_SPREADNEST_H
#define CELLGRAD_LOWER_GPU_SPREADNEST_H

#include "passes/lower/gpu/ThreadBlock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {

/// The nest of `op`, its dimensions in the order in which threads take its
/// steps: neighbours write neighbouring elements. Fails as analyzeNest does.
mlir::FailureOr<LoopNest> nestForThreads(mlir::linalg::GenericOp op);

/// How many threads have something to do.
int64_t usefulThreads(const LoopNest &nest);

/// The steps of the parallel dimensions, or of the reductions.
int64_t countSteps(const LoopNest &nest, bool reductions);

/// Emits a nest of nestForThreads where all threads of the block
/// come. They read nothing that another of the nest's threads writes. Which
/// thread computes what, and the order of every sum, follow from the sizes.
void spreadNest(mlir::OpBuilder &b, const LoopNest &nest, ThreadBlock &block);

/// More threads would leave each too few registers for long bodies.
constexpr int64_t kMostThreads = 256;

/// Threads that keep a large GPU busy. A constant, so that every device
/// computes in the same order.
constexpr int64_t kBusyThreads = 256 << 10;

/// How a nest is computed by a grid of its own.
struct GridPlan {
  Team team;
  int64_t lanes; ///< results of a thread: neighbours, accessed at once
  int64_t threads, blocks;
};

/// Follows from sizes, strides and types alone. Views in the nest's kernel
/// begin where its buffers do, or at constants.
GridPlan planGrid(const LoopNest &nest);

/// Of a function with `cell.grid_nest`, which is left as it is.
int64_t blocksOfNest(mlir::func::FuncOp func);

/// How many pieces of memory a warp reads in a step of a reduction: where its
/// lanes compute neighbouring results, and where they share one.
struct GridReads {
  int64_t across, along;
};
GridReads readsOf(const LoopNest &nest);

/// Cycles of a large GPU for `results` of `depth` steps each, by teams of a
/// kind.
double estimateCycles(Team team, double results, double depth,
                      const GridReads &reads);
Team bestTeam(double results, double depth, const GridReads &reads);

/// Emits the nest for all threads of the grid. `starts` has for each output the
/// constant that it holds before, or null where that is in memory.
void spreadOverGrid(mlir::OpBuilder &b, const LoopNest &nest,
                    llvm::ArrayRef<mlir::Value> starts, const GridPlan &plan,
                    ThreadBlock &block);

} // namespace cellgrad

#endif
