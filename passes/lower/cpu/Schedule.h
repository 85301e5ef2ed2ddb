//===- Schedule.h - the order of a block's ops ------------------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_LOWER_CPU_SCHEDULE_H
#define CELLGRAD_PASSES_LOWER_CPU_SCHEDULE_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// Ops of a block that check something, with all that comes before them.
using CheckOrder =
    llvm::MapVector<mlir::Operation *, llvm::DenseSet<mlir::Operation *>>;

/// The order of a block's ops: data dependencies, the mutual order of ops with
/// effects, and edges added by hand.
class Schedule {
public:
  explicit Schedule(mlir::Block &block);

  /// True when `late` must come after `early`.
  bool dependsOn(mlir::Operation *late, mlir::Operation *early);

  /// All ops that must come before `op`, and `op` itself.
  llvm::DenseSet<mlir::Operation *> upTo(mlir::Operation *op);

  void addEdge(mlir::Operation *early, mlir::Operation *late) {
    predecessors[late].insert(early);
  }

  /// The checks of the block, also those nested in its ops.
  CheckOrder checks();

  /// Reorders the block, keeping the present order where nothing forbids it.
  void apply();

private:
  mlir::Block &block;
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
