//===- Combiner.h - how a reduction accumulates ---------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_COMBINER_H
#define CELLGRAD_LOWER_BUFFERS_COMBINER_H

#include "passes/lower/buffers/LoopNest.h"

namespace cellgrad {

/// How an output is accumulated: `op(old, value)` with a known neutral element.
struct Combiner {
  mlir::Operation *op = nullptr;
  /// The operand that is not the old value.
  unsigned valueIndex = 0;
  mlir::TypedAttr neutral;
};

/// One for each output of the nest; `op` is null where the output is not
/// accumulated, or the combination is not recognised.
llvm::SmallVector<Combiner> findCombiners(const LoopNest &nest);

/// Half-precision results with a known combiner are accumulated in f32.
mlir::Type accumulatorElement(mlir::Type element, const Combiner &combiner);

/// `combiner` of two accumulators.
mlir::Value combine(mlir::OpBuilder &b, mlir::Location loc,
                    const Combiner &combiner, mlir::Value a, mlir::Value c);

/// A float, or a vector of floats, as one of another format.
mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, mlir::Type element);

} // namespace cellgrad

#endif
