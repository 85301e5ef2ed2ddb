//===- MemoryRoots.cpp - which memory a buffer is in ----------------------===//

#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace cellgrad {

Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool isDistinctRoot(Value root) {
  if (auto arg = dyn_cast<BlockArgument>(root))
    return isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
  return root.getDefiningOp<memref::AllocOp>() != nullptr;
}

bool forEachBuffer(Operation *op,
                   llvm::function_ref<void(Value buffer, bool writes)> visit) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BaseMemRefType>(operand.get().getType()))
        visit(operand.get(), linalgOp.isDpsInit(&operand));
    for (auto load : linalgOp.getBlock()->getOps<memref::LoadOp>())
      visit(load.getMemRef(), false);
    return true;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    visit(copy.getSource(), false);
    visit(copy.getTarget(), true);
    return true;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    visit(load.getMemRef(), false);
    return true;
  }
  return isa<memref::AllocOp>(op) || isMemoryEffectFree(op);
}

bool isKnownRoot(Value root) {
  return isDistinctRoot(root) || root.getDefiningOp<memref::GetGlobalOp>();
}

void forEachTouched(Operation *op, llvm::function_ref<void(Value root)> visit) {
  op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return;
    for (Value operand : inner->getOperands())
      if (isa<BaseMemRefType>(operand.getType()))
        visit(rootOf(operand));
  });
}

bool mayTouch(Operation *op, Value root) {
  bool touches = false;
  forEachTouched(op, [&](Value other) {
    touches |= other == root || !isKnownRoot(other);
  });
  return touches;
}

void MemoryUse::add(Value buffer, bool writes) {
  Value root = rootOf(buffer);
  touched.insert(root);
  if (writes)
    written.insert(root);
  unknown |= !isKnownRoot(root);
}

bool MemoryUse::add(Operation *op) {
  return forEachBuffer(op,
                       [&](Value buffer, bool writes) { add(buffer, writes); });
}

bool MemoryUse::conflictsWith(Operation *op) const {
  bool conflict = false;
  bool known = forEachBuffer(op, [&](Value buffer, bool writes) {
    Value root = rootOf(buffer);
    conflict |= unknown || !isKnownRoot(root) ||
                (writes ? touched.contains(root) : written.contains(root));
  });
  return !known || conflict;
}

} // namespace cellgrad
