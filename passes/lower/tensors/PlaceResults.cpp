//===- PlaceResults.cpp - compute values in their final buffers -----------===//
//
// A function ends by storing its results into memory of the caller. If each op
// computed its result in a temporary first, every result would be copied once.
// This pass makes the op that computes a result start from the result's memory,
// so that bufferisation writes there at once:
//
//   %p = to_tensor %P : memref        // donated: %P also takes the new value
//   %g = to_tensor %G : memref
//   %new   = generic ins(%p, %g) outs(empty) { a - b }
//   %other = generic ins(reversed %p, %g) outs(empty) { a * b }
//   materialize_in_destination %new in %P
//   materialize_in_destination %other in %OUT
//
// becomes
//
//   %out = to_tensor %OUT
//   %other = generic ins(reversed %p, %g) outs(%out) { a * b }
//   %new   = generic ins(%p, %g) outs(%p) { a - b }
//   ... the two stores, which are now copies of a buffer to itself
//
// A result's own memory is free from the start. A donated argument holds its
// old value until the new one is written. So the ops that write into it
// (`%new`) move, and these rules hold for each of them:
//
// - It comes after every op of the block that reads the old value (`%other`).
//   `Schedule` has an edge for each. An edge that would close a circle, because
//   the reader needs what is written, is never added: the result is then
//   computed in a temporary and copied.
// - It comes after the last op that may fail, so that a call that fails leaves
//   its arguments as they were (docs/decisions/0016-updates-come-last.md). What
//   must come before such an op writes into a copy.
// - A value that is stored twice is placed once.
//
// What a mistake here does: an op that writes into `%p` too early costs a copy,
// as bufferisation sees that `%p` is read later. The stores at the end are
// another matter: bufferisation takes `%p` and %P for different memory
// (`restrict`), so a store into %P before a reader of `%p` is a wrong number.
// And an order that forgets what may fail shows only in what a failed call
// leaves behind.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Passes.h"
#include "passes/lower/tensors/Schedule.h"
#include "passes/lower/tensors/SinkStores.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLACERESULTS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace {

class ResultPlacer {
public:
  explicit ResultPlacer(Block &block) : block(block), schedule(block) {}

  void run() {
    SmallVector<MaterializeInDestinationOp> stores(
        block.getOps<MaterializeInDestinationOp>());
    for (ToTensorOp old : block.getOps<ToTensorOp>())
      if (old.getWritable())
        protect(old);
    for (scf::IfOp branch : block.getOps<scf::IfOp>())
      orderBranch(branch);
    for (MaterializeInDestinationOp store : stores)
      if (ToTensorOp old = oldValue(store.getDest()))
        orderDonation(store, old);
    DenseSet<Value> placed;
    for (MaterializeInDestinationOp store : stores)
      if (placed.insert(store.getSource()).second)
        place(store);
    schedule.apply();
    reuseDyingOperands();
  }

private:
  /// A donated argument changes after the last op that may fail: what could
  /// change in place before changes in a copy.
  void protect(ToTensorOp old) {
    if (!schedule.anyFails())
      return;
    bufferization::BufferizationOptions options;
    bufferization::AnalysisState state(options);
    SetVector<Value> values; // that may lie in the argument's buffer
    values.insert(old.getResult());
    for (unsigned i = 0; i < values.size(); ++i)
      for (OpOperand &use : llvm::make_early_inc_range(values[i].getUses())) {
        // What a loop carries gets a buffer of its own.
        if (isa<LoopLikeOpInterface>(use.getOwner()))
          continue;
        Operation *at = block.findAncestorOpInBlock(*use.getOwner());
        if (at && state.bufferizesToMemoryWrite(use)) {
          if (schedule.isBeforeFailure(at)) {
            useCopy(use, at);
            continue;
          }
          schedule.putAfterFailures(at);
        }
        for (auto alias : state.getAliasingValues(use))
          values.insert(alias.value);
      }
  }

  /// Gives `use`, at or in the op `at` of the block, a copy of its own.
  void useCopy(OpOperand &use, Operation *at) {
    OpBuilder b(use.getOwner());
    Value value = use.get();
    auto copy = bufferization::AllocTensorOp::create(
        b, use.getOwner()->getLoc(), cast<RankedTensorType>(value.getType()),
        ValueRange(), /*copy=*/value);
    use.set(copy.getResult());
    if (copy->getBlock() != &block)
      return;
    if (Operation *def = value.getDefiningOp())
      schedule.addEdge(def, copy);
    schedule.addEdge(copy, at);
  }

  /// A branch that stores into donated arguments comes after every read of
  /// their old values, as it does already, and after all that may fail.
  void orderBranch(scf::IfOp branch) {
    branch.walk([&](MaterializeInDestinationOp store) {
      ToTensorOp old = oldValue(store.getDest());
      if (!old)
        return;
      SetVector<Operation *> readers;
      collectReaders(block, old.getResult(), readers);
      for (Operation *reader : readers)
        if (reader != branch && reader->isBeforeInBlock(branch))
          schedule.addEdge(reader, branch);
      schedule.putAfterFailures(branch);
    });
  }

