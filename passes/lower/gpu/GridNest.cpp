//===- GridNest.cpp - ops whose results a grid can share ------------------===//

#include "passes/lower/gpu/GridNest.h"

#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cellgrad;

static bool hasStaticStrides(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return !isa<BaseMemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

/// Every step of the parallel loops has a place in the output, and other loops
/// do not move through it.
static bool hasPlaces(linalg::LinalgOp op, OpOperand &out) {
  AffineMap map = op.getMatchingIndexingMap(&out);
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool moves = map.isFunctionOfDim(loop);
    bool isParallel = kind == utils::IteratorType::parallel;
    if (sizes[loop] != 1 && moves != isParallel)
      return false;
  }
  return true;
}

int64_t cellgrad::gridSteps(Operation *op) {
  if (!llvm::all_of(op->getOperands(), hasStaticStrides))
    return 0;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return copy.getSource() == copy.getTarget()
               ? 0
               : cast<MemRefType>(copy.getTarget().getType()).getNumElements();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureBufferSemantics())
    return 0;
  for (OpOperand &out : linalgOp.getDpsInitsMutable())
    if (!hasPlaces(linalgOp, out))
      return 0;
  int64_t steps = 1;
  for (int64_t size : linalgOp.getStaticLoopRanges())
    steps *= size;
  return steps;
}

SmallVector<Operation *> cellgrad::fillsOfGrid(Operation *op) {
  SmallVector<Operation *> fills;
  auto generic = dyn_cast<linalg::LinalgOp>(op);
  if (!generic || isa<linalg::FillOp>(op))
    return fills;
  llvm::SmallDenseMap<Value, unsigned> uses;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<BaseMemRefType>(operand.getType()))
        ++uses[rootOf(operand)];
  });
  bool apart = llvm::all_of(uses, [](auto use) {
    return isDistinctRoot(use.first) ||
           use.first.template getDefiningOp<memref::GetGlobalOp>();
  });
  if (!apart)
    return fills;
  for (Value out : generic.getDpsInits())
    if (uses[rootOf(out)] == 1)
      if (linalg::FillOp fill = findFill(op, out))
        fills.push_back(fill);
  llvm::sort(fills,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return fills;
}
