//===- NestPlan.h - how one nest is vectorised ----------------------------===//

#ifndef CELLGRAD_LOWER_CPU_NESTPLAN_H
#define CELLGRAD_LOWER_CPU_NESTPLAN_H

#include "passes/lower/buffers/Combiner.h"
#include "passes/lower/target/Target.h"

namespace cellgrad {

enum class NestKind {
  /// A block of vectors of results at a time; reduction loops, if any, inside.
  Blocks,
  /// The vectorised dimension is a reduction: vectors of partial results are
  /// carried through the loops and combined at the end.
  Lanes,
  /// A few steps of the reduction at a time, for all results: every row of the
  /// input is read once, in order.
  Rows,
  /// Square tiles: inputs that are contiguous along another dimension are
  /// transposed in registers, through a small buffer.
  Tiles,
};

/// A nest whose dimensions are in loop order, outermost first: parallel ones,
/// then reductions, except that `Rows` has the vectorised dimension last.
struct NestPlan {
  LoopNest nest;
  NestKind kind = NestKind::Blocks;
  /// The vectorised dimension; none for scalar code.
  std::optional<unsigned> vectorDim;
  int64_t lanes = 1;
  /// Vectors in a block.
  int64_t unroll = 1;
  /// One for each output; `op` is null where the combination is not recognised.
  llvm::SmallVector<Combiner> combiners;
  /// `Tiles`: the inputs that are transposed, contiguous along the dimension
  /// just outside the vectorised one.
  llvm::SmallVector<unsigned> transposed;
  /// `Lanes` of so many elements that they are read from memory: bytes in a
  /// cache line, each of which is asked for ahead of its use. 0 for others.
  int64_t prefetchedLine = 0;

  unsigned numInputs() const { return nest.inputs.size(); }
  unsigned numOutputs() const { return nest.outputs.size(); }
  /// Inputs first, then outputs.
  const Access &access(unsigned i) const {
    return i < numInputs() ? nest.inputs[i] : nest.outputs[i - numInputs()];
  }
  int64_t vectorStride(unsigned i) const {
    return vectorDim ? access(i).strides[*vectorDim] : 0;
  }
  unsigned firstReduction() const {
    return llvm::find(nest.isReduction, true) - nest.isReduction.begin();
  }
  bool isAccumulated(unsigned output) const {
    return nest.isAccumulated(output);
  }
  /// An accumulated output that is a sum of floating-point numbers.
  bool isSummed(unsigned output) const;
  mlir::Type accumulatorElement(unsigned output) const;
};

/// True when several iterations can be computed in the lanes of vectors.
bool bodyVectorises(mlir::linalg::GenericOp op);

NestPlan planNest(LoopNest nest, const Target &target);

/// `Rows`: how much of a row is an item, of equal ones of whole vectors. Where
/// it is short, processors read no further ahead in one row than in the next.
int64_t partOfRow(const NestPlan &plan);

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const NestPlan &plan);

} // namespace cellgrad

#endif
