//===- SumOfProducts.cpp - contractions and convolutions ------------------===//

#include "passes/lower/cpu/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace cellgrad {

bool isSumOfProducts(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return false;
  Block *body = op.getBody();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || body->getOperations().size() != 3)
    return false;
  Value product;
  if (sum.getLhs() == body->getArgument(2))
    product = sum.getRhs();
  else if (sum.getRhs() == body->getArgument(2))
    product = sum.getLhs();
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  return mul && ((mul.getLhs() == body->getArgument(0) &&
                  mul.getRhs() == body->getArgument(1)) ||
                 (mul.getLhs() == body->getArgument(1) &&
                  mul.getRhs() == body->getArgument(0)));
}

bool isConvolution(linalg::GenericOp op) {
  return isSumOfProducts(op) &&
         llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

std::optional<StridedProduct> stridedProduct(const LoopNest &nest) {
  StridedProduct product;
  const Access &a = nest.inputs[0], &b = nest.inputs[1], &c = nest.outputs[0];
  product.elementBits = c.elementType().getIntOrFloatBitWidth();
  for (unsigned d = 0; d < nest.rank(); ++d) {
    TileDim dim{nest.sizes[d], a.strides[d], b.strides[d], c.strides[d]};
    bool inA = dim.a != 0, inB = dim.b != 0, inC = dim.c != 0;
    if (nest.isReduction[d] == inC || (!inA && !inB))
      return std::nullopt;
    if (!inC && !(inA && inB))
      return std::nullopt;
    (!inC   ? product.depth
     : !inB ? product.rows
     : !inA ? product.columns
            : product.batch)
        .push_back(dim);
  }
  return product;
}

} // namespace cellgrad
