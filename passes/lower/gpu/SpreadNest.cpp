//===- SpreadNest.cpp - a nest run by threads -----------------------------===//
//
// Results are numbered, and thread t takes numbers t, t + T, ... Where there
// are fewer results than threads and each is a long reduction, a warp or a
// whole block computes one, in parts that are combined in a tree. The threads
// are those of one block, or of a grid that the nest has for itself.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/SpreadNest.h"

#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/gpu/NestCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

int64_t cellgrad::countSteps(const LoopNest &nest, bool reductions) {
  int64_t steps = 1;
  for (auto [size, isReduction] : llvm::zip_equal(nest.sizes, nest.isReduction))
    if (isReduction == reductions)
      steps *= size;
  return steps;
}

FailureOr<LoopNest> cellgrad::nestForThreads(linalg::GenericOp op) {
  FailureOr<LoopNest> nest = analyzeNest(op);
  if (failed(nest) || nest->isEmpty())
    return nest;
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq(nest->rank()));
  const SmallVector<int64_t> &strides = nest->outputs.front().strides;
  // An output that a dimension does not move through is written in every step
  // of it, by whichever thread: such dimensions are outermost.
  auto distance = [&](unsigned dim) {
    return strides[dim] == 0 ? std::numeric_limits<int64_t>::max()
                             : std::abs(strides[dim]);
  };
  llvm::sort(order, [&](unsigned x, unsigned y) {
    if (nest->isReduction[x] != nest->isReduction[y])
      return static_cast<bool>(nest->isReduction[y]);
    if (!nest->isReduction[x] && distance(x) != distance(y))
      return distance(x) > distance(y);
    return x < y;
  });
  nest->permute(order);
  nest->simplify();
  return nest;
}

int64_t cellgrad::usefulThreads(const LoopNest &nest) {
  return countSteps(nest, false) * countSteps(nest, true);
}

namespace {

class Spreader {
public:
  using Values = NestCode::Values;

  Spreader(OpBuilder &b, const LoopNest &nest, ThreadBlock &block,
           ArrayRef<Value> starts = {})
      : b(b), loc(linalg::GenericOp(nest.op).getLoc()), nest(nest),
        block(block), code(b, nest, starts), results(countSteps(nest, false)),
        depth(countSteps(nest, true)),
        firstReduction(llvm::find(nest.isReduction, true) -
                       nest.isReduction.begin()) {}

  void emit(Team team) {
    switch (team) {
    case Team::Thread:
      return emitForThreads();
    case Team::Warp:
      return emitForWarps();
    case Team::Block:
      return emitForBlock();
    }
  }

  /// Who computes a result where one block computes all.
  Team chooseTeam() const;
  /// Each thread computes `lanes` neighbours; what is left, one each.
  void emitWide(int64_t lanes);

private:
  void emitForThreads();
  void emitForWarps();
  void emitForBlock();

  /// Runs `body` at `first`, `first + step`, ... below `count`; `first` is
  /// below `step`.
  void forEach(Value first, int64_t count, int64_t step,
               function_ref<void(Value number)> body);
  void onlyIf(Value condition, function_ref<void()> body);
  Value isBelow(Value a, int64_t bound);

  NestPosition positionOf(Value result) {
    return code.advance(code.start(), 0, firstReduction, result);
  }
  /// All reductions from `dim` on, by one thread.
  Values reduce(unsigned dim, const NestPosition &pos, ValueRange carried);
  /// Steps `member`, `member + members`, ... of the reductions.
  Values reducePart(const NestPosition &pos, Value member, int64_t members);
  SumBlocks planReduction(unsigned dim);
  Values sumLoop(const SumBlocks &plan, int64_t step, ValueRange carried,
                 function_ref<Values(FlatIndex, ValueRange)> body);
  /// Adds what a team has found to what is there.
  void finish(const NestPosition &pos, ValueRange totals);

  SmallVector<Combiner> combiners() {
    return llvm::map_to_vector(
        llvm::seq<unsigned>(0, code.accumulatedOutputs().size()),
        [&](unsigned a) { return code.combiner(a); });
  }

  OpBuilder &b;
  Location loc;
  const LoopNest &nest;
  ThreadBlock &block;
  NestCode code;
  int64_t results, depth; ///< how many, and how many steps each takes
  unsigned firstReduction;
};

/// The one that takes the fewest steps, with those of its tree: shuffles, and
/// for the block a barrier and shared memory.
Team Spreader::chooseTeam() const {
  if (!nest.hasReduction() || !code.combinesAll() || depth == 1)
    return Team::Thread;
  auto steps = [&](int64_t teams, int64_t members, int64_t tree) {
    return llvm::divideCeil(results, teams) *
           (llvm::divideCeil(depth, members) + tree);
  };
  int64_t thread = steps(block.threads, 1, 0);
  int64_t warp = steps(block.warps(), kWarp, 10);
  int64_t whole = steps(1, block.threads, 30);
  if (thread <= std::min(warp, whole))
    return Team::Thread;
  return block.warps() == 1 || warp <= whole ? Team::Warp : Team::Block;
}

Value Spreader::isBelow(Value a, int64_t bound) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, a,
                               code.memory().constant(bound));
}

