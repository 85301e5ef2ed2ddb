//===- PlanGrid.cpp - how a nest is shared among the threads of a grid ----===//
//
// A map has a thread for every few neighbours, accessed 16 bytes at a time. Of
// a reduction, each result is computed by a thread, a warp or a block: by
// whoever reads it in the fewest pieces with enough of them at work.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/SpreadNest.h"

#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/gpu/DeviceMemory.h"
#include "passes/lower/gpu/NestCode.h"

using namespace mlir;
using namespace cellgrad;

/// Code of a thread does not grow beyond so many instructions by taking more
/// results: they would fit neither registers nor the cache of instructions.
static constexpr int64_t kLongestCode = 512;

static int64_t bytesOf(const Access &access) {
  return std::max(8u, access.elementType().getIntOrFloatBitWidth()) / 8;
}

static int64_t instructionsOf(linalg::GenericOp op) {
  int64_t sum = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    switch (costOf(inner)) {
    case OpCost::Cheap:
      sum += 1;
      break;
    case OpCost::Division:
    case OpCost::Load:
      sum += 8;
      break;
    case OpCost::Long:
      sum += 40;
      break;
    }
  return sum;
}

/// How many neighbours a thread takes: as many of the widest operand as one
/// access moves.
static int64_t planLanes(const LoopNest &nest) {
  if (nest.rank() == 0 || nest.hasReduction())
    return 1;
  int64_t widest = 0;
  auto add = [&](const Access &access) {
    if (!access.isScalar() && access.strides.back() == 1)
      widest = std::max(widest, bytesOf(access));
  };
  llvm::for_each(nest.inputs, add);
  llvm::for_each(nest.outputs, add);
  if (widest == 0)
    return 1;
  int64_t lanes = std::min<int64_t>(kWidestAccess / widest, 8);
  int64_t code = instructionsOf(nest.op);
  while (lanes > 1 && code * lanes > kLongestCode)
    lanes /= 2;
  // What is left of a row would be scattered over the grid.
  while (lanes > 1 && nest.rank() > 1 && nest.sizes.back() % lanes != 0)
    lanes /= 2;
  auto isAligned = [&](const Access &access) {
    return isWide(access, nest, lanes);
  };
  while (lanes > 1 && llvm::none_of(nest.outputs, isAligned))
    lanes /= 2;
  while (lanes > countSteps(nest, false))
    lanes /= 2;
  return lanes;
}

//===-- Teams -------------------------------------------------------------===//

/// Pieces of 32 bytes that a warp reads at once where its lanes are neighbours
/// along `dim`, of all inputs.
static int64_t piecesAlong(const LoopNest &nest, unsigned dim) {
  int64_t sum = 1;
  for (const Access &access : nest.inputs)
    if (!access.isScalar())
      sum += std::clamp<int64_t>(
          std::abs(access.strides[dim]) * bytesOf(access), 1, kWarp);
  return sum;
}

static int64_t membersOf(Team team) {
  return team == Team::Thread ? 1 : team == Team::Warp ? kWarp : kMostThreads;
}

GridReads cellgrad::readsOf(const LoopNest &nest) {
  unsigned firstReduction =
      llvm::find(nest.isReduction, true) - nest.isReduction.begin();
  return {firstReduction == 0 ? 1 : piecesAlong(nest, firstReduction - 1),
          piecesAlong(nest, nest.rank() - 1)};
}

double cellgrad::estimateCycles(Team team, double results, double depth,
                                const GridReads &reads) {
  // Of a large GPU: what a step and a tree wait for, and how many pieces its
  // multiprocessors read at once.
  constexpr double kStep = 30, kWarpTree = 150, kBlockTree = 400, kPieces = 264;
  double members = membersOf(team);
  double tree = team == Team::Thread ? 0
                : team == Team::Warp ? kWarpTree
                                     : kBlockTree;
  double pieces = team == Team::Thread ? reads.across : reads.along;
  double rounds = std::max(1.0, results * members / kBusyThreads);
  return rounds * (std::ceil(depth / members) * kStep + tree) +
         results * depth * pieces / kWarp / kPieces;
}

Team cellgrad::bestTeam(double results, double depth, const GridReads &reads) {
  Team best = Team::Thread;
  for (Team team : {Team::Warp, Team::Block})
    if (estimateCycles(team, results, depth, reads) <
        estimateCycles(best, results, depth, reads))
      best = team;
  return best;
}

static Team planTeam(const LoopNest &nest) {
  int64_t depth = countSteps(nest, true);
  if (depth == 1 || llvm::any_of(findCombiners(nest),
                                 [](const Combiner &c) { return !c.op; }))
    return Team::Thread;
  return bestTeam(countSteps(nest, false), depth, readsOf(nest));
}

GridPlan cellgrad::planGrid(const LoopNest &nest) {
  GridPlan plan{planTeam(nest), planLanes(nest), 0, 0};
  int64_t results = countSteps(nest, false);
  if (plan.lanes > 1)
    results = results / plan.lanes + results % plan.lanes;
  int64_t members = membersOf(plan.team);
  plan.threads =
      std::min<int64_t>(kMostThreads, llvm::alignTo<kWarp>(results * members));
  plan.blocks = llvm::divideCeil(results, plan.threads / members);
  return plan;
}
