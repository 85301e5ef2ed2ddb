//===- SampleFlow.h - where the samples of a batch are in values ----------===//
//
// A value of a program for any batch size is shared by all samples, or has a
// part for each of them. Its elements in row-major order are then those of
// `outer` groups, each a run for every sample in turn: the batch is the
// dimension in the middle of [outer, batch, inner]. Reshapes keep that. In its
// type, the batch is in one dimension, together with what a reshape folded into
// it: `before` elements before it and `inner` behind it.
//
// Sums over the batch make shared values of samples. Outside of loops and
// branches they cut the program in phases (SumPhases.h). Inside of them, sums
// are of a part of the batch until the loop has ended: such a value may only be
// added up and reshaped.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_SAMPLEFLOW_H
#define CELLGRAD_BATCH_SAMPLEFLOW_H

#include "passes/batch/OpenBatch.h"

#include "llvm/ADT/DenseMap.h"

namespace cellgrad {

/// How a value depends on the batch.
struct Share {
  enum Kind {
    Shared,  ///< no sample has a part in it
    Partial, ///< a part of a sum over the batch
    Known,   ///< has samples, `outer` groups of them
    Along,   ///< has samples, all alike: any split of its dimension is right
    Alike,   ///< has samples, and all its elements are equal
  };
  Kind kind = Shared;
  int64_t outer = 0; ///< for Known

  bool hasSamples() const { return kind >= Known; }
  bool operator==(const Share &other) const {
    return kind == other.kind && outer == other.outer;
  }
  bool operator!=(const Share &other) const { return !(*this == other); }
};

/// The dimension of a type that has the batch in it, and how many elements of
/// it there are for a sample.
struct BatchDim {
  int64_t dim = -1;
  int64_t count = 0;
};

/// What a tensor, or an element of a stash, has of the batch; a dimension of
/// -1 where it has nothing.
BatchDim batchDimOf(mlir::Type type, const OpenBatch &batch);

/// How parts of a sum over the batch become one.
enum class Combine {
  None, ///< no sum
  Add,
  Max,
  Min,
  Last, ///< all parts are equal
};

/// The element that changes nothing, as a constant of `type`.
mlir::Value neutralElement(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Type type, Combine combine);
/// Two parts as one.
mlir::Value combineParts(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a,
                         mlir::Value other, Combine combine);

/// The shares of all values of an entry without calls.
class SampleFlow {
public:
  explicit SampleFlow(const OpenBatch &batch) : batch(batch) {}

  /// Refuses what has no rule, at the op.
  mlir::LogicalResult run(mlir::func::FuncOp entry);

  Share of(mlir::Value value) const { return shares.lookup(value); }
  /// How the parts of a result become one that an op of the entry's block
  /// computes for some samples; None where it has samples, or is shared and
  /// computed once.
  Combine combineOf(mlir::OpResult result) const {
    return combines.lookup(result);
  }
  /// Whether `op`, of the entry's block, computes with samples.
  bool usesSamples(mlir::Operation *op) const { return users.contains(op); }

private:
  mlir::LogicalResult runOn(mlir::Block &block, bool nested);
  mlir::LogicalResult runOn(mlir::Operation *op, bool nested);
  mlir::LogicalResult runOnFor(mlir::Operation *op);
  mlir::LogicalResult runOnIf(mlir::Operation *op);
  /// Refuses a result that has the batch twice.
  mlir::LogicalResult refusePairs(mlir::Operation *op) const;
  /// Notes what is new when all of a batch has been seen; refuses types.
  mlir::LogicalResult finish(mlir::Operation *op, bool nested);

  const OpenBatch &batch;
  llvm::DenseMap<mlir::Value, Share> shares;
  llvm::DenseMap<mlir::Value, Combine> combines;
  llvm::DenseSet<mlir::Operation *> users;
  int lenient = 0; ///< rules that fail say nothing yet
};

} // namespace cellgrad

#endif
