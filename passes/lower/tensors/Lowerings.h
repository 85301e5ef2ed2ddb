//===- Lowerings.h - ops of the dialect as linalg, tensor, arith, scf -----===//

#ifndef CELLGRAD_LOWER_TENSORS_LOWERINGS_H
#define CELLGRAD_LOWER_TENSORS_LOWERINGS_H

#include "dialect/CellDialect.h"

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// Replaces a structured op by ops of upstream dialects on tensors; fails where
/// it cannot for the types of the op. One that nobody defines is an undefined
/// symbol when a tool is linked.
#define CELL_STRUCTURED_OP(OpT)                                                \
  llvm::LogicalResult lower(OpT op, mlir::PatternRewriter &rewriter);
#include "dialect/StructuredOps.inc"

/// The lowering of one structured op.
template <typename OpT>
struct StructuredLowering : mlir::OpRewritePattern<OpT> {
  using mlir::OpRewritePattern<OpT>::OpRewritePattern;
  llvm::LogicalResult
  matchAndRewrite(OpT op, mlir::PatternRewriter &rewriter) const override {
    return cellgrad::lower(op, rewriter);
  }
};

/// The lowerings of all structured ops that are `sequential`, or of all that
/// are not.
template <bool sequential>
void populateLowerings(mlir::RewritePatternSet &patterns) {
#define CELL_STRUCTURED_OP(OpT)                                                \
  if constexpr (OpT::hasTrait<Sequential>() == sequential)                     \
    patterns.add<StructuredLowering<OpT>>(patterns.getContext());
#include "dialect/StructuredOps.inc"
}

/// Patterns that make several smaller convolutions of one over a tensor with
/// zeros between its elements. They see cell ops, so they come first.
void populateConvolutionPhases(mlir::RewritePatternSet &patterns);

/// Sums of parts with zeros around them that put the parts one after the other.
/// They come first, too.
void populateSumsOfPads(mlir::RewritePatternSet &patterns);

/// What is not a structured op: checks, constants, scalar functions on every
/// element, and whatever gives a tensor of no elements.
void populateCheckToLinalg(mlir::RewritePatternSet &patterns);
void populateElementwiseToLinalg(mlir::RewritePatternSet &patterns);
void populateEmptyResultToLinalg(mlir::RewritePatternSet &patterns);

} // namespace cellgrad

#endif
