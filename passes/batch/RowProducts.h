//===- RowProducts.h - products that sum over all of a batch --------------===//
//
// The gradient of a layer's weights is a product that sums over the samples.
// Tile by tile, each part of it reads and writes all of the gradient. Where the
// samples of both operands are in memory, it is one product, of as many rows as
// the batch has when the code runs.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_ROWPRODUCTS_H
#define CELLGRAD_BATCH_ROWPRODUCTS_H

#include "passes/batch/SampleFlow.h"

#include "dialect/CellDialect.h"

namespace cellgrad {

/// True for a product of matrices of float32 or float64 that sums over the rows
/// of both operands, each of which has some for a sample, in order. A matrix of
/// one column is a vector: what that adds to is small.
bool isProductOfRows(MatMulOp op, const OpenBatch &batch,
                     const SampleFlow &flow);

/// The product of the first `samples` of `lhs` and `rhs`, which have the rows
/// that `op`'s operands have for a sample, and room for all of a batch.
mlir::Value productOfRows(mlir::OpBuilder &b, MatMulOp op, mlir::Value lhs,
                          mlir::Value rhs, mlir::Value samples,
                          const OpenBatch &batch);

} // namespace cellgrad

#endif
