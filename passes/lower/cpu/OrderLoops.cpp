//===- OrderLoops.cpp - conditions that hand on what is carried -----------===//

#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cellgrad {
#define GEN_PASS_DEF_ORDERLOOPS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// Whether `value` is carried by `loop`, or defined before it.
bool isHandedOn(scf::WhileOp loop, Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && arg.getOwner() == loop.getBeforeBody())
    return true;
  return !loop.getBefore().isAncestor(value.getParentRegion());
}

/// Makes the condition of `loop` hand on all carried values, in order.
void order(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> handed(condition.getArgs());
  if (llvm::equal(handed, loop.getBeforeArguments()) ||
      !llvm::all_of(handed, [&](Value v) { return isHandedOn(loop, v); }))
    return;
  OpBuilder b(loop);
  TypeRange types = loop.getInits().getTypes();
  auto ordered = scf::WhileOp::create(b, loop.getLoc(), types, loop.getInits());
  ordered.getBefore().takeBody(loop.getBefore());
  condition.getArgsMutable().assign(ordered.getBeforeArguments());

  SmallVector<Location> locs(types.size(), loop.getLoc());
  Block *old = loop.getAfterBody();
  Block *body = b.createBlock(&ordered.getAfter(), {}, types, locs);
  auto valueOf = [&](Value v, ValueRange carried) {
    auto arg = dyn_cast<BlockArgument>(v);
    return arg && arg.getOwner() == ordered.getBeforeBody()
               ? carried[arg.getArgNumber()]
               : v;
  };
  SmallVector<Value> args;
  for (auto [value, result] : llvm::zip_equal(handed, loop.getResults())) {
    args.push_back(valueOf(value, body->getArguments()));
    result.replaceAllUsesWith(valueOf(value, ordered.getResults()));
  }
  for (auto [arg, value] : llvm::zip_equal(old->getArguments(), args))
    arg.replaceAllUsesWith(value);
  body->getOperations().splice(body->end(), old->getOperations());
  loop.erase();
}

struct OrderLoops : cellgrad::impl::OrderLoopsBase<OrderLoops> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation().walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      order(loop);
  }
};

} // namespace
