//===- LoopOfOp.h - loops that are a part of one op -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_TENSORS_LOOPOFOP_H
#define CELLGRAD_LOWER_TENSORS_LOOPOFOP_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace cellgrad {

/// Marks an scf.for that one op of the program became, or a part of it.
constexpr llvm::StringLiteral kLoopOfOp = "cell.loop_of_op";

/// Applies the patterns everywhere in `root`, and marks the loops they make.
void lowerAndMarkLoops(mlir::Operation *root,
                       const mlir::FrozenRewritePatternSet &patterns);

} // namespace cellgrad

#endif
