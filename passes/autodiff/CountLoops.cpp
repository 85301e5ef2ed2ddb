//===- CountLoops.cpp - while loops of a known number of trips ------------===//
//
// A loop over a range of tensors is captured as scf.while. Where the bounds are
// known, scf.for says so: what its adjoint keeps has a known size, and the
// counter is no value of the program that would have to be kept.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"
#include "passes/autodiff/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_COUNTLOOPSPASS
#include "passes/autodiff/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// The carried value `position` runs from `start` below `stop`.
struct Counter {
  unsigned position;
  int64_t start, stop, step;
};

/// The integer that `value`, a tensor without dimensions, is known to be.
std::optional<int64_t> knownInteger(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      elements.getType().getRank() != 0)
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

/// The carried value of `op` that its test compares with a known bound.
std::optional<Counter> findCounter(scf::WhileOp op) {
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  scf::ConditionOp condition = op.getConditionOp();
  auto extract = condition.getCondition().getDefiningOp<tensor::ExtractOp>();
  auto less = extract ? extract.getTensor().getDefiningOp<LessOp>() : LessOp();
  auto tested = less ? dyn_cast<BlockArgument>(less.getLhs()) : BlockArgument();
  if (!tested || tested.getOwner() != &before ||
      !llvm::equal(condition.getArgs(), before.getArguments()))
    return std::nullopt;
  for (Operation &other : before.without_terminator())
    if (&other != extract && &other != less && !isPure(&other))
      return std::nullopt;

  unsigned position = tested.getArgNumber();
  auto next = op.getYieldOp()->getOperand(position).getDefiningOp<AddOp>();
  if (!next)
    return std::nullopt;
  Value counted = after.getArgument(position), step = next.getRhs();
  if (step == counted)
    step = next.getLhs();
  else if (next.getLhs() != counted)
    return std::nullopt;

  std::optional<int64_t> from = knownInteger(op.getInits()[position]),
                         to = knownInteger(less.getRhs()),
                         by = knownInteger(step);
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(counted));
  if (!from || !to || !by || *by < 1 || !type || type.isUnsigned())
    return std::nullopt;
  // The last sum must not wrap around, as the loop would go on.
  if (*to > llvm::maxIntN(type.getWidth()) - *by)
    return std::nullopt;
  return Counter{position, *from, *to, *by};
}

/// The number of the trip as the tensor that the program counts with.
Value counterTensor(OpBuilder &b, Location loc, Value iv, Type type) {
  Value number =
      arith::IndexCastOp::create(b, loc, getElementTypeOrSelf(type), iv);
  return tensor::FromElementsOp::create(b, loc, type, number);
}

void countLoop(scf::WhileOp op, const Counter &counter) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(op.getInits()))
    if (i != counter.position)
      inits.push_back(init);
  auto loop =
      scf::ForOp::create(b, loc, index(counter.start), index(counter.stop),
                         index(counter.step), inits);
  Block &after = *op.getAfterBody();
  auto type =
      cast<RankedTensorType>(after.getArgument(counter.position).getType());
  if (inits.empty())
    loop.getBody()->getTerminator()->erase();
  OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
  Value number = counterTensor(inner, loc, loop.getInductionVar(), type);
  IRMapping map;
  unsigned carried = 0;
  for (auto [i, arg] : llvm::enumerate(after.getArguments()))
    map.map(arg, i == counter.position ? number
                                       : loop.getRegionIterArgs()[carried++]);
  for (Operation &nested : after.without_terminator())
    inner.clone(nested, map);
  SmallVector<Value> next;
  for (auto [i, value] : llvm::enumerate(op.getYieldOp()->getOperands()))
    if (i != counter.position)
      next.push_back(map.lookupOrDefault(value));
  scf::YieldOp::create(inner, loc, next);

  int64_t trips =
      counter.stop > counter.start
          ? llvm::divideCeil(static_cast<uint64_t>(counter.stop) -
                                 static_cast<uint64_t>(counter.start),
                             static_cast<uint64_t>(counter.step))
          : 0;
  auto last = APInt(type.getElementTypeBitWidth(),
                    counter.start + trips * counter.step, /*isSigned=*/true);
  SmallVector<Value> results(loop.getResults());
  results.insert(
      results.begin() + counter.position,
      ConstantOp::create(b, loc, DenseElementsAttr::get(type, last)));
  op->replaceAllUsesWith(results);
  op->erase();
}

class CountLoopsPass
    : public cellgrad::impl::CountLoopsPassBase<CountLoopsPass> {
public:
  using CountLoopsPassBase::CountLoopsPassBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    plain.clear();
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      inlineInLoops(func);
      countLoops(func);
    }
  }

private:
  /// Whether `func` and all that it calls is without transforms, recursion and
  /// branches between blocks.
  bool isPlain(func::FuncOp func) {
    auto [known, isNew] = plain.try_emplace(func, false);
    if (!isNew)
      return known->second;
    if (!func.getBody().hasOneBlock())
      return false;
    auto found = func.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      func::FuncOp callee = call ? calleeOf(call) : func::FuncOp();
      bool good =
          call ? callee && isPlain(callee) : !isa<VJPOp, JVPOp, VMapOp>(op);
      return good ? WalkResult::advance() : WalkResult::interrupt();
    });
    return plain[func] = !found.wasInterrupted();
  }

  func::FuncOp calleeOf(func::CallOp call) {
    return symbols->lookup<func::FuncOp>(call.getCallee());
  }

  /// Test and body of a captured loop are functions.
  void inlineInLoops(func::FuncOp func) {
    for (bool changed = true; changed;) {
      SmallVector<func::CallOp> calls;
      func.walk([&](func::CallOp call) {
        if (call->getParentOfType<scf::WhileOp>())
          if (func::FuncOp callee = calleeOf(call); callee && isPlain(callee))
            calls.push_back(call);
      });
      for (func::CallOp call : calls)
        inlineCall(call, calleeOf(call), call.getOperands());
      changed = !calls.empty();
    }
  }

  SymbolTable *symbols = nullptr;
  llvm::DenseMap<Operation *, bool> plain;
};

} // namespace

void cellgrad::countLoops(func::FuncOp func) {
  func.walk<WalkOrder::PostOrder>([](scf::WhileOp op) {
    if (std::optional<Counter> counter = findCounter(op))
      countLoop(op, *counter);
  });
}
