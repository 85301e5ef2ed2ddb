//===- Differentiate.cpp - expand all transforms, innermost first ---------===//

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

/// The function an op differentiates or calls, or null.
FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto vjp = dyn_cast<VJPOp>(op))
    return vjp.getCalleeAttr();
  if (auto jvp = dyn_cast<JVPOp>(op))
    return jvp.getCalleeAttr();
  if (auto vmap = dyn_cast<VMapOp>(op))
    return vmap.getCalleeAttr();
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCalleeAttr().getRootReference()
               ? FlatSymbolRefAttr::get(call.getCalleeAttr().getRootReference())
               : FlatSymbolRefAttr();
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
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(close(func)))
        return signalPassFailure();
  }

private:
  enum class State { Open, InProgress, Closed };

  /// Expands all transforms in `func`, after those in the functions it depends
  /// on.
  LogicalResult close(func::FuncOp func) {
    State &mark = state.try_emplace(func, State::Open).first->second;
    if (mark == State::Closed || func.isExternal())
      return success();
    mark = State::InProgress;

    SmallVector<Operation *> users;
    bool transforms = false;
    func.walk([&](Operation *op) {
      if (calleeOf(op))
        users.push_back(op);
      transforms |= isa<VJPOp, JVPOp, VMapOp>(op);
    });
    for (Operation *op : users) {
      auto callee = symbols->lookup<func::FuncOp>(calleeOf(op).getValue());
      if (!callee)
        return op->emitOpError("refers to an unknown function");
      if (callee.isExternal())
        return op->emitOpError("refers to ")
               << calleeOf(op) << ", which has no body to differentiate";
      if (state.lookup(callee) == State::InProgress)
        return op->emitOpError("makes ")
               << calleeOf(op)
               << " depend on its own derivative or call: recursion cannot be "
                  "differentiated; write the recursion as a loop";
      if (failed(close(callee)))
        return failure();
    }
    for (Operation *op : users)
      if (failed(expand(op)))
        return failure();
    if (transforms && simplify)
      simplifyFunction(func);
    state[func] = State::Closed;
    return success();
  }

  LogicalResult expand(Operation *op) {
    auto callee = symbols->lookup<func::FuncOp>(calleeOf(op).getValue());
    if (!callee.getBody().hasOneBlock())
      return callee.emitOpError("has several blocks; differentiation takes "
                                "structured control flow only");
    if (auto call = dyn_cast<func::CallOp>(op)) {
      OpBuilder builder(op);
      InlinedPrimal body(builder, callee, call.getOperands());
      call->replaceAllUsesWith(body.results());
      call->erase();
      return success();
    }
    ++numExpanded;
    if (auto vjp = dyn_cast<VJPOp>(op))
      return expandVJP(vjp, callee);
    if (auto vmap = dyn_cast<VMapOp>(op))
      return expandVMap(vmap, callee);
    return expandJVP(cast<JVPOp>(op), callee);
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
};

} // namespace
