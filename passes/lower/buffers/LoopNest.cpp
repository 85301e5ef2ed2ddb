//===- LoopNest.cpp - a linalg op as loops over constant-stride accesses --===//

#include "passes/lower/buffers/LoopNest.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace cellgrad {

Type Access::elementType() const {
  return getElementTypeOrSelf(memref.getType());
}

bool addLinear(AffineExpr expr, int64_t scale, MutableArrayRef<int64_t> steps,
               int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    steps[dim.getPosition()] += scale;
    return true;
  }
  if (auto term = dyn_cast<AffineConstantExpr>(expr)) {
    constant += scale * term.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, steps, constant) &&
           addLinear(binary.getRHS(), scale, steps, constant);
  if (binary.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return addLinear(binary.getLHS(), scale * factor.getValue(), steps,
                       constant);
  return false;
}

/// The strides of a memref of static shape and strides.
static FailureOr<SmallVector<int64_t>> staticStrides(Type memref) {
  auto type = dyn_cast<MemRefType>(memref);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return failure();
  return strides;
}

static FailureOr<Access> analyzeAccess(linalg::GenericOp op,
                                       OpOperand &operand) {
  Access access;
  access.memref = operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  access.strides.assign(map.getNumDims(), 0);
  if (access.isScalar())
    return access;
  FailureOr<SmallVector<int64_t>> strides =
      staticStrides(operand.get().getType());
  if (failed(strides))
    return cellgrad::refuse(op, cellgrad::Blame::Form)
           << "operand #" << operand.getOperandNumber()
           << " must be a memref of static shape and strides, but is "
           << operand.get().getType();
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), *strides))
    if (!addLinear(expr, stride, access.strides, access.offset))
      return cellgrad::refuse(op, cellgrad::Blame::Form)
             << "indexing map " << AffineMapAttr::get(map)
             << " is not linear in the loop variables; only sums of "
             << "constant multiples can be lowered";
  return access;
}

FailureOr<LoopNest> analyzeNest(linalg::GenericOp op) {
  LoopNest nest;
  nest.op = op;
  nest.sizes = op.getStaticLoopRanges();
  if (llvm::any_of(nest.sizes, ShapedType::isDynamic))
    return cellgrad::refuse(op, cellgrad::Blame::Form)
           << "must have a static iteration space";
  if (nest.isEmpty())
    return nest;
  for (utils::IteratorType kind : op.getIteratorTypesArray())
    nest.isReduction.push_back(kind == utils::IteratorType::reduction);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    FailureOr<Access> access = analyzeAccess(op, *operand);
    if (failed(access))
      return failure();
    nest.inputs.push_back(std::move(*access));
  }
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    FailureOr<Access> access = analyzeAccess(op, operand);
    if (failed(access))
      return failure();
    nest.outputs.push_back(std::move(*access));
  }
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    if (failed(staticStrides(load.getMemRefType())))
      return cellgrad::refuse(load, cellgrad::Blame::Form)
             << "must read a memref of static shape and strides, not "
             << load.getMemRefType();
  for (unsigned i = 0; i < nest.rank(); ++i)
    nest.dimOfLoop.push_back(i);
  return nest;
}

template <typename Fn> static void forEachAccess(LoopNest &nest, Fn fn) {
  llvm::for_each(nest.inputs, fn);
  llvm::for_each(nest.outputs, fn);
}

bool LoopNest::isAccumulated(unsigned output) const {
  for (unsigned d = 0; d < rank(); ++d)
    if (isReduction[d] && outputs[output].strides[d] != 0)
      return false;
  return hasReduction();
}

void LoopNest::permute(ArrayRef<unsigned> order) {
  auto apply = [&](auto &values) {
    auto old = values;
    for (auto [i, from] : llvm::enumerate(order))
      values[i] = old[from];
  };
  apply(sizes);
  apply(isReduction);
  forEachAccess(*this, [&](Access &access) { apply(access.strides); });
  SmallVector<int64_t> newPosition(order.size());
  for (auto [i, from] : llvm::enumerate(order))
    newPosition[from] = i;
  for (int64_t &dim : dimOfLoop)
    dim = dim < 0 ? dim : newPosition[dim];
}

void LoopNest::simplify() {
  // A body that asks for an index needs its own loop variable.
  SmallVector<bool> pinned(rank(), false);
  op.getBody()->walk([&](linalg::IndexOp index) {
    int64_t dim = dimOfLoop[index.getDim()];
    if (dim >= 0)
      pinned[dim] = true;
  });
  auto remove = [&](unsigned d) {
    sizes.erase(sizes.begin() + d);
    isReduction.erase(isReduction.begin() + d);
    pinned.erase(pinned.begin() + d);
    forEachAccess(*this,
                  [&](Access &a) { a.strides.erase(a.strides.begin() + d); });
    for (int64_t &dim : dimOfLoop)
      dim = dim == static_cast<int64_t>(d) ? -1 : dim > d ? dim - 1 : dim;
  };
  for (unsigned d = rank(); d-- > 0;)
    if (sizes[d] == 1)
      remove(d);
  for (unsigned d = rank(); d-- > 1;) {
    if (isReduction[d - 1] != isReduction[d] || pinned[d] || pinned[d - 1])
      continue;
    bool contiguous = true;
    forEachAccess(*this, [&](Access &a) {
      contiguous &= a.strides[d - 1] == a.strides[d] * sizes[d];
    });
    if (!contiguous)
      continue;
    sizes[d] *= sizes[d - 1];
    remove(d - 1);
  }
}

} // namespace cellgrad
