//===- Schedule.h - the order of a block's ops ------------------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_LOWER_CPU_SCHEDULE_H
#define CELLGRAD_PASSES_LOWER_CPU_SCHEDULE_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// The order of a block's ops: data dependencies, the mutual order of ops with
/// effects, and edges added by hand. Ops that may fail keep their order, so
/// that all that comes before one of them comes before the last.
class Schedule {
public:
  explicit Schedule(mlir::Block &block);

  /// True when `late` must come after `early`.
  bool dependsOn(mlir::Operation *late, mlir::Operation *early);

  void addEdge(mlir::Operation *early, mlir::Operation *late) {
    predecessors[late].insert(early);
  }

  /// Whether an op of the block may fail.
  bool anyFails() const { return lastFailing; }

  /// Whether `op` is an op that may fail, or must come before one: what it
  /// writes is written even if the call fails.
  bool isBeforeFailure(mlir::Operation *op) const {
    return beforeFailure.contains(op);
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
  /// All ops that must come before `op`, and `op` itself.
  llvm::DenseSet<mlir::Operation *> upTo(mlir::Operation *op);

  mlir::Block &block;
  mlir::Operation *lastFailing = nullptr;
  llvm::DenseSet<mlir::Operation *> beforeFailure;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<mlir::Operation *>>
      predecessors;
};

/// The tensor that stands for the old content of a donated argument, or null.
mlir::bufferization::ToTensorOp oldValue(mlir::Value memref);

/// Collects the ops of `block` that read `tensor` or a value that may share its
/// buffer: a view of it, or an op's result computed over it.
void collectReaders(mlir::Block &block, mlir::Value tensor,
                    llvm::SetVector<mlir::Operation *> &readers);

} // namespace cellgrad

#endif
