//===- NestBody.h - straight-line code of a nest --------------------------===//

#ifndef CELLGRAD_LOWER_CPU_NESTBODY_H
#define CELLGRAD_LOWER_CPU_NESTBODY_H

#include "passes/lower/buffers/BodyIndices.h"
#include "passes/lower/buffers/FlatMemory.h"
#include "passes/lower/cpu/NestPlan.h"

namespace cellgrad {

/// Where the loops stand: the position in each operand (inputs, then outputs)
/// and the value of each loop variable.
struct Position {
  llvm::SmallVector<FlatIndex> at;
  llvm::SmallVector<FlatIndex> ivs;
};

/// Emits loads, stores and the op's body for one vector of iterations.
class NestBody {
public:
  NestBody(mlir::OpBuilder &b, const NestPlan &plan);

  Position start() { return first; }
  Position advance(const Position &pos, unsigned dim, FlatIndex iv);
  /// The position `count` vectors further.
  Position advanceVectors(const Position &pos, int64_t count);

  /// Values of all inputs; those the body does not use are null. An input that
  /// is the same for the whole block is taken from `shared`, when given.
  llvm::SmallVector<mlir::Value>
  loadInputs(const Position &pos, int64_t active,
             llvm::ArrayRef<mlir::Value> shared = {});
  /// Asks for memory that inputs are read from soon, when one of their cache
  /// lines begins at the vector `index` of a block.
  void prefetchInputs(const Position &pos, int64_t index);
  mlir::Value loadOutput(unsigned output, const Position &pos, int64_t active);
  void storeOutput(unsigned output, mlir::Value value, const Position &pos,
                   int64_t active);

  /// The yielded values, given those of the block arguments. With `valuesOnly`,
  /// accumulated outputs give what they would combine into the old value.
  llvm::SmallVector<mlir::Value> run(llvm::ArrayRef<mlir::Value> inputs,
                                     llvm::ArrayRef<mlir::Value> outputs,
                                     const Position &pos, int64_t active,
                                     bool valuesOnly = false);
  bool readsOutput(unsigned output);

  mlir::Value combine(unsigned output, mlir::Value a, mlir::Value c);
  /// Combines values pairwise: a fixed tree.
  mlir::Value combineTree(unsigned output,
                          llvm::SmallVector<mlir::Value> values);
  /// Combines the lanes of a vector pairwise.
  mlir::Value combineLanes(unsigned output, mlir::Value value);
  mlir::Value neutral(unsigned output);
  /// Converts between an output's element type and its accumulator's.
  mlir::Value toAccumulator(unsigned output, mlir::Value value);
  mlir::Value fromAccumulator(unsigned output, mlir::Value value);

  FlatMemory &memory() { return mem; }
  /// The flat memory of an operand; inputs first, then outputs.
  mlir::Value flatOf(unsigned i) { return flat[i]; }
  /// Makes an input be read from elsewhere.
  void redirect(unsigned input, mlir::Value memory) { flat[input] = memory; }

private:
  using Lookup = llvm::function_ref<mlir::Value(mlir::Value)>;

  mlir::Value splat(mlir::TypedAttr scalar);
  /// The loop variable that `op` asks for, in all lanes, as `element`.
  mlir::Value indexValue(mlir::linalg::IndexOp op, const Position &pos,
                         mlir::Type element);
  FlatIndex loopVariable(mlir::linalg::IndexOp op, const Position &pos) const;
  /// What a load of the body reads: once for all lanes with `scalar`.
  mlir::Value emitLoad(mlir::memref::LoadOp load, const Position &pos,
                       int64_t active, bool scalar, Lookup scalarOf,
                       Lookup lanesOf);

  mlir::OpBuilder &b;
  mlir::Location loc;
  FlatMemory mem;
  const NestPlan &plan;
  mlir::linalg::GenericOp op;
  BodyIndices indices;
  llvm::SmallVector<mlir::Value> flat;
  /// What the body loads from, as flat memory with the position of the start.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, FlatIndex>> loaded;
  Position first;
};

} // namespace cellgrad

#endif
