//===- MemoryRoots.h - which memory a buffer is in --------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_MEMORYROOTS_H
#define CELLGRAD_LOWER_BUFFERS_MEMORYROOTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace cellgrad {

/// The buffer that a chain of views starts from.
mlir::Value rootOf(mlir::Value memref);

/// True when distinct roots are distinct memory: allocations and arguments of
/// an entry point (which do not overlap by contract), not values carried by
/// loops.
bool isDistinctRoot(mlir::Value root);

/// False for a value that may be any of several buffers, or a part of one.
bool isKnownRoot(mlir::Value root);

/// Calls `visit` with each buffer that `op` may touch; false for an op that may
/// touch others, or do more than compute.
bool forEachBuffer(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value buffer, bool writes)> visit);

/// Calls `visit` with the root of each buffer that `op`, or an op in it, has as
/// an operand and reads or writes.
void forEachTouched(mlir::Operation *op,
                    llvm::function_ref<void(mlir::Value root)> visit);

/// False where neither `op` nor an op in it touches memory of `root`, nor what
/// may be any memory.
bool mayTouch(mlir::Operation *op, mlir::Value root);

/// The memory that a set of ops touches.
class MemoryUse {
public:
  void add(mlir::Value buffer, bool writes);
  /// False for an op of which that is not known.
  bool add(mlir::Operation *op);

  bool touches(mlir::Value root) const { return touched.contains(root); }
  bool writes(mlir::Value root) const { return written.contains(root); }
  /// True when `op` may not change places with the ops of the set.
  bool conflictsWith(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> touched, written; // by root
  bool unknown = false; ///< which memory some op touches
};

} // namespace cellgrad

#endif
