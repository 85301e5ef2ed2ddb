//===- Differentiate.cpp - expand all transforms, innermost first ---------===//

#include "passes/autodiff/ControlFlow.h"

#include "dialect/Refusal.h"
#include "passes/autodiff/Expand.h"
#include "passes/autodiff/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "passes/autodiff/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// The function that an op transforms or calls, and by which it is replaced at
/// its level of differentiation; null for other ops.
FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto vjp = dyn_cast<VJPOp>(op))
    return vjp.getCalleeAttr();
  if (auto jvp = dyn_cast<JVPOp>(op))
    return jvp.getCalleeAttr();
  if (auto vmap = dyn_cast<VMapOp>(op))
    return vmap.getCalleeAttr();
  if (auto call = dyn_cast<func::CallOp>(op))
    return FlatSymbolRefAttr::get(call.getCalleeAttr().getRootReference());
  return {};
}

/// The function that an op with a rule of its own calls: it stays a call until
/// nothing is left that could differentiate it.
FlatSymbolRefAttr ruledCalleeOf(Operation *op) {
  if (auto custom = dyn_cast<CustomOp>(op))
    return custom.getCalleeAttr();
  if (auto recompute = dyn_cast<RecomputeOp>(op))
    return recompute.getCalleeAttr();
  return {};
}

class DifferentiatePass
    : public cellgrad::impl::DifferentiatePassBase<DifferentiatePass> {
public:
  using DifferentiatePassBase::DifferentiatePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() == CellDialect::getDialectNamespace())
        name.getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    state.clear();
    linear.clear();
    restoreControlFlow(getOperation());
    if (failed(mapInward(getOperation(), table)))
      return signalPassFailure();
    // Mapping over a batch adds functions; they come last.
    for (Block::iterator at = getOperation().getBody()->begin();
         at != getOperation().getBody()->end(); ++at)
      if (auto func = dyn_cast<func::FuncOp>(*at); func && failed(close(func)))
        return signalPassFailure();
    state.clear();
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(inlineRuled(func)))
        return signalPassFailure();
  }

private:
  enum class State { Open, InProgress, Closed };

  /// The function `name` that `op` depends on, after `prepare` has been applied
  /// to it.
  FailureOr<func::FuncOp>
  resolve(Operation *op, FlatSymbolRefAttr name,
          llvm::function_ref<LogicalResult(func::FuncOp)> prepare) {
    auto callee = symbols->lookup<func::FuncOp>(name.getValue());
    assert(callee && "ops with a callee verify that it is there");
    if (callee.isExternal())
      return refuse(op) << "refers to " << name
                        << ", which has no body to differentiate";
    if (state.lookup(callee) == State::InProgress)
      return refuse(op)
             << "makes " << name
             << " depend on its own derivative or call: recursion cannot be "
                "differentiated; write the recursion as a loop";
    if (!callee.getBody().hasOneBlock())
      return refuse(callee) << "has several blocks; differentiation takes "
                               "structured control flow only";
    if (!isa<func::ReturnOp>(callee.getBody().front().getTerminator()))
      return refuse(callee) << "must end in func.return";
    if (failed(prepare(callee)))
      return failure();
    return callee;
  }

  /// Marks `func` as being worked on; false if that is done already.
  bool enter(func::FuncOp func) {
    State &mark = state.try_emplace(func, State::Open).first->second;
    if (mark == State::Closed || func.isExternal())
      return false;
    mark = State::InProgress;
    return true;
  }

  /// Expands all transforms in `func`, after those in the functions it depends
  /// on. Rules add calls and transforms, which are expanded in turn.
  LogicalResult close(func::FuncOp func) {
    if (!enter(func))
      return success();
    bool transforms = false;
    while (true) {
      SmallVector<Operation *> users;
      func.walk([&](Operation *op) {
        if (calleeOf(op))
          users.push_back(op);
        transforms |= isa<VJPOp, JVPOp, VMapOp>(op);
      });
      if (users.empty())
        break;
      for (Operation *op : users)
        if (failed(resolve(op, calleeOf(op),
                           [&](func::FuncOp callee) { return close(callee); })))
          return failure();
      for (Operation *op : users)
        if (failed(expand(op)))
          return failure();
    }
    countLoops(func);
    if (transforms && simplify)
      simplifyFunction(func);
    state[func] = State::Closed;
    return success();
  }

  LogicalResult expand(Operation *op) {
    auto callee = symbols->lookup<func::FuncOp>(calleeOf(op).getValue());
    if (auto call = dyn_cast<func::CallOp>(op)) {
      inlineCall(call, callee, call.getOperands());
      return success();
    }
    ++numExpanded;
    if (auto vjp = dyn_cast<VJPOp>(op)) {
      if (vjp.getTranspose() && simplify && linear.insert(callee).second &&
          failed(checkTranspose(
              vjp, callee, [&](func::FuncOp func) { simplifyFunction(func); })))
        return failure();
      return expandVJP(vjp, callee);
    }
    if (auto vmap = dyn_cast<VMapOp>(op))
      return expandVMap(vmap, callee, *symbols);
    return expandJVP(cast<JVPOp>(op), callee);
  }

  /// Turns the ops with rules that are left into what they call.
  LogicalResult inlineRuled(func::FuncOp func) {
    if (!enter(func))
      return success();
    SmallVector<Operation *> users;
    func.walk([&](Operation *op) {
      if (ruledCalleeOf(op))
        users.push_back(op);
    });
    for (Operation *op : users) {
      FailureOr<func::FuncOp> callee =
          resolve(op, ruledCalleeOf(op),
                  [&](func::FuncOp callee) { return inlineRuled(callee); });
      if (failed(callee))
        return failure();
      inlineCall(op, *callee,
                 op->getOperands().take_front(callee->getNumArguments()));
    }
    state[func] = State::Closed;
    return success();
  }

  void simplifyFunction(func::FuncOp func) {
    // Equal subexpressions first: the patterns compare operands by identity.
    eliminate(func);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(func, patterns, config);
    eliminate(func);
  }

  void eliminate(func::FuncOp func) {
    DominanceInfo dominance(func);
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, dominance, func);
  }

  FrozenRewritePatternSet patterns;
  SymbolTable *symbols = nullptr;
  llvm::DenseMap<Operation *, State> state;
  llvm::DenseSet<Operation *> linear; // rules that have been checked
};

} // namespace
