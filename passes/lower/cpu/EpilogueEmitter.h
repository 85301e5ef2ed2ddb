//===- EpilogueEmitter.h - an elementwise op on tiles of a product --------===//

#ifndef CELLGRAD_LOWER_CPU_EPILOGUEEMITTER_H
#define CELLGRAD_LOWER_CPU_EPILOGUEEMITTER_H

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/cpu/NestBody.h"

namespace cellgrad {

/// A part of one row of a product's result, complete: so many vectors, the last
/// one with `active` lanes.
struct FinishedVectors {
  FlatIndex row, column;
  int64_t vectors, active;
  /// Where they lie apart from the result; null where they are in their place.
  mlir::Value memory;
  FlatIndex at;
};

/// Emits the body of an epilogue, as a nest of the loops of its product, for
/// one part of the result after another.
class EpilogueEmitter {
public:
  /// Flattens the operands where the builder stands.
  EpilogueEmitter(mlir::OpBuilder &b, const Contraction &product, LoopNest nest,
                  int64_t lanes);

  /// Moves all that follows to another product of the batch.
  void moveTo(unsigned dim, mlir::Value item) {
    start = body.advance(start, dim, {item, 0});
  }
  void emit(const FinishedVectors &part);

private:
  NestPlan plan;
  unsigned rowDim, columnDim;
  NestBody body;
  Position start;
  /// Whether each input is the result of the product.
  llvm::SmallVector<bool> isResult;
};

} // namespace cellgrad

#endif
