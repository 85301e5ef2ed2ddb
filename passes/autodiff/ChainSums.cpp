//===- ChainSums.cpp - loops that add to a sum ----------------------------===//
//
// The adjoint of a loop that reads rows adds their gradients to a tensor of
// zeros, and its result is added to the rest of the gradient as a whole; in a
// loop of loops, once a trip. Such a loop goes on from the rest instead.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/Passes.h"

#include "dialect/Zero.h"

namespace cellgrad {
#define GEN_PASS_DEF_CHAINSUMSPASS
#include "passes/autodiff/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Where `value` goes, if nothing but additions to it is done with it before:
/// the operand that yields it.
OpOperand *yieldOfSum(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    // What a region inside does with it may happen never, or often.
    if (user->getBlock() != value.getParentBlock())
      return nullptr;
    auto scatter = dyn_cast<ScatterOp>(user);
    if (isa<scf::YieldOp>(user))
      return &use;
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (use.getOperandNumber() < loop.getNumControlOperands())
        return nullptr;
      unsigned position = use.getOperandNumber() - loop.getNumControlOperands();
      OpOperand *yield = yieldOfSum(loop.getRegionIterArg(position));
      if (!yield || yield->getOperandNumber() != position)
        return nullptr;
      value = loop.getResult(position);
    } else if (isa<AddOp>(user) ||
               (scatter && scatter.adds() && &use == &scatter.getXMutable())) {
      value = user->getResult(0);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// The operand with the zero from which a loop starts `term`, if it only adds
/// to it and `sum` is there before.
OpOperand *zeroOfLoop(AddOp add, Value term, Value sum) {
  auto loop = term.getDefiningOp<scf::ForOp>();
  if (!loop || !term.hasOneUse() || loop->getBlock() != add->getBlock())
    return nullptr;
  Operation *made = sum.getDefiningOp();
  if (made && made->getBlock() == loop->getBlock() &&
      !made->isBeforeInBlock(loop))
    return nullptr;
  unsigned position = cast<OpResult>(term).getResultNumber();
  OpOperand &init = loop.getInitsMutable()[position];
  if (!isConstantZero(init.get()))
    return nullptr;
  OpOperand *yield = yieldOfSum(loop.getRegionIterArg(position));
  return yield && yield->getOperandNumber() == position ? &init : nullptr;
}

class ChainSumsPass : public cellgrad::impl::ChainSumsPassBase<ChainSumsPass> {
public:
  using ChainSumsPassBase::ChainSumsPassBase;

  void runOnOperation() override {
    // Inner loops first: what they go on from may be what the outer one
    // carries.
    getOperation().walk<WalkOrder::PostOrder>([](AddOp add) {
      Value lhs = add.getLhs(), rhs = add.getRhs();
      for (auto [term, sum] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
        if (OpOperand *zero = zeroOfLoop(add, term, sum)) {
          zero->set(sum);
          add.replaceAllUsesWith(term);
          add.erase();
          return;
        }
    });
  }
};

} // namespace
