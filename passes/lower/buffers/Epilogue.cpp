//===- Epilogue.cpp - elementwise ops on the results of products ----------===//

#include "passes/lower/buffers/Epilogue.h"

#include "passes/lower/buffers/BodyIndices.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace cellgrad {

linalg::GenericOp findEpilogue(Operation *product) {
  Operation *op = product->getNextNode();
  while (op && (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)))
    op = op->getNextNode();
  auto epilogue = dyn_cast_or_null<linalg::GenericOp>(op);
  return epilogue && epilogue->hasAttr(kEpilogue) ? epilogue
                                                  : linalg::GenericOp();
}

Value unreshaped(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

bool isUsedOnlyBy(Value memref, ArrayRef<Operation *> ops) {
  Value buffer = unreshaped(memref);
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return false;
  SmallVector<Value> views{buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user))
        views.push_back(user->getResult(0));
      else if (!llvm::is_contained(ops, user))
        return false;
    }
  return true;
}

/// The loops of `own` taken together or apart so that they are those of
/// `loops`, by where they lead in an operand that both have: `c` there, and
/// that of number `common` among the inputs, then outputs, of `own`.
static std::optional<LoopNest> alignTo(const LoopNest &loops, const Access &c,
                                       LoopNest own, unsigned common) {
  SmallVector<Access *> from;
  for (Access &access : own.inputs)
    from.push_back(&access);
  for (Access &access : own.outputs)
    from.push_back(&access);
  SmallVector<SmallVector<int64_t>> strides(
      from.size(), SmallVector<int64_t>(loops.rank(), 0));
  auto innermostFirst = [](const LoopNest &nest, const Access &access) {
    SmallVector<unsigned> dims;
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (nest.sizes[d] != 1 && !nest.isReduction[d])
        dims.push_back(d);
    llvm::sort(dims, [&](unsigned x, unsigned y) {
      return access.strides[x] < access.strides[y];
    });
    return dims;
  };
  SmallVector<unsigned> dims = innermostFirst(own, *from[common]);
  auto next = dims.begin();
  for (unsigned d : innermostFirst(loops, c)) {
    int64_t covered = 1;
    while (covered < loops.sizes[d]) {
      if (next == dims.end() ||
          from[common]->strides[*next] != c.strides[d] * covered)
        return std::nullopt;
      for (auto [access, aligned] : llvm::zip_equal(from, strides)) {
        if (covered == 1)
          aligned[d] = access->strides[*next];
        else if (access->strides[*next] != aligned[d] * covered)
          return std::nullopt;
      }
      int64_t left = loops.sizes[d] / covered, &size = own.sizes[*next];
      if (size <= left && left % size == 0) {
        covered *= size;
        ++next;
      } else if (size % left == 0) {
        // The rest of the loop belongs to the next one of the product.
        covered *= left;
        size /= left;
        for (Access *access : from)
          access->strides[*next] *= left;
      } else {
        return std::nullopt;
      }
    }
  }
  if (next != dims.end())
    return std::nullopt;
  for (auto [access, aligned] : llvm::zip_equal(from, strides))
    access->strides = aligned;
  own.sizes = loops.sizes;
  own.isReduction.assign(loops.rank(), false);
  own.dimOfLoop.assign(own.dimOfLoop.size(), -1);
  return own;
}

std::optional<LoopNest> epilogueNest(const Contraction &product,
                                     linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.hasDynamicShape() ||
      op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics() ||
      !bodyLoads(op).empty())
    return std::nullopt;
  const Access &c = product.nest.outputs[0];
  Value result = unreshaped(c.memref);
  std::optional<unsigned> common;
  for (OpOperand &operand : op->getOpOperands())
    if (unreshaped(operand.get()) == result &&
        op.payloadUsesValueFromOperand(&operand) && !common)
      common = operand.getOperandNumber();
  if (!common)
    return std::nullopt;
  FailureOr<LoopNest> own = analyzeNest(op);
  if (failed(own) || own->isEmpty())
    return std::nullopt;
  std::optional<LoopNest> nest = alignTo(product.nest, c, *own, *common);
  if (!nest)
    return std::nullopt;
  auto isAligned = [&](const Access &access, bool isOutput) {
    if (access.isScalar())
      return true;
    if (rootOf(access.memref) == rootOf(result) &&
        (unreshaped(access.memref) != result || access.offset != c.offset ||
         access.strides != c.strides))
      return false;
    int64_t stride = access.strides[product.n];
    return stride == 1 || (stride == 0 && !isOutput);
  };
  for (const Access &access : nest->inputs)
    if (!isAligned(access, false))
      return std::nullopt;
  for (const Access &access : nest->outputs) {
    if (!isAligned(access, true))
      return std::nullopt;
    for (unsigned d = 0; d < nest->rank(); ++d)
      if (d != product.k && access.strides[d] == 0)
        return std::nullopt;
  }
  return nest;
}

} // namespace cellgrad
