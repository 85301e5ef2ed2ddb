//===- InFlight.h - what ops do to buffers of collectives -------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_INFLIGHT_H
#define CELLGRAD_LOWER_BUFFERS_INFLIGHT_H

#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace cellgrad {

/// A start and its wait, in one block.
struct InFlight {
  CollectiveStartOp start;
  CollectiveWaitOp wait;
};

/// The pairs of `block`, in the order of their starts.
llvm::SmallVector<InFlight> pairsOf(mlir::Block &block);

/// What an op, with all that is in it, does to memory.
struct Footprint {
  llvm::SmallDenseMap<mlir::Value, bool, 4> roots; ///< whether it writes there
  bool unknown = false;                            ///< it may touch any buffer
  /// Nothing that is in flight may pass it: the call may end there, ranks meet,
  /// or control leaves the block.
  bool stops = false;
  bool donates = false; ///< it writes where the caller's values are
};

/// Finds for the ops of a module whether they may be done while a collective
/// has its buffers. What it does not know, it takes to touch all of them.
class Footprints {
public:
  /// Of an op in any block; kept until `forget`.
  const Footprint &of(mlir::Operation *op);

  /// After ops have been changed.
  void forget() { known.clear(); }

  /// Whether `op` has to stay behind the wait of a collective with these
  /// buffers, where it is behind its start.
  bool needsEnd(mlir::Operation *op, mlir::Value send, mlir::Value receive);

  /// Whether the start of a collective with these buffers has to stay behind
  /// `op`, which gives it no operand.
  bool needsBefore(mlir::Operation *op, mlir::Value send, mlir::Value receive);

private:
  /// Whether `op` touches `receive`, or writes to `send`.
  bool meets(mlir::Operation *op, mlir::Value send, mlir::Value receive);
  void add(mlir::Operation *inner, mlir::Operation *op, Footprint &print);
  bool mayWrite(mlir::OpOperand &use);
  bool writesArgument(mlir::func::FuncOp callee, unsigned argument);
  bool stopsIn(mlir::func::FuncOp callee);

  llvm::DenseMap<mlir::Operation *, Footprint> known;
  llvm::DenseMap<mlir::Value, bool> written;        ///< arguments of functions
  llvm::DenseMap<mlir::Operation *, bool> stopping; ///< functions
};

/// The buffer in which `value` lies, where that is one by itself: an
/// allocation, a constant, or the argument of an entry. Else null.
mlir::Value knownRoot(mlir::Value value);

/// Whether the caller of an entry gives its values in `argument`, and gets
/// others there.
bool isDonated(mlir::Value argument);

} // namespace cellgrad

#endif
