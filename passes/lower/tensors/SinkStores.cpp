//===- SinkStores.cpp - branches that update arguments --------------------===//

#include "passes/lower/tensors/SinkStores.h"

#include "passes/lower/tensors/Schedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace cellgrad;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace {
/// The store of a result of a branch.
struct BranchStore {
  unsigned number;
  MaterializeInDestinationOp store;
};

/// The stores that can move into `branch`: what must come before them is put
/// before it.
SmallVector<BranchStore> findStores(scf::IfOp branch, Schedule &schedule) {
  Block &block = *branch->getBlock();
  if (schedule.isBeforeFailure(branch))
    return {};
  SmallVector<BranchStore> found;
  for (OpResult result : branch.getResults()) {
    auto store =
        result.hasOneUse()
            ? dyn_cast<MaterializeInDestinationOp>(*result.getUsers().begin())
            : nullptr;
    ToTensorOp old = store && store->getBlock() == &block
                         ? oldValue(store.getDest())
                         : nullptr;
    if (!old)
      continue;
    SetVector<Operation *> readers;
    collectReaders(block, old.getResult(), readers);
    readers.remove(store);
    readers.remove(branch);
    DenseSet<Operation *> later = schedule.dependents(branch);
    if (llvm::any_of(readers,
                     [&](Operation *reader) { return later.contains(reader); }))
      continue;
    for (Operation *reader : readers)
      schedule.addEdge(reader, branch);
    schedule.putAfterFailures(branch);
    found.push_back({result.getResultNumber(), store});
  }
  return found;
}

/// Puts every store into a donated argument after all that reads its old value.
/// A branch must not store before one that must come after it: two arguments
/// that swap places, one of them by the branch.
void orderStores(Block &block, Schedule &schedule) {
  for (auto store : block.getOps<MaterializeInDestinationOp>())
    if (ToTensorOp old = oldValue(store.getDest())) {
      SetVector<Operation *> readers;
      collectReaders(block, old.getResult(), readers);
      readers.remove(store);
      for (Operation *reader : readers)
        schedule.addEdge(reader, store);
    }
}

/// Makes the ways of `branch` store, and gives it the other results only.
void moveStores(scf::IfOp branch, ArrayRef<BranchStore> stores) {
  llvm::BitVector moved(branch.getNumResults());
  for (BranchStore each : stores) {
    for (Block *way : {branch.thenBlock(), branch.elseBlock()}) {
      Operation *yield = way->getTerminator();
      Value value = yield->getOperand(each.number);
      // Also of the old value, which is a copy to itself: without it nothing
      // would say that the way needs the value, and an op before the branch
      // could change it in place.
      OpBuilder b(yield);
      MaterializeInDestinationOp::create(b, each.store.getLoc(),
                                         /*result=*/Type(), value,
                                         each.store.getDest(),
                                         /*restrict=*/true, /*writable=*/true);
    }
    each.store.erase();
    moved.set(each.number);
  }
  branch.thenYield()->eraseOperands(moved);
  branch.elseYield()->eraseOperands(moved);
  SmallVector<Value> kept;
  for (OpResult result : branch.getResults())
    if (!moved.test(result.getResultNumber()))
      kept.push_back(result);
  OpBuilder b(branch);
  auto fewer =
      scf::IfOp::create(b, branch.getLoc(), ValueRange(kept).getTypes(),
                        branch.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  fewer.getThenRegion().takeBody(branch.getThenRegion());
  fewer.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [old, result] : llvm::zip_equal(kept, fewer.getResults()))
    old.replaceAllUsesWith(result);
  branch.erase();
}
} // namespace

void cellgrad::sinkStores(Block &block) {
  if (block.getOps<scf::IfOp>().empty())
    return;
  Schedule schedule(block);
  orderStores(block, schedule);
  SmallVector<std::pair<scf::IfOp, SmallVector<BranchStore>>> found;
  for (auto branch : block.getOps<scf::IfOp>()) {
    SmallVector<BranchStore> stores = findStores(branch, schedule);
    if (!stores.empty())
      found.push_back({branch, stores});
  }
  if (found.empty())
    return;
  schedule.apply();
  for (auto &[branch, stores] : found)
    moveStores(branch, stores);
}
