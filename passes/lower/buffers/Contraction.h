//===- Contraction.h - contractions and convolutions ----------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_CONTRACTION_H
#define CELLGRAD_LOWER_BUFFERS_CONTRACTION_H

#include "passes/lower/buffers/LoopNest.h"
#include "passes/lower/buffers/ZeroBorder.h"

namespace cellgrad {

/// True for out += a * b of floating point operands.
bool isSumOfProducts(mlir::linalg::GenericOp op);

/// True for a product C[m, n] += A[k, m] * B[k, n] of the rows of a batch, as
/// many as there are when the code runs (cell-tile-batch). It is no contraction
/// for what follows, whose plans are made from sizes.
bool isProductOfRows(mlir::linalg::GenericOp op);

/// True when all operands are memrefs of f32 or all of f64.
bool hasKernelTypes(mlir::linalg::GenericOp op);

/// True for out += a * b of floating point numbers or integers, where each
/// operand is read at loop variables. The inputs may be converted to a wider
/// type, as those of a product of half precision; nothing else stands between
/// product and sum. (Upstream's test of the body looks through unary ops: the
/// sum of abs(a * b) passes it.)
bool isContraction(mlir::linalg::GenericOp op);

/// The contractions inside of `within` that have such types, in order.
llvm::SmallVector<mlir::linalg::GenericOp>
kernelContractionsIn(mlir::Operation *within);

/// True for a sum of products that reads an operand through windows: its map
/// adds loop variables.
bool isConvolution(mlir::linalg::GenericOp op);

/// The roles that the dimensions of a contraction play.
struct Contraction {
  LoopNest nest;
  /// Dimensions of the product itself, and those that repeat it.
  unsigned m, n, k;
  llvm::SmallVector<unsigned> batch;
};

/// Recognises out += lhs * rhs, with the product's dimensions all present, and
/// the result contiguous along one of them; vectors and scalars are another
/// matter.
std::optional<Contraction> matchContraction(mlir::linalg::GenericOp op);

/// One loop with the distance, in elements, that a step moves in each operand.
struct ProductDim {
  int64_t size = 1;
  int64_t a = 0, b = 0, c = 0;
  /// How far a step moves across each border of the product; none where all
  /// stay.
  llvm::SmallVector<int64_t, 0> borders;

  int64_t across(unsigned border) const {
    return borders.empty() ? 0 : borders[border];
  }
};

/// Terms of a sum whose position is outside of [low, high) are zero. The
/// position of the first one is `start`, and loops move it.
struct ProductBorder {
  int64_t start, low, high;
};

/// C += A * B. Dimensions are outermost first.
struct StridedProduct {
  llvm::SmallVector<ProductDim> batch;   ///< in A, B and C
  llvm::SmallVector<ProductDim> rows;    ///< in A and C
  llvm::SmallVector<ProductDim> columns; ///< in B and C
  llvm::SmallVector<ProductDim> depth;   ///< in A and B: summed over
  llvm::SmallVector<ProductBorder> borders;
  unsigned elementBits = 32;
};

/// A nest of a sum of products as the product of its two inputs, with those of
/// the op's `borders` that its dimensions can follow; nothing where a dimension
/// has none of the roles.
std::optional<StridedProduct>
stridedProduct(const LoopNest &nest, llvm::ArrayRef<ZeroBorder> borders);

} // namespace cellgrad

#endif
