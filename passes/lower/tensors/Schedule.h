//===- Schedule.h - the order of a block's ops ------------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_TENSORS_SCHEDULE_H
#define CELLGRAD_LOWER_TENSORS_SCHEDULE_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// The order of a block's ops: data dependencies, the mutual order of ops with
/// effects, and edges added by hand. Ops that may fail keep their order, so
/// that all that comes before one of them comes before the last.
class Schedule {
public:
  explicit Schedule(mlir::Block &block);

  /// All ops that must come after `op`, and `op` itself.
  llvm::DenseSet<mlir::Operation *> dependents(mlir::Operation *op) const {
    return reach(op, successors);
  }

  /// Whether `op` stays where it is among others for which this holds: it may
  /// fail, has effects, or may not end.
  static bool keepsOrder(mlir::Operation *op);

  void addEdge(mlir::Operation *early, mlir::Operation *late) {
    if (predecessors[late].insert(early))
      successors[early].insert(late);
  }

  /// Whether an op of the block may fail.
  bool anyFails() const { return lastFailing; }

  /// Whether `op` is an op that may fail, or must come before one: what it
  /// writes is written even if the call fails.
  bool isBeforeFailure(mlir::Operation *op) const {
    return beforeFailure.contains(op);
  }

  /// What would come before an op that may fail, and does not yet, if `op` were
  /// one.
  llvm::SmallVector<mlir::Operation *>
  newlyBeforeFailure(mlir::Operation *op) const;

  /// Counts `ops` among those that come before an op that may fail.
  void setBeforeFailure(llvm::ArrayRef<mlir::Operation *> ops) {
    beforeFailure.insert_range(ops);
  }

  /// Puts `op`, which need not come before any, after all that may fail.
  void putAfterFailures(mlir::Operation *op) {
    assert(!isBeforeFailure(op));
    if (lastFailing)
      addEdge(lastFailing, op);
  }

  /// Reorders the block, keeping the present order where nothing forbids it.
  void apply();

private:
  using Edges =
      llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>>;

  /// `op` and all ops that `edges` lead to from there.
  static llvm::DenseSet<mlir::Operation *> reach(mlir::Operation *op,
                                                 const Edges &edges);

  mlir::Block &block;
  mlir::Operation *lastFailing = nullptr;
  llvm::DenseSet<mlir::Operation *> beforeFailure;
  Edges predecessors, successors;
};

/// The tensor that stands for the old content of a donated argument, or null.
mlir::bufferization::ToTensorOp oldValue(mlir::Value memref);

/// Collects the ops of `block` that read `tensor` or a value that may share its
/// buffer: a view of it, or an op's result computed over it.
void collectReaders(mlir::Block &block, mlir::Value tensor,
                    llvm::SetVector<mlir::Operation *> &readers);

} // namespace cellgrad

#endif
