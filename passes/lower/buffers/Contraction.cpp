//===- Contraction.cpp - contractions and convolutions --------------------===//

#include "passes/lower/buffers/Contraction.h"

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

bool isProductOfRows(linalg::GenericOp op) {
  return isSumOfProducts(op) &&
         cast<linalg::LinalgOp>(op.getOperation()).hasDynamicShape();
}

bool hasKernelTypes(linalg::GenericOp op) {
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return (element.isF32() || element.isF64()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isa<MemRefType>(operand.getType()) &&
                  getElementTypeOrSelf(operand.getType()) == element;
         });
}

/// True where each operand is read at loop variables, none of them twice.
static bool isProjection(linalg::GenericOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
}

bool isContraction(linalg::GenericOp op) {
  auto factors = productOf(op);
  return factors && isProjection(op) && !isProductOfRows(op) &&
         areInputs(op, unextended(factors->first), unextended(factors->second));
}

SmallVector<linalg::GenericOp> kernelContractionsIn(Operation *within) {
  SmallVector<linalg::GenericOp> found;
  within->walk([&](linalg::GenericOp op) {
    if (isContraction(op) && hasKernelTypes(op))
      found.push_back(op);
  });
  return found;
}

bool isConvolution(linalg::GenericOp op) {
  return isSumOfProducts(op) &&
         llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return !map.isProjectedPermutation(/*allowZeroInResults=*/true);
         });
}

std::optional<Contraction> matchContraction(linalg::GenericOp op) {
  if (!isContraction(op))
    return std::nullopt;
  FailureOr<LoopNest> nest = analyzeNest(op);
  if (failed(nest) || nest->isEmpty())
    return std::nullopt;
  nest->simplify();

  std::optional<unsigned> m, n, k;
  Contraction result{*nest, 0, 0, 0, {}};
  LoopNest &loops = result.nest;
  // The larger of two dimensions in one role is the product's; the other
  // repeats it.
  auto assign = [&](std::optional<unsigned> &role, unsigned dim) {
    if (!role) {
      role = dim;
      return;
    }
    unsigned smaller = dim;
    if (loops.sizes[dim] > loops.sizes[*role])
      std::swap(smaller, *role);
    result.batch.push_back(smaller);
  };
  for (unsigned d = 0; d < loops.rank(); ++d) {
    bool inA = loops.inputs[0].strides[d], inB = loops.inputs[1].strides[d];
    bool inC = loops.outputs[0].strides[d];
    if (loops.isReduction[d]) {
      if (!inA || !inB || k)
        return std::nullopt;
      k = d;
    } else if (!inC) {
      return std::nullopt;
    } else if (inA && inB) {
      result.batch.push_back(d);
    } else if (inA) {
      assign(m, d);
    } else if (inB) {
      assign(n, d);
    } else {
      return std::nullopt;
    }
  }
  if (!m || !n || !k)
    return std::nullopt;
  result.m = *m;
  result.n = *n;
  result.k = *k;
  // C must be contiguous along n; C transposed is B transposed times A
  // transposed.
  auto &out = loops.outputs[0];
  if (out.strides[*n] != 1) {
    if (out.strides[*m] != 1)
      return std::nullopt;
    std::swap(loops.inputs[0], loops.inputs[1]);
    std::swap(result.m, result.n);
  }
  return result;
}

/// The steps of `border` by dimensions of the nest; nothing where a loop that
/// moves it became a part of a longer one.
static std::optional<SmallVector<int64_t, 0>>
stepsByDim(const LoopNest &nest, const ZeroBorder &border) {
  linalg::GenericOp op = nest.op;
  SmallVector<int64_t, 0> steps(nest.rank(), 0);
  for (auto [dim, step, size] : llvm::zip_equal(nest.dimOfLoop, border.steps,
                                                op.getStaticLoopRanges())) {
    if (step == 0 || size == 1)
      continue;
    if (dim < 0 || nest.sizes[dim] != size)
      return std::nullopt;
    steps[dim] = step;
  }
  return steps;
}

std::optional<StridedProduct> stridedProduct(const LoopNest &nest,
                                             ArrayRef<ZeroBorder> borders) {
  StridedProduct product;
  SmallVector<SmallVector<int64_t, 0>> across(nest.rank());
  for (const ZeroBorder &border : borders)
    if (auto steps = stepsByDim(nest, border)) {
      product.borders.push_back({border.start, border.low, border.high});
      for (auto [of, step] : llvm::zip_equal(across, *steps))
        of.push_back(step);
    }
  const Access &a = nest.inputs[0], &b = nest.inputs[1], &c = nest.outputs[0];
  product.elementBits = c.elementType().getIntOrFloatBitWidth();
  for (unsigned d = 0; d < nest.rank(); ++d) {
    ProductDim dim{nest.sizes[d], a.strides[d], b.strides[d], c.strides[d],
                   across[d]};
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
