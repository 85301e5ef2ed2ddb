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
// and where E adds several products, each goes there, one after the other. A
// step of a loop adds so to the gradient of a weight that all steps use. What
// follows from it, and is checked here:
//
// - Nobody else sees %t.
// - %c is written at the place of P: nothing between P and E touches it or may
//   end the call, and P does not read it.
// - A product is rounded as it was: `cell-emit-gemm` sums a tile from zero, and
//   then adds it to what is there, once for each block of k. So there is one.
//   Of one product all bits are the same; several are added in the order in
//   which they are computed.
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
constexpr unsigned kWindow = 256;

/// True for an op that adds numbers to its result, element by element, and does
/// nothing else.
bool isSum(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  Block &body = *op.getBody();
  Operation *end = body.getTerminator();
  if (end->getOperand(0).getDefiningOp() != end->getPrevNode())
    return false;
  for (Operation &inner : body.without_terminator())
    if (!isa<arith::AddFOp>(inner) || !inner.getResult(0).hasOneUse())
      return false;
  return true;
}

/// The addition of `value` in a sum that reads it once; null otherwise.
arith::AddFOp additionOf(linalg::GenericOp sum, Value value) {
  OpOperand *found = nullptr;
  for (OpOperand &operand : sum->getOpOperands())
    if (operand.get() == value) {
      if (found)
        return {};
      found = &operand;
    }
  BlockArgument argument = sum.getMatchingBlockArgument(found);
  return argument.hasOneUse()
             ? dyn_cast<arith::AddFOp>(*argument.getUsers().begin())
             : arith::AddFOp();
}

/// True when a sum adds to what its result holds, and reads its memory at no
/// other place: a product before it has changed that.
bool addsToResult(linalg::GenericOp sum) {
  Value result = sum.getDpsInits()[0];
  unsigned uses = 0;
  for (OpOperand &operand : sum->getOpOperands()) {
    Value value = operand.get();
    if (value == result)
      uses +=
          llvm::range_size(sum.getMatchingBlockArgument(&operand).getUsers());
    else if (isa<BaseMemRefType>(value.getType()) &&
             (!isKnownRoot(rootOf(value)) || rootOf(value) == rootOf(result)))
      return false;
  }
  return uses == 1;
}

/// Takes `value` out of a sum that reads it once.
void dropTerm(linalg::GenericOp sum, Value value, arith::AddFOp addition) {
  unsigned place = 0;
  while (sum->getOperand(place) != value)
    ++place;
  BlockArgument argument = sum.getBody()->getArgument(place);
  addition.replaceAllUsesWith(
      addition.getLhs() == argument ? addition.getRhs() : addition.getLhs());
  addition.erase();
  sum.getBody()->eraseArgument(place);
  SmallVector<AffineMap> maps = sum.getIndexingMapsArray();
  maps.erase(maps.begin() + place);
  sum.getInputsMutable().erase(place);
  sum.setIndexingMapsAttr(
      Builder(sum.getContext()).getAffineMapArrayAttr(maps));
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
        !product->isBeforeInBlock(sum) || !isSum(sum) || !addsToResult(sum))
      return;
    arith::AddFOp addition = additionOf(sum, temporary);
    if (!addition)
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
    dropTerm(sum, temporary, addition);
    if (sum.getBody()->without_terminator().empty()) // of what is there alone
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
