//===- RowProduct.h - products that run on a few rows at a time -----------===//

#ifndef CELLGRAD_LOWER_FUSE_ROWPRODUCT_H
#define CELLGRAD_LOWER_FUSE_ROWPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// The smallest tile of rows that a product among other ops is computed on: a
/// register tile reads B again for each.
constexpr int64_t kFewestRowsOfProduct = 8;

/// The same for tiles that run one after the other: these are not shared.
constexpr int64_t kFewestRowsInOrder = 32;

/// So many parts of a sum of products are kept at most, and of so many rows
/// each of their products is at least: an item reads and writes all of its part
/// for each.
constexpr int64_t kMostPartsOfSum = 8, kFewestRowsOfSum = 16;

/// What a buffer takes in memory.
int64_t bytesOf(mlir::Value memref);

/// C[i, j] += A[i, k] * B[k, j], with i as the items, which all read B. All may
/// have dimensions of one element before these.
struct RowProduct {
  mlir::OpOperand *b;
  /// True when B is stored as [j, k]: each tile would transpose it again.
  bool isTransposed;
};

/// `op` as such a product whose loop i is `dim`, with elements that products
/// have kernels for; nothing where it is another.
std::optional<RowProduct> rowProduct(mlir::linalg::LinalgOp op, unsigned dim);

/// True for C[m, n] += A[i, m] * B[i, n], with i as the items: each adds to C.
bool addsRowProducts(mlir::linalg::LinalgOp op, unsigned dim);

/// True when a product adds to a small C that its loop only adds products to,
/// from its first step to its last: parts of it may be added up behind the
/// loop.
bool addsUpInLoop(mlir::linalg::LinalgOp product);

/// True when `matrix` is there before `loop` begins, and nothing in the loop
/// writes it. Never for a loop over tiles of a batch, which may not run: what
/// is made before it would be for nothing.
bool isFixedIn(mlir::Operation *loop, mlir::Value matrix);

/// A copy of the transposed B, made at `place`, or before the loop around if
/// nothing in it writes B.
mlir::Value transposedCopy(mlir::Operation *place, mlir::Value matrix);

/// Lets `op`, a clone of a product with a transposed B, read `straight`
/// instead.
void readStraight(mlir::linalg::GenericOp op, unsigned operand,
                  mlir::Value straight);

} // namespace cellgrad

#endif