void Spreader::onlyIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void Spreader::forEach(Value first, int64_t count, int64_t step,
                       function_ref<void(Value number)> body) {
  if (count == step)
    return body(first);
  if (count < step)
    return onlyIf(isBelow(first, count), [&] { body(first); });
  auto loop = scf::ForOp::create(b, loc, first, code.memory().constant(count),
                                 code.memory().constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===-- Sums --------------------------------------------------------------===//

SumBlocks Spreader::planReduction(unsigned dim) {
  int64_t additions =
      dim + 1 < nest.rank() ? planReduction(dim + 1).additions : 1;
  SumBlocks plan = planSum(nest.sizes[dim], additions);
  if (!code.hasSum())
    plan.blocks.clear();
  return plan;
}

NestCode::Values
Spreader::sumLoop(const SumBlocks &plan, int64_t step, ValueRange carried,
                  function_ref<Values(FlatIndex, ValueRange)> body) {
  // Of what is no sum, blocks continue what they are given.
  auto begin = [&](ValueRange values) {
    Values partial(values);
    for (auto [a, value] : llvm::enumerate(partial))
      if (code.isSum(a))
        value = code.neutral(a);
    return partial;
  };
  auto end = [&](ValueRange values, ValueRange partial) {
    Values totals(partial);
    for (auto [a, total] : llvm::enumerate(totals))
      if (code.isSum(a))
        total = combine(b, loc, code.combiner(a), values[a], total);
    return totals;
  };
  return emitSumLoop(b, loc, code.memory(), plan, step, Value(), carried,
                     {begin, end, body});
}

NestCode::Values Spreader::reduce(unsigned dim, const NestPosition &pos,
                                  ValueRange carried) {
  if (dim == nest.rank())
    return code.step(pos, carried);
  return sumLoop(planReduction(dim), 1, carried,
                 [&](FlatIndex iv, ValueRange values) {
                   return reduce(dim + 1, code.advance(pos, dim, iv), values);
                 });
}

NestCode::Values Spreader::reducePart(const NestPosition &pos, Value member,
                                      int64_t members) {
  auto stepAt = [&](FlatIndex base, ValueRange values) {
    Value number = code.memory().materialize(base);
    number = arith::AddIOp::create(b, loc, number, member);
    return code.step(code.advance(pos, firstReduction, nest.rank(), number),
                     values);
  };
  int64_t trips = depth / members, rest = depth % members;
  SumBlocks plan = planSum(trips);
  if (!code.hasSum())
    plan.blocks.clear();
  Values nothing;
  for (unsigned a = 0; a < code.accumulatedOutputs().size(); ++a)
    nothing.push_back(code.neutral(a));
  Values partial = sumLoop(plan, members, nothing, stepAt);
  if (rest == 0)
    return partial;
  auto branch = scf::IfOp::create(
      b, loc, isBelow(member, rest),
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc,
                             stepAt({Value(), trips * members}, partial));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, partial); });
  return Values(branch.getResults());
}

void Spreader::finish(const NestPosition &pos, ValueRange totals) {
  code.store(pos, code.combine(code.load(pos), totals));
}

//===-- Teams -------------------------------------------------------------===//

void Spreader::emitForThreads() {
  forEach(block.number(b, loc, Team::Thread), results,
          block.count(Team::Thread), [&](Value result) {
            NestPosition pos = positionOf(result);
            code.store(pos, reduce(firstReduction, pos, code.load(pos)));
          });
}

void Spreader::emitForWarps() {
  // The lanes of a warp come together wherever one of them does.
  forEach(block.number(b, loc, Team::Warp), results, block.count(Team::Warp),
          [&](Value result) {
            NestPosition pos = positionOf(result);
            Values totals = block.reduceWarp(
                b, loc, combiners(), reducePart(pos, block.lane(), kWarp));
            onlyIf(isBelow(block.lane(), 1), [&] { finish(pos, totals); });
          });
}

void Spreader::emitForBlock() {
  forEach(block.number(b, loc, Team::Block), results, block.count(Team::Block),
          [&](Value result) {
            NestPosition pos = positionOf(result);
            Values partial = reducePart(pos, block.thread(), block.threads);
            // The last one's parts have been read.
            if (results > block.count(Team::Block))
              gpu::BarrierOp::create(b, loc);
            Values totals = block.reduceBlock(b, loc, combiners(), partial);
            onlyIf(block.isFirst(), [&] { finish(pos, totals); });
          });
}

void Spreader::emitWide(int64_t lanes) {
  unsigned last = nest.rank() - 1;
  int64_t wide = results / lanes, rest = results % lanes;
  Value number = block.number(b, loc, Team::Thread);
  onlyIf(isBelow(number, wide), [&] {
    NestPosition pos = code.start();
    Value row = number, column = number;
    if (last > 0) {
      Value size = code.memory().constant(nest.sizes[last] / lanes);
      column = arith::RemUIOp::create(b, loc, number, size);
      row = arith::DivUIOp::create(b, loc, number, size);
      pos = code.advance(pos, 0, last, row);
    }
    Value iv =
        arith::MulIOp::create(b, loc, column, code.memory().constant(lanes));
    code.wideStep(code.advance(pos, last, {iv, 0}), lanes);
  });
  if (rest == 0)
    return;
  // One dimension: its end is left.
  Value later =
      arith::SubIOp::create(b, loc, number, code.memory().constant(wide));
  onlyIf(isBelow(later, rest), [&] {
    code.step(code.advance(code.start(), last, {later, wide * lanes}), {});
  });
}

} // namespace

void cellgrad::spreadNest(OpBuilder &b, const LoopNest &nest,
                          ThreadBlock &block) {
  Spreader spreader(b, nest, block);
  spreader.emit(spreader.chooseTeam());
}

void cellgrad::spreadOverGrid(OpBuilder &b, const LoopNest &nest,
                              ArrayRef<Value> starts, const GridPlan &plan,
                              ThreadBlock &block) {
  Spreader spreader(b, nest, block, starts);
  if (plan.lanes > 1)
    spreader.emitWide(plan.lanes);
  else
    spreader.emit(plan.team);
}
