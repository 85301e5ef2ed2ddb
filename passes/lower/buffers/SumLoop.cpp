//===- SumLoop.cpp - the loop of a sum, as a tree -------------------------===//

#include "passes/lower/buffers/SumLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

/// So many blocks are added up in the next larger one; less than twice as many
/// are not cut.
constexpr int64_t kBlocksPerBlock = 8;

SumBlocks cellgrad::planSum(int64_t trips, int64_t additions,
                            SumChains chains) {
  SumBlocks plan{trips, {}, trips * additions};
  if (plan.additions <= chains.longest)
    return plan;
  int64_t block = std::max<int64_t>(1, chains.block / additions);
  do {
    plan.blocks.push_back(block);
    plan.additions = llvm::divideCeil(trips, block);
    block *= kBlocksPerBlock;
  } while (2 * block <= trips);
  return plan;
}

SumChains cellgrad::tileChains(unsigned elementBits, int64_t additions) {
  // Products come in blocks of 128 in f64.
  if (elementBits == 64)
    return {128, 128};
  if (additions <= 64)
    return {64, 64};
  // Blocks of one length. Those of 32 cost twice as much.
  int64_t block = llvm::divideCeil(additions, llvm::divideCeil(additions, 48));
  return {block, block};
}

namespace {

class Emitter {
public:
  using Values = SumHooks::Values;

  Emitter(OpBuilder &b, Location loc, FlatMemory &mem, int64_t step,
          const SumHooks &hooks)
      : b(b), loc(loc), mem(mem), step(step), hooks(hooks) {}

  /// The trips from `from` to `end`, at most `trips`, in blocks.
  Values emit(Value from, Value end, int64_t trips, bool isWhole,
              ArrayRef<int64_t> blocks, ValueRange carried) {
    if (blocks.empty())
      return loop(from, end, trips, 1, carried, hooks.body);
    int64_t block = blocks.back();
    return loop(
        from, end, trips, block, carried, [&](FlatIndex at, ValueRange values) {
          Value start = mem.materialize(at);
          Value stop =
              arith::AddIOp::create(b, loc, start, mem.constant(block * step));
          bool divides = isWhole && trips % block == 0;
          if (!divides)
            stop = arith::MinSIOp::create(b, loc, stop, end);
          Values partial = hooks.begin(values);
          partial =
              emit(start, stop, block, divides, blocks.drop_back(), partial);
          return hooks.end(values, partial);
        });
  }

private:
  Values loop(Value from, Value end, int64_t trips, int64_t block,
              ValueRange carried,
              function_ref<Values(FlatIndex, ValueRange)> body) {
    if (trips == 1)
      return body({from, 0}, carried);
    auto loop = scf::ForOp::create(
        b, loc, from, end, mem.constant(block * step), carried,
        [&](OpBuilder &, Location, Value iv, ValueRange values) {
          scf::YieldOp::create(b, loc, body({iv, 0}, values));
        });
    return Values(loop.getResults());
  }

  OpBuilder &b;
  Location loc;
  FlatMemory &mem;
  int64_t step;
  const SumHooks &hooks;
};

} // namespace

SumHooks::Values cellgrad::emitSumLoop(OpBuilder &b, Location loc,
                                       FlatMemory &mem, const SumBlocks &plan,
                                       int64_t step, Value size,
                                       ValueRange carried,
                                       const SumHooks &hooks) {
  if (plan.trips == 0)
    return SumHooks::Values(carried);
  if (plan.trips == 1 && !size)
    return hooks.body(FlatIndex(), carried);
  Value end = size ? size : mem.constant(plan.trips * step);
  return Emitter(b, loc, mem, step, hooks)
      .emit(mem.constant(0), end, plan.trips, !size, plan.blocks, carried);
}

SumHooks::Values cellgrad::addSums(OpBuilder &b, Location loc, ValueRange sums,
                                   ValueRange partial) {
  SumHooks::Values totals;
  for (auto [sum, part] : llvm::zip_equal(sums, partial))
    totals.push_back(arith::AddFOp::create(b, loc, sum, part));
  return totals;
}
