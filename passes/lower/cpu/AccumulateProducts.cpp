//===- AccumulateProducts.cpp - products that are added where they belong -===//
//
//   linalg.fill ins(0) outs(%t)
//   linalg.generic P ins(%a, %b) outs(%t)             a product
//   linalg.generic E ins(%c, %t) outs(%c)             %c + %t
//
// becomes
//
//   linalg.generic P ins(%a, %b) outs(%c)
//
// A step of a loop adds so to the gradient of a weight that all steps use. What
// follows from it, and is checked here:
//
// - Nobody else sees %t.
// - %c is written at the place of P: nothing between P and E touches it or may
//   end the call, and P does not read it.
// - The bits are the same. `cell-emit-gemm` sums a tile from zero, and then
//   adds it to what is there, once for each block of k: so there is one.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/cpu/GemmPlan.h"
#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace cellgrad {
#define GEN_PASS_DEF_ACCUMULATEPRODUCTS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Ops between a product and its sum that are looked at.
constexpr unsigned kWindow = 64;

/// True for an op that adds `added` to its result, element by element, and does
/// nothing else.
bool adds(linalg::GenericOp op, Value added) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Value result = op.getDpsInits()[0];
  Block &body = *op.getBody();
  auto sum = dyn_cast<arith::AddFOp>(body.front());
  if (!sum || sum->getNextNode() != body.getTerminator() ||
      body.getTerminator()->getOperand(0) != sum.getResult())
    return false;
  auto operandOf = [&](Value value) -> Value {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &body)
      return {};
    return op->getOperand(argument.getArgNumber());
  };
  Value left = operandOf(sum.getLhs()), right = operandOf(sum.getRhs());
  return (left == result && right == added) ||
         (left == added && right == result);
}

struct AccumulateProducts
    : cellgrad::impl::AccumulateProductsBase<AccumulateProducts> {
  using AccumulateProductsBase::AccumulateProductsBase;

  void runOnOperation() override {
    for (linalg::GenericOp product : kernelContractionsIn(getOperation()))
      accumulate(product);
  }

  void accumulate(linalg::GenericOp product) {
    Value temporary = product.getDpsInits()[0];
    linalg::FillOp fill = findFill(product, temporary);
    if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
        !temporary.getDefiningOp<memref::AllocOp>())
      return;
    linalg::GenericOp sum;
    for (Operation *user : temporary.getUsers()) {
      if (user == product || user == fill)
        continue;
      if (sum)
        return;
      sum = dyn_cast<linalg::GenericOp>(user);
      if (!sum)
        return;
    }
    if (!sum || sum->getBlock() != product->getBlock() ||
        !product->isBeforeInBlock(sum) || !adds(sum, temporary))
      return;
    Value result = sum.getDpsInits()[0];
    if (!mayBeWrittenAt(product, sum, result))
      return;
    product.setDpsInitOperand(0, result);
    std::optional<Contraction> contraction = matchContraction(product);
    if (!contraction || !isOneBlock(*contraction)) {
      product.setDpsInitOperand(0, temporary);
      return;
    }
    fill->erase();
    sum->erase();
    temporary.getDefiningOp()->erase();
  }

  bool isOneBlock(const Contraction &contraction) {
    GemmShape shape = shapeOf(contraction);
    return planGemm(shape, *target).depthBlock >= shape.k;
  }

  /// True when it makes no difference whether `product`, and not `sum` after
  /// it, writes to `result`.
  static bool mayBeWrittenAt(linalg::GenericOp product, linalg::GenericOp sum,
                             Value result) {
    Value root = rootOf(result);
    if (!isDistinctRoot(root) || root == rootOf(product.getDpsInits()[0]))
      return false;
    if (Operation *view = result.getDefiningOp();
        view && view->getBlock() == product->getBlock() &&
        !view->isBeforeInBlock(product))
      return false;
    for (Value input : product.getDpsInputs())
      if (!isKnownRoot(rootOf(input)) || rootOf(input) == root)
        return false;
    MemoryUse use;
    use.add(result, /*writes=*/true);
    unsigned passed = 0;
    for (Operation *op = product->getNextNode(); op != sum;
         op = op->getNextNode())
      if (++passed > kWindow || use.conflictsWith(op))
        return false;
    return true;
  }
};

} // namespace
