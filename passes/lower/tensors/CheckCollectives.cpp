//===- CheckCollectives.cpp - do all ranks come to a collective? ----------===//
//
// A forward analysis for each group that has collectives: `varying` has the
// values that may differ between its ranks. Loops are walked until it grows no
// more.
//
// Messages may be anywhere: who comes to a receive waits for one rank alone.
//
// A mistake towards "the same" lets a program wait for a rank that never comes,
// until the communicator's time limit; one towards "varying" refuses a program
// that is right.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Passes.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_CHECKCOLLECTIVES
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

bool hasCollectives(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return needsAllRanks(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

struct CheckCollectives
    : cellgrad::impl::CheckCollectivesBase<CheckCollectives> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isDeclaration() || !hasCollectives(func))
      return;
    llvm::SetVector<Attribute> groups; // null for all ranks
    func.walk([&](Operation *op) {
      if (needsAllRanks(op))
        groups.insert(op->getAttr("group"));
    });
    for (Attribute of : groups) {
      group = of;
      if (failed(checkGroup(func)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult checkGroup(func::FuncOp func) {
    varying.clear();
    for (BlockArgument argument : func.getArguments()) {
      auto role = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    "cell.role");
      if (!role || role.getValue() == "input" || role.getValue() == "batch")
        varying.insert(argument);
    }
    for (size_t before = varying.size() + 1; before != varying.size();) {
      before = varying.size();
      func.walk([&](Operation *op) { visit(op); });
    }
    return failure(func.walk([&](Operation *op) {
                         return succeeded(check(op)) ? WalkResult::advance()
                                                     : WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

  /// Whether all ranks of the group take part in `op`, so that what it gives
  /// all is the same on them.
  bool coversGroup(Operation *op) const {
    ArrayRef<int64_t> taking = groupOf(op);
    if (taking.empty())
      return true;
    return group && llvm::all_of(cast<DenseI64ArrayAttr>(group).asArrayRef(),
                                 [&](int64_t rank) {
                                   return llvm::is_contained(taking, rank);
                                 });
  }

  bool varies(Value value) const { return varying.contains(value); }
  bool anyVaries(ValueRange values) const {
    return llvm::any_of(values, [&](Value value) { return varies(value); });
  }
  void mark(ValueRange values) { varying.insert_range(values); }
  void flow(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip_equal(from, to))
      if (varies(source))
        varying.insert(target);
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : branch.getRegions())
        if (!region->empty())
          flow(region->front().getTerminator()->getOperands(),
               branch.getResults());
      if (varies(branch.getCondition()))
        mark(branch.getResults());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      flow(loop.getInitArgs(), loop.getRegionIterArgs());
      flow(loop.getYieldedValues(), loop.getRegionIterArgs());
      flow(loop.getRegionIterArgs(), loop.getResults());
      if (varies(loop.getLowerBound()) || varies(loop.getStep()))
        mark(loop.getInductionVar());
      if (bounds(loop))
        mark(loop.getResults());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      ValueRange handed = loop.getConditionOp().getArgs();
      flow(loop.getInits(), loop.getBeforeArguments());
      flow(loop.getYieldedValues(), loop.getBeforeArguments());
      flow(handed, loop.getAfterArguments());
      flow(handed, loop.getResults());
      if (varies(loop.getConditionOp().getCondition()))
        mark(loop.getResults());
    } else if (isa<RankIdOp, ReduceScatterOp, AllToAllOp, ReceiveOp>(op)) {
      mark(op->getResults());
    } else if (op->hasTrait<Collective>()) {
      // The same on all that take part, whatever it is made of.
      if (!coversGroup(op))
        mark(op->getResults());
    } else if (op->getNumRegions() != 0 && !isa<func::FuncOp>(op)) {
      mark(op->getResults());
    } else if (anyVaries(op->getOperands())) {
      mark(op->getResults());
    }
  }

  /// Whether ranks may make different numbers of trips.
  bool bounds(scf::ForOp loop) const {
    return varies(loop.getLowerBound()) || varies(loop.getUpperBound()) ||
           varies(loop.getStep());
  }

  LogicalResult check(Operation *op) {
    if (!needsAllRanks(op) || op->getAttr("group") != group)
      return success();
    for (Operation *around = op->getParentOp(); !isa<func::FuncOp>(around);
         around = around->getParentOp()) {
      bool differs = true;
      StringRef what = "an op that ranks may run differently";
      if (auto branch = dyn_cast<scf::IfOp>(around)) {
        differs = varies(branch.getCondition());
        what = "a branch whose condition may differ between ranks";
      } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
        differs = bounds(loop);
        what = "a loop whose trips may differ between ranks";
      } else if (auto loop = dyn_cast<scf::WhileOp>(around)) {
        differs = varies(loop.getConditionOp().getCondition());
        what = "a loop whose trips may differ between ranks";
      }
      if (!differs)
        continue;
      InFlightDiagnostic error =
          refuse(op) << "is in " << what
                     << ": a rank that comes to it would wait for others that "
                        "do not; compute the condition from what an "
                        "all_reduce gives, or call the collective outside";
      error.attachNote(around->getLoc()) << "it is here";
      return error;
    }
    return success();
  }

  DenseSet<Value> varying;
  Attribute group;
};

} // namespace
