//===- TileEmitter.h - code for a product of strided tensors --------------===//

#ifndef CELLGRAD_LOWER_CPU_TILEEMITTER_H
#define CELLGRAD_LOWER_CPU_TILEEMITTER_H

#include "passes/lower/buffers/FlatMemory.h"
#include "passes/lower/cpu/TilePlan.h"

namespace cellgrad {

/// An operand in memory: where its first element lies.
struct TileOperand {
  mlir::Value flat;
  FlatIndex at;
};

/// C (+)= A * B, as the plan's dimensions walk them.
struct TileProblem {
  TileOperand a, b, c;
  mlir::Type element;
  /// True when C is added to; false when its old content is ignored.
  bool accumulate;
  /// True when a multiply-add is one instruction of the target.
  bool useFma;
  /// Shorter loops are not over items.
  double fewestNanoseconds = 0;
};

/// Emits the loops of `plan` at the builder's insertion point; copies to and
/// from buffers become linalg ops. Where the plan has several blocks of the sum
/// and no buffer, C must hold what is added to.
void emitTiles(mlir::OpBuilder &b, mlir::Location loc, TileProblem problem,
               TilePlan plan);

} // namespace cellgrad

#endif
