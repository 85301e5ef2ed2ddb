//===- BufferLifetimes.cpp - when the memory of a buffer is needed --------===//

#include "passes/lower/buffers/BufferLifetimes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cellgrad {

/// Whether a region of `op` may run more than once: so it is taken to be of all
/// but branches.
static bool repeats(Operation *op) {
  return !isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
}

/// Whether the arguments of `block` are what the trip before has handed on.
static bool beginsTrip(Block *block) {
  auto loop = dyn_cast<scf::WhileOp>(block->getParentOp());
  return !loop || block == loop.getBeforeBody();
}

BufferLifetimes::BufferLifetimes(func::FuncOp func) : flow(func) {
  number(func.getBody());
}

void BufferLifetimes::number(Region &region) {
  for (Operation &op : region.getOps()) {
    unsigned first = count++;
    for (Region &inner : op.getRegions())
      number(inner);
    ends[&op] = {first, op.getNumRegions() ? count++ : first};
  }
}

llvm::SmallSetVector<Value, 8> BufferLifetimes::viewsOf(Value buffer) const {
  llvm::SmallSetVector<Value, 8> views;
  views.insert(buffer);
  for (unsigned i = 0; i < views.size(); ++i) {
    for (Value view : flow.resolve(views[i]))
      views.insert(view);
    // The analysis knows regions and views. What else gives memory (a choice,
    // the cast of booleans to bytes) is taken to give that of its operands.
    for (Operation *user : views[i].getUsers())
      if (!isa<RegionBranchOpInterface>(user))
        for (Value result : user->getResults())
          if (isa<BaseMemRefType>(result.getType()))
            views.insert(result);
  }
  return views;
}

FailureOr<Lifetime> BufferLifetimes::of(Operation *alloc) const {
  llvm::SmallSetVector<Value, 8> views = viewsOf(alloc->getResult(0));

  // The innermost block that holds all uses, and the loops through which the
  // buffer goes from trip to trip.
  Block *home = alloc->getBlock();
  auto include = [&](Operation *op) {
    while (!home->findAncestorOpInBlock(*op))
      home = home->getParentOp()->getBlock();
  };
  for (Value view : views) {
    if (auto arg = dyn_cast<BlockArgument>(view)) {
      Operation *loop = arg.getOwner()->getParentOp();
      include(loop);
      if (loop->isProperAncestor(alloc) && beginsTrip(arg.getOwner())) {
        alloc->emitOpError("is handed to the next trip of a loop, which fills "
                           "the same memory anew; copy it to a buffer that is "
                           "made before the loop");
        return failure();
      }
    }
    for (Operation *user : view.getUsers())
      include(user);
  }

  Lifetime life;
  auto extend = [&](Operation *op) {
    auto [first, last] = ends.lookup(op);
    if (first < life.first) {
      life.first = first;
      life.firstOp = op;
    }
    if (!life.lastOp || last > life.last) {
      life.last = last;
      life.lastOp = op;
    }
  };
  for (Value view : views)
    for (Operation *user : view.getUsers()) {
      Operation *at = user;
      for (Operation *op = user; op->getBlock() != home;) {
        op = op->getParentOp();
        if (repeats(op))
          at = op;
      }
      extend(at);
    }
  if (!life.firstOp)
    extend(alloc);
  return life;
}

} // namespace cellgrad
