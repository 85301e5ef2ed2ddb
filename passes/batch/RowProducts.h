//===- RowProducts.h - products of as many rows as a batch has ------------===//
//
// A layer multiplies the rows of all samples by its weights, and the gradient
// of the weights is a product that sums over the samples. Tile by tile, each
// part reads all of the weights, and reads and writes all of the gradient.
// Where the samples are in memory, each is one product, of as many rows as the
// batch has when the code runs.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_ROWPRODUCTS_H
#define CELLGRAD_BATCH_ROWPRODUCTS_H

#include "passes/batch/TileLoops.h"

#include "dialect/CellDialect.h"

namespace cellgrad {

/// What a product does with the rows of a batch.
enum class RowProduct {
  None, ///< nothing that could be done for all of them at once
  Sum,  ///< it sums over the rows of both operands, and has none
  Each, ///< it multiplies each row by a matrix that all share
};

/// Of a product of matrices of float32 or float64 whose operands have some rows
/// for a sample, in order. A matrix of one column is a vector: what that adds
/// to is small. So is a matrix of few elements that each tile reads.
RowProduct rowProductOf(MatMulOp op, const OpenBatch &batch,
                        const SampleFlow &flow);

/// Whether each tile that computes `op` reads a large matrix that all samples
/// share, or filters of convolutions, which are packed.
bool readsMuchPerTile(mlir::Operation *op, const OpenBatch &batch);

/// Whether a value is an input, or its samples in another shape: it is in
/// memory for all of a batch.
bool isInputInRows(mlir::Value value, const OpenBatch &batch,
                   const SampleFlow &flow);

/// The product of `lhs` and `rhs`, which have the rows of `op`'s operands for
/// each sample, or are the operand where it has none. Tensors of a known number
/// of samples have room for `samples`, and those of the stand-in's size have
/// all of the batch. What `RowProduct::Each` gives has room for `most` samples.
mlir::Value productOfRows(mlir::OpBuilder &b, MatMulOp op, RowProduct kind,
                          mlir::Value lhs, mlir::Value rhs, SomeSamples samples,
                          int64_t most, const OpenBatch &batch);

} // namespace cellgrad

#endif
