//===- Patterns.h - families of cell to linalg patterns -------------------===//

#ifndef CELLGRAD_LOWER_LINALG_PATTERNS_H
#define CELLGRAD_LOWER_LINALG_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// Patterns that make several smaller convolutions of one over a tensor with
/// zeros between its elements. They see cell ops, so they come first.
void populateConvolutionPhases(mlir::RewritePatternSet &patterns);

void populateCheckToLinalg(mlir::RewritePatternSet &patterns);
void populateCholeskyToLinalg(mlir::RewritePatternSet &patterns);
void populateElementwiseToLinalg(mlir::RewritePatternSet &patterns);
void populateIndexToLinalg(mlir::RewritePatternSet &patterns);
void populateLUToLinalg(mlir::RewritePatternSet &patterns);
void populateQRToLinalg(mlir::RewritePatternSet &patterns);
void populateRandomToLinalg(mlir::RewritePatternSet &patterns);
void populateReductionToLinalg(mlir::RewritePatternSet &patterns);
void populateScanToLinalg(mlir::RewritePatternSet &patterns);
void populateScatterToLinalg(mlir::RewritePatternSet &patterns);
void populateShapeToLinalg(mlir::RewritePatternSet &patterns);
void populateWindowsToLinalg(mlir::RewritePatternSet &patterns);
void populateSortToLinalg(mlir::RewritePatternSet &patterns);

/// An uninitialised tensor of `type`.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type);

/// A tensor of `type` filled with `value` of its element type.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Type type, mlir::TypedAttr value);

/// The type that sums of `type` are accumulated in: those of half precision in
/// f32, to be rounded once.
mlir::Type accumulatorType(mlir::Type type);

/// `x` with its elements converted to those of `type`, of the same shape.
mlir::Value convertElements(mlir::PatternRewriter &rewriter, mlir::Location loc,
                            mlir::Value x, mlir::RankedTensorType type);

/// The integer `index` as an index that is never outside a dimension of `size`.
mlir::Value clampedIndex(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value index, int64_t size);

/// `x` with each group of neighbouring dimensions, of the given numbers, as
/// one; groups of none leave none.
mlir::Value collapseGroups(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value x, llvm::ArrayRef<int64_t> groups);

/// The inverse: `x` with the dimensions of `type`.
mlir::Value expandGroups(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value x, mlir::RankedTensorType type,
                         llvm::ArrayRef<int64_t> groups);

} // namespace cellgrad

#endif