  /// The store into a donated argument comes after every read of its old value.
  /// A store that cannot come first, because it overwrites what this one reads,
  /// stores a copy made beforehand: two arguments that swap places.
  void orderDonation(MaterializeInDestinationOp store, ToTensorOp old) {
    SetVector<Operation *> readers;
    collectReaders(block, old.getResult(), readers);
    readers.remove(store);
    schedule.putAfterFailures(store);
    DenseSet<Operation *> later = schedule.dependents(store);
    for (Operation *reader : readers) {
      auto otherStore = dyn_cast<MaterializeInDestinationOp>(reader);
      if (otherStore && later.contains(reader)) {
        Value source = otherStore.getSource();
        OpBuilder b(block.getParentOp()->getContext());
        b.setInsertionPointAfterValue(source);
        auto copy = bufferization::AllocTensorOp::create(
            b, otherStore.getLoc(), cast<RankedTensorType>(source.getType()),
            ValueRange(), /*copy=*/source);
        otherStore.getSourceMutable().assign(copy.getResult());
        if (Operation *def = source.getDefiningOp())
          schedule.addEdge(def, copy);
        schedule.addEdge(copy, otherStore);
        reader = copy;
      }
      schedule.addEdge(reader, store);
    }
  }

  /// The op that first writes the buffer of `value`, with the init operand
  /// through which it does; reshapes on the way are recorded, outermost first.
  OpOperand *findInit(Value value, SmallVectorImpl<Operation *> &reshapes) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block)
      return nullptr;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) &&
        op->getOperand(0).hasOneUse()) {
      reshapes.push_back(op);
      return findInit(op->getOperand(0), reshapes);
    }
    unsigned number = cast<OpResult>(value).getResultNumber();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return nullptr;
    OpOperand *init = linalgOp.getDpsInitOperand(number);
    while (Operation *def = init->get().getDefiningOp()) {
      if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def) ||
          !def->hasOneUse() || def->getBlock() != &block)
        break;
      reshapes.push_back(def);
      init = &def->getOpOperand(0);
    }
    if (auto fill = init->get().getDefiningOp<linalg::FillOp>();
        fill && fill->hasOneUse() && fill->getBlock() == &block)
      init = fill.getDpsInitOperand(0);
    return init->get().getDefiningOp<tensor::EmptyOp>() ? init : nullptr;
  }

  /// `target` in the shape that the value had before `reshapes`.
  Value undoReshapes(OpBuilder &b, Value target,
                     ArrayRef<Operation *> reshapes) {
    for (Operation *reshape : reshapes) {
      auto type = reshape->getOperand(0).getType();
      if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
        target = tensor::CollapseShapeOp::create(
            b, expand.getLoc(), type, target, expand.getReassociationIndices());
      else
        target = tensor::ExpandShapeOp::create(
            b, reshape->getLoc(), type, target,
            cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
    }
    return target;
  }

  void place(MaterializeInDestinationOp store) {
    SmallVector<Operation *> reshapes;
    OpOperand *init = findInit(store.getSource(), reshapes);
    if (!init)
      return;
    Operation *writer = init->getOwner();
    ToTensorOp old = oldValue(store.getDest());
    OpBuilder b(&block, block.begin());
    if (old) {
      if (schedule.isBeforeFailure(writer))
        return;
      // The write must come after all reads of the old value.
      SetVector<Operation *> readers;
      collectReaders(block, old.getResult(), readers);
      readers.remove(writer);
      readers.remove(store);
      DenseSet<Operation *> later = schedule.dependents(writer);
      if (llvm::any_of(readers, [&](Operation *reader) {
            return later.contains(reader);
          }))
        return;
      schedule.putAfterFailures(writer);
      for (Operation *reader : readers)
        schedule.addEdge(reader, writer);
      b.setInsertionPointAfter(old);
    } else {
      old = ToTensorOp::create(b, store.getLoc(), store.getSource().getType(),
                               store.getDest(), /*restrict=*/true,
                               /*writable=*/true);
    }
    init->set(undoReshapes(b, old.getResult(), reshapes));
  }

  /// An elementwise op writes over an operand of its own type that it is the
  /// last to read.
  void reuseDyingOperands() {
    DenseMap<Operation *, unsigned> position;
    for (auto [i, op] : llvm::enumerate(block))
      position[&op] = i;
    for (auto op : block.getOps<linalg::GenericOp>()) {
      if (op.getNumLoops() != op.getNumParallelLoops())
        continue;
      for (OpOperand &init : op.getDpsInitsMutable()) {
        AffineMap map = op.getMatchingIndexingMap(&init);
        if (!init.get().getDefiningOp<tensor::EmptyOp>() || !map.isIdentity())
          continue;
        for (OpOperand *input : op.getDpsInputOperands()) {
          Operation *def = input->get().getDefiningOp<linalg::LinalgOp>();
          if (!def || input->get().getType() != init.get().getType() ||
              op.getMatchingIndexingMap(input) != map)
            continue;
          bool lastReader =
              llvm::all_of(input->get().getUses(), [&](OpOperand &use) {
                Operation *at = block.findAncestorOpInBlock(*use.getOwner());
                return &use == input ||
                       (at && at != op && position[at] < position[op] &&
                        isa<linalg::LinalgOp>(at));
              });
          if (!lastReader)
            continue;
          init.set(input->get());
          break;
        }
      }
    }
  }

  Block &block;
  Schedule schedule;
};

/// Places the results of a block, and of the branches in it that store.
void placeResults(Block &block) {
  sinkStores(block);
  ResultPlacer(block).run();
  for (auto branch : block.getOps<scf::IfOp>())
    for (Region *region : branch.getRegions())
      for (Block &way : *region)
        if (!way.getOps<MaterializeInDestinationOp>().empty())
          placeResults(way);
}

struct PlaceResults : cellgrad::impl::PlaceResultsBase<PlaceResults> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    placeResults(getOperation().getBody().front());
  }
};

} // namespace
