//===- BufferLifetimes.h - when the memory of a buffer is needed ----------===//

#ifndef CELLGRAD_LOWER_BUFFERS_BUFFERLIFETIMES_H
#define CELLGRAD_LOWER_BUFFERS_BUFFERLIFETIMES_H

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {

/// From the first to the last op that needs the memory of a buffer, as
/// positions in program order and as ops: the memory is free before `firstOp`
/// and, where it is no terminator, after `lastOp`.
struct Lifetime {
  unsigned first = ~0u, last = 0;
  mlir::Operation *firstOp = nullptr, *lastOp = nullptr;

  bool overlaps(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Finds for the buffers of a function, however deep in loops and branches,
/// when they are needed. Ops are numbered in program order, those of a region
/// between the two ends of the op that holds it.
///
/// A buffer that is made in the body of a loop and stays in one trip is needed
/// between its uses, as it would be if the trip were written out. One that
/// comes from outside, or is handed to the next trip, may be read in any trip
/// what another has written: it is needed as long as the loop runs.
class BufferLifetimes {
public:
  explicit BufferLifetimes(mlir::func::FuncOp func);

  /// Fails, with an error, where a buffer that is made in a trip of a loop is
  /// carried to the next: one place cannot hold both.
  mlir::FailureOr<Lifetime> of(mlir::Operation *alloc) const;

private:
  void number(mlir::Region &region);

  /// Everything that may be in the memory of `buffer`.
  llvm::SmallSetVector<mlir::Value, 8> viewsOf(mlir::Value buffer) const;

  mlir::BufferViewFlowAnalysis flow;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> ends;
  unsigned count = 0;
};

} // namespace cellgrad

#endif
