//===- InFlight.cpp - what ops do to buffers of collectives ---------------===//

#include "passes/lower/buffers/InFlight.h"

#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/tensors/CanFail.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace cellgrad {

SmallVector<InFlight> pairsOf(Block &block) {
  SmallVector<InFlight> pairs;
  for (Operation &op : block) {
    if (auto start = dyn_cast<CollectiveStartOp>(op)) {
      pairs.push_back({start, {}});
    } else if (auto wait = dyn_cast<CollectiveWaitOp>(op)) {
      for (InFlight &pair : pairs)
        if (!pair.wait && pair.start.getSlot() == wait.getSlot() &&
            pair.start.getSend() == wait.getSend() &&
            pair.start.getReceive() == wait.getReceive()) {
          pair.wait = wait;
          break;
        }
    }
  }
  return pairs;
}

Value knownRoot(Value value) {
  Value root = rootOf(value);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    // Private functions may get one buffer twice.
    return func && !func.isPrivate() ? root : Value();
  }
  return isa_and_present<memref::AllocOp, memref::AllocaOp,
                         memref::GetGlobalOp>(root.getDefiningOp())
             ? root
             : Value();
}

bool isDonated(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto signature =
      func ? func->getAttrOfType<DictionaryAttr>("cell.signature") : nullptr;
  if (!signature)
    return false;
  auto args = signature.getAs<ArrayAttr>("args");
  return argument.getArgNumber() < args.size() &&
         cast<DictionaryAttr>(args[argument.getArgNumber()]).contains("donate");
}

/// Whether `op` only gives another name to memory.
static bool isView(Operation *op) {
  return isa<ViewLikeOpInterface>(op) && isMemoryEffectFree(op);
}

bool Footprints::writesArgument(func::FuncOp callee, unsigned argument) {
  if (callee.isDeclaration())
    return true;
  Value value = callee.getArgument(argument);
  if (auto found = written.find(value); found != written.end())
    return found->second;
  written[value] = true; // of a function that calls itself
  SmallVector<Value> views{value};
  bool writes = false;
  while (!views.empty() && !writes)
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (isView(use.getOwner()))
        views.push_back(use.getOwner()->getResult(0));
      else
        writes |= mayWrite(use);
    }
  return written[value] = writes;
}

bool Footprints::mayWrite(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, call.getCalleeAttr());
    return !callee || writesArgument(callee, use.getOperandNumber());
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  // Loops that carry the buffer, and what takes its address, may do anything.
  if (!effects || op->getNumRegions() != 0)
    return true;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return all.empty() || llvm::any_of(all, [&](const auto &effect) {
           return !isa<MemoryEffects::Read>(effect.getEffect()) &&
                  (!effect.getValue() || effect.getValue() == use.get());
         });
}

bool Footprints::stopsIn(func::FuncOp callee) {
  if (auto found = stopping.find(callee); found != stopping.end())
    return found->second;
  stopping[callee] = true; // of a function that calls itself
  WalkResult result = callee.walk([&](Operation *op) {
    bool stops = canFail(op) || isa<EndOp>(op);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto inner = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          op, call.getCalleeAttr());
      stops |= !inner || stopsIn(inner);
    }
    return stops ? WalkResult::interrupt() : WalkResult::advance();
  });
  return stopping[callee] = result.wasInterrupted();
}

static bool sends(Operation *op) {
  if (auto start = dyn_cast<CollectiveStartOp>(op))
    return start.getSend() != nullptr;
  return cast<CollectiveWaitOp>(op).getSend() != nullptr;
}

/// Adds what `inner`, which is `op` or in it, does.
void Footprints::add(Operation *inner, Operation *op, Footprint &print) {
  bool isPart = isa<CollectiveStartOp, CollectiveWaitOp>(op);
  print.stops |= (canFail(inner) || isa<EndOp>(inner)) && !isPart;
  if (auto call = dyn_cast<func::CallOp>(inner)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        inner, call.getCalleeAttr());
    print.stops |= !callee || stopsIn(callee);
  }
  // Views touch nothing, unless a loop or a branch makes one of several.
  if (isView(inner) || isa<memref::AllocOp, memref::AllocaOp>(inner))
    return;
  for (OpOperand &use : inner->getOpOperands()) {
    if (!isa<BaseMemRefType>(use.get().getType()))
      continue;
    Value root = knownRoot(use.get());
    if (!root) {
      // What is named first inside of `op` lies in what `op` gets.
      Operation *at = rootOf(use.get()).getDefiningOp();
      if (!at)
        at = cast<BlockArgument>(rootOf(use.get())).getOwner()->getParentOp();
      print.unknown |= !op->isAncestor(at);
      continue;
    }
    // A collective reads what it sends, and writes what it receives.
    bool writes =
        isPart ? use.getOperandNumber() != 0 || !sends(op) : mayWrite(use);
    print.roots[root] |= writes;
    print.donates |= writes && isDonated(root);
  }
}

const Footprint &Footprints::of(Operation *op) {
  auto [found, isNew] = known.try_emplace(op);
  if (!isNew)
    return found->second;
  Footprint print;
  print.stops = op->hasTrait<OpTrait::IsTerminator>();
  op->walk([&](Operation *inner) { add(inner, op, print); });
  return known[op] = std::move(print);
}

bool Footprints::meets(Operation *op, Value send, Value receive) {
  const Footprint &print = of(op);
  if (print.unknown)
    return true;
  auto conflicts = [&](Value buffer, bool isWritten) {
    if (!buffer)
      return false;
    Value root = knownRoot(buffer);
    if (!root)
      return !print.roots.empty();
    auto found = print.roots.find(root);
    return found != print.roots.end() && (isWritten || found->second);
  };
  return conflicts(receive, true) || conflicts(send, false);
}

bool Footprints::needsEnd(Operation *op, Value send, Value receive) {
  const Footprint &print = of(op);
  return print.stops || print.donates || meets(op, send, receive);
}

bool Footprints::needsBefore(Operation *op, Value send, Value receive) {
  return of(op).stops || meets(op, send, receive);
}

} // namespace cellgrad
