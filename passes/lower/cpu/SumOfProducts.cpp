//===- SumOfProducts.cpp - contractions and convolutions ------------------===//

#include "passes/lower/cpu/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace cellgrad {

/// `value` before it was converted to a wider type.
static Value unextended(Value value) {
  Operation *def = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(def)
             ? def->getOperand(0)
             : value;
}

/// The factors of the product that the body of `op` adds to its output, and
/// does nothing else with; nothing where the body is another one.
static std::optional<std::pair<Value, Value>> productOf(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBody();
  Operation *sum = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value out = body->getArgument(2);
  Value product = sum->getOperand(sum->getOperand(0) == out ? 1 : 0);
  Operation *mul = product.getDefiningOp();
  if (!llvm::is_contained(sum->getOperands(), out) ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul))
    return std::nullopt;
  return std::make_pair(mul->getOperand(0), mul->getOperand(1));
}

/// True when `x` and `y` are the two inputs of `op`, in any order.
static bool areInputs(linalg::GenericOp op, Value x, Value y) {
  Value a = op.getBody()->getArgument(0), b = op.getBody()->getArgument(1);
  return (x == a && y == b) || (x == b && y == a);
}

bool isSumOfProducts(linalg::GenericOp op) {
  auto factors = productOf(op);
  return factors && isa<FloatType>(factors->first.getType()) &&
         areInputs(op, factors->first, factors->second);
}

/// True where each operand is read at loop variables, none of them twice.
static bool isProjection(linalg::GenericOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
}

bool isContraction(linalg::GenericOp op) {
  auto factors = productOf(op);
  return factors && isProjection(op) &&
         areInputs(op, unextended(factors->first), unextended(factors->second));
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
