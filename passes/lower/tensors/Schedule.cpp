//===- Schedule.cpp - the order of a block's ops --------------------------===//

#include "passes/lower/tensors/Schedule.h"

#include "passes/lower/tensors/CanFail.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cellgrad;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

/// Operands of an op and of everything nested in it.
static SmallVector<Value> usedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() != 0)
    op->walk([&](Operation *inner) {
      llvm::append_range(values, inner->getOperands());
    });
  return values;
}

/// Whether a call may end at `op` or an op nested in it.
static bool mayFail(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return canFail(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Schedule::keepsOrder(Operation *op) {
  return mayFail(op) ||
         (!isPure(op) &&
          !isa<linalg::LinalgOp, ToTensorOp, MaterializeInDestinationOp>(op));
}

Schedule::Schedule(Block &block) : block(block) {
  Operation *lastEffect = nullptr;
  for (Operation &op : block) {
    for (Value value : usedValues(&op))
      if (Operation *def = value.getDefiningOp())
        if (Operation *at = block.findAncestorOpInBlock(*def); at && at != &op)
          addEdge(at, &op);
    if (mayFail(&op))
      lastFailing = &op;
    if (keepsOrder(&op)) {
      if (lastEffect)
        addEdge(lastEffect, &op);
      lastEffect = &op;
    }
  }
  if (lastFailing)
    beforeFailure = reach(lastFailing, predecessors);
}

SmallVector<Operation *> Schedule::newlyBeforeFailure(Operation *op) const {
  if (isBeforeFailure(op))
    return {};
  llvm::SetVector<Operation *> found;
  found.insert(op);
  for (unsigned i = 0; i < found.size(); ++i)
    if (auto before = predecessors.find(found[i]); before != predecessors.end())
      for (Operation *early : before->second)
        if (!isBeforeFailure(early))
          found.insert(early);
  return found.takeVector();
}

DenseSet<Operation *> Schedule::reach(Operation *op, const Edges &edges) {
  DenseSet<Operation *> seen{op};
  SmallVector<Operation *> stack{op};
  while (!stack.empty()) {
    auto found = edges.find(stack.pop_back_val());
    if (found == edges.end())
      continue;
    for (Operation *next : found->second)
      if (seen.insert(next).second)
        stack.push_back(next);
  }
  return seen;
}

void Schedule::apply() {
  SmallVector<Operation *> order;
  DenseSet<Operation *> entered;
  // Ops that wait for those before them, with how many of these are placed. A
  // chain may be as long as the block.
  SmallVector<std::pair<Operation *, unsigned>> waiting;
  auto enter = [&](Operation *op) {
    if (entered.insert(op).second)
      waiting.push_back({op, 0});
  };
  for (Operation &op : block.without_terminator()) {
    enter(&op);
    while (!waiting.empty()) {
      auto &[late, next] = waiting.back();
      auto found = predecessors.find(late);
      if (found != predecessors.end() && next < found->second.size()) {
        enter(found->second[next++]);
        continue;
      }
      order.push_back(late);
      waiting.pop_back();
    }
  }
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

ToTensorOp cellgrad::oldValue(Value memref) {
  for (Operation *user : memref.getUsers())
    if (auto tensor = dyn_cast<ToTensorOp>(user))
      return tensor;
  return {};
}

void cellgrad::collectReaders(Block &block, Value tensor,
                              SetVector<Operation *> &readers) {
  SmallVector<Value> stack{tensor};
  DenseSet<Value> seen{tensor};
  auto push = [&](Value value) {
    if (isa<TensorType>(value.getType()) && seen.insert(value).second)
      stack.push_back(value);
  };
  while (!stack.empty())
    for (OpOperand &use : stack.pop_back_val().getUses()) {
      Operation *user = use.getOwner(),
                *at = block.findAncestorOpInBlock(*user);
      if (!at)
        continue;
      if (!at->hasTrait<OpTrait::IsTerminator>())
        readers.insert(at);
      if (isa<tensor::ExtractOp>(user))
        continue; // an element has no buffer
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(user)) {
        if (linalgOp.isDpsInit(&use))
          push(linalgOp.getTiedOpResult(&use));
        continue;
      }
      // What a branch yields is one of its results; a loop's body may carry it
      // anywhere.
      bool ends = user->hasTrait<OpTrait::IsTerminator>();
      if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
          branch && ends)
        push(branch.getResult(use.getOperandNumber()));
      else
        llvm::for_each((ends ? at : user)->getResults(), push);
    }
}
