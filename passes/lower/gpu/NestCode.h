//===- NestCode.h - scalar code of a nest ---------------------------------===//

#ifndef CELLGRAD_LOWER_GPU_NESTCODE_H
#define CELLGRAD_LOWER_GPU_NESTCODE_H

#include "passes/lower/buffers/Combiner.h"
#include "passes/lower/buffers/FlatMemory.h"

namespace cellgrad {

/// Where the loops stand: the position in each operand (inputs, then outputs)
/// and the value of each loop variable.
struct NestPosition {
  llvm::SmallVector<FlatIndex> at;
  llvm::SmallVector<FlatIndex> ivs;
};

/// Emits what one thread computes of a nest: a step, and what is carried from
/// one step to the next. Accumulators are those of the accumulated outputs, in
/// order.
class NestCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Constants, and views of the operands, are placed where the builder stands.
  /// `starts` has for each output the value that it holds everywhere before, or
  /// null where that is in memory; it may be empty.
  NestCode(mlir::OpBuilder &b, const LoopNest &nest,
           llvm::ArrayRef<mlir::Value> starts = {});

  const NestPosition &start() const { return first; }
  NestPosition advance(const NestPosition &pos, unsigned dim, FlatIndex iv);
  /// From `number`, which counts the steps of the dimensions from `begin` to
  /// `end`, the last one fastest.
  NestPosition advance(const NestPosition &pos, unsigned begin, unsigned end,
                       mlir::Value number);

  /// One step: loads, the body, stores of outputs that are not accumulated.
  Values step(const NestPosition &pos, mlir::ValueRange accumulators);
  /// `lanes` steps of a nest without reductions, from `pos` on along the last
  /// dimension, with one access for all where the operand's neighbours are
  /// aligned together (`isWide`).
  void wideStep(const NestPosition &pos, int64_t lanes);

  /// True where all outputs are accumulated, and in any order.
  bool combinesAll() const;
  bool isSum(unsigned accumulator) const;
  bool hasSum() const;
  llvm::ArrayRef<unsigned> accumulatedOutputs() const { return accumulated; }
  const Combiner &combiner(unsigned accumulator) const {
    return combiners[accumulated[accumulator]];
  }
  /// An accumulator that holds nothing yet; its combiner is known.
  mlir::Value neutral(unsigned accumulator);
  Values load(const NestPosition &pos);
  void store(const NestPosition &pos, mlir::ValueRange accumulators);
  Values combine(mlir::ValueRange a, mlir::ValueRange c);

  FlatMemory &memory() { return mem; }

private:
  unsigned numInputs() const { return nest.inputs.size(); }
  const Access &access(unsigned operand) const;
  bool isRead(unsigned operand);
  /// The body on what was loaded of each operand; the values of all outputs.
  Values run(const NestPosition &pos, mlir::ValueRange loaded);
  mlir::Value loadOperand(unsigned operand, const NestPosition &pos);
  void storeOutput(unsigned output, mlir::Value value, const NestPosition &pos);
  mlir::Type accumulatorType(unsigned output) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  FlatMemory mem;
  const LoopNest &nest;
  mlir::linalg::GenericOp op;
  llvm::SmallVector<Combiner> combiners; ///< one for each output
  llvm::SmallVector<unsigned> accumulated;
  llvm::SmallVector<mlir::Value> flat, starts;
  NestPosition first;
};

/// Whether `lanes` neighbours of the operand along the last dimension begin at
/// a multiple of their size, wherever the nest stands: buffers do.
bool isWide(const Access &access, const LoopNest &nest, int64_t lanes);

} // namespace cellgrad

#endif
