//===- SumOfProducts.h - contractions and convolutions --------------------===//

#ifndef CELLGRAD_LOWER_CPU_SUMOFPRODUCTS_H
#define CELLGRAD_LOWER_CPU_SUMOFPRODUCTS_H

#include "passes/lower/cpu/LoopNest.h"
#include "passes/lower/cpu/TilePlan.h"

namespace cellgrad {

/// True for out += a * b of floating point operands.
bool isSumOfProducts(mlir::linalg::GenericOp op);

/// True for out += a * b of floating point numbers or integers, where each
/// operand is read at loop variables. The inputs may be converted to a wider
/// type, as those of a product of half precision; nothing else stands between
/// product and sum. (Upstream's test of the body looks through unary ops: the
/// sum of abs(a * b) passes it.)
bool isContraction(mlir::linalg::GenericOp op);

/// True for a sum of products that reads an operand through windows: its map
/// adds loop variables.
bool isConvolution(mlir::linalg::GenericOp op);

/// A nest of a sum of products as the product of its two inputs; nothing where
/// a dimension has none of the roles.
std::optional<StridedProduct> stridedProduct(const LoopNest &nest);

} // namespace cellgrad

#endif
