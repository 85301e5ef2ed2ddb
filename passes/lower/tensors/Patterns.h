//===- Patterns.h - families of cell to linalg patterns -------------------===//

#ifndef CELLGRAD_LOWER_TENSORS_PATTERNS_H
#define CELLGRAD_LOWER_TENSORS_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// Patterns that make several smaller convolutions of one over a tensor with
/// zeros between its elements. They see cell ops, so they come first.
void populateConvolutionPhases(mlir::RewritePatternSet &patterns);

void populateCheckToLinalg(mlir::RewritePatternSet &patterns);
void populateElementwiseToLinalg(mlir::RewritePatternSet &patterns);
void populateIndexToLinalg(mlir::RewritePatternSet &patterns);
void populateRandomToLinalg(mlir::RewritePatternSet &patterns);
void populateReductionToLinalg(mlir::RewritePatternSet &patterns);
void populateShapeToLinalg(mlir::RewritePatternSet &patterns);
void populateWindowsToLinalg(mlir::RewritePatternSet &patterns);

} // namespace cellgrad

#endif
