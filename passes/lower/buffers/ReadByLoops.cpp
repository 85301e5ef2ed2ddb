//===- ReadByLoops.cpp - what parallel loops read and do not write --------===//

#include "passes/lower/buffers/ReadByLoops.h"

#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

/// Whether an op in `loop` may write to memory of `root`.
static bool mayWrite(Operation *loop, Value root) {
  auto isOfRoot = [&](Value buffer) {
    Value other = cellgrad::rootOf(buffer);
    return other == root || !cellgrad::isKnownRoot(other);
  };
  return loop
      ->walk([&](Operation *op) {
        auto known = dyn_cast<MemoryEffectOpInterface>(op);
        if (!known) // those in it say
          return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        SmallVector<MemoryEffects::EffectInstance> effects;
        known.getEffects(effects);
        for (const MemoryEffects::EffectInstance &effect : effects)
          if (isa<MemoryEffects::Write>(effect.getEffect()) &&
              (!effect.getValue() || isOfRoot(effect.getValue())))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

Operation *cellgrad::loopThatReads(Block *block, Value buffer) {
  Value root = rootOf(buffer);
  if (!isKnownRoot(root))
    return nullptr;
  SmallVector<Operation *> views;
  for (Value view = buffer; view != root;
       view = cast<ViewLikeOpInterface>(views.back()).getViewSource())
    views.push_back(view.getDefiningOp());
  Operation *found = nullptr;
  for (auto loop = dyn_cast<LoopLikeOpInterface>(block->getParentOp()); loop;
       loop = dyn_cast<LoopLikeOpInterface>(loop->getParentOp())) {
    auto isOutside = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value) ||
             llvm::is_contained(views, value.getDefiningOp());
    };
    if (!loop.isDefinedOutsideOfLoop(root) || mayWrite(loop, root) ||
        !llvm::all_of(views, [&](Operation *view) {
          return llvm::all_of(view->getOperands(), isOutside);
        }))
      break;
    if (isa<scf::ForallOp>(loop.getOperation()))
      found = loop;
  }
  if (found)
    for (Operation *view : llvm::reverse(views))
      if (found->isProperAncestor(view))
        view->moveBefore(found);
  return found;
}
