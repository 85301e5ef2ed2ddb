//===- Builders.h - pieces of linalg that many lowerings are made of ------===//

#ifndef CELLGRAD_LOWER_TENSORS_BUILDERS_H
#define CELLGRAD_LOWER_TENSORS_BUILDERS_H

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

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

/// `row` with a leading dimension of `count`.
mlir::RankedTensorType withRows(mlir::RankedTensorType row, int64_t count);

/// The element of `tensor` at a position of its leading dimension, of type
/// `row`.
mlir::Value readRow(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor, mlir::RankedTensorType row,
                    mlir::Value position);

/// `tensor` with `row` at a position of its leading dimension.
mlir::Value writeRow(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value row, mlir::Value tensor, mlir::Value position);

} // namespace cellgrad

#endif
