//===- PlaceResults.cpp - compute values in their final buffers -----------===//

#include "passes/lower/cpu/Passes.h"
#include "passes/lower/cpu/Schedule.h"
#include "passes/lower/cpu/SinkStores.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLACERESULTS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace {

/// The values in whose buffers `value` may lie.
SmallVector<Value> sharedValues(Value value) {
  // What a loop carries starts as its initial value and goes on as what an
  // iteration yields, position by position.
  auto carried = [](scf::ForOp loop, unsigned i) -> SmallVector<Value> {
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  };
  auto result = dyn_cast<OpResult>(value);
  if (!result) {
    auto arg = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg == loop.getInductionVar())
      return {};
    return carried(loop, arg.getArgNumber() - loop.getNumInductionVars());
  }
  Operation *op = result.getOwner();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return {linalgOp.getDpsInitOperand(result.getResultNumber())->get()};
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return {insert.getDest()};
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return {insert.getDest()};
  if (auto store = dyn_cast<MaterializeInDestinationOp>(op))
    return {store.getDest()};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carried(loop, result.getResultNumber());
  if (isa<bufferization::AllocTensorOp>(op))
    return {};
  SmallVector<Value> values;
  for (Value operand : op->getOperands())
    if (isa<TensorType>(operand.getType()))
      values.push_back(operand);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value yielded : block.getTerminator()->getOperands())
        if (isa<TensorType>(yielded.getType()))
          values.push_back(yielded);
  return values;
}

/// Whether `value` may lie in the buffer of one of `args` other than `own`.
bool mayShareBuffer(Value value, ValueRange args, Value own) {
  SmallVector<Value> stack{value};
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value v = stack.pop_back_val();
    if (!seen.insert(v).second || v == own)
      continue;
    if (llvm::is_contained(args, v))
      return true;
    llvm::append_range(stack, sharedValues(v));
  }
  return false;
}

/// The operand that `value` is a changed version of, in the same buffer if
/// bufferisation can; null where it is something new.
OpOperand *changedOperand(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *op = result.getOwner();
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return &insert.getDestMutable();
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return &insert.getDestMutable();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getDpsInitOperand(result.getResultNumber());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return &loop.getInitArgsMutable()[result.getResultNumber()];
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Value handed = loop.getConditionOp().getArgs()[result.getResultNumber()];
    auto argument = dyn_cast<BlockArgument>(handed);
    if (argument && argument.getOwner() == loop.getBeforeBody())
      return &loop.getInitsMutable()[argument.getArgNumber()];
  }
  return nullptr;
}

/// Whether `use` reads elements, itself or through a slice, and is done with
/// them before `writer`.
bool isReadBefore(OpOperand &use, Operation *writer) {
  Operation *at = writer->getBlock()->findAncestorOpInBlock(*use.getOwner());
  if (!at || !at->isBeforeInBlock(writer))
    return false;
  if (isa<tensor::ExtractOp>(use.getOwner()))
    return true;
  if (auto whole = dyn_cast<linalg::LinalgOp>(use.getOwner());
      whole && whole.isDpsInput(&use))
    return true;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
  return slice && llvm::all_of(slice->getUses(), [&](OpOperand &part) {
           Operation *user =
               writer->getBlock()->findAncestorOpInBlock(*part.getOwner());
           return user && user->isBeforeInBlock(writer) &&
                  isa<linalg::LinalgOp, tensor::ExtractOp>(part.getOwner());
         });
}

/// Whether anything reads the value of `init` in `loop` or after it.
bool isReadFrom(OpOperand &init, Operation *loop) {
  return llvm::any_of(init.get().getUses(), [&](OpOperand &use) {
    if (&use == &init || isReadBefore(use, loop))
      return false;
    Operation *at = loop->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return !at || !at->isBeforeInBlock(loop) ||
           !isa<linalg::LinalgOp>(use.getOwner());
  });
}

/// True when `value` is `arg` after changes that are surely in place: nothing
/// reads a version that is gone.
bool isChangedInPlace(Value value, Value arg) {
  while (value != arg) {
    OpOperand *changed = changedOperand(value);
    if (!changed)
      return false;
    for (OpOperand &use : changed->get().getUses())
      if (&use != changed && !isReadBefore(use, changed->getOwner()))
        return false;
    value = changed->get();
  }
  return true;
}

/// Makes a loop carry its tensors in fixed buffers: what an iteration yields is
/// moved to where the next one expects it. What lies in the buffer of another
/// carried tensor is saved before that is overwritten.
void moveYielded(Operation *yield, ArrayRef<Value> destinations) {
  OpBuilder b(yield);
  auto moves = [&](unsigned i) {
    Value value = yield->getOperand(i);
    return destinations[i] && isa<TensorType>(value.getType()) &&
           !isChangedInPlace(value, destinations[i]);
  };
  for (unsigned i = 0; i < destinations.size(); ++i) {
    Value value = yield->getOperand(i);
    if (moves(i) && mayShareBuffer(value, destinations, destinations[i]))
      yield->setOperand(i, bufferization::AllocTensorOp::create(
                               b, value.getLoc(),
                               cast<RankedTensorType>(value.getType()),
                               ValueRange(), /*copy=*/value));
  }
  for (unsigned i = 0; i < destinations.size(); ++i) {
    Value value = yield->getOperand(i);
    if (moves(i))
      yield->setOperand(
          i, MaterializeInDestinationOp::create(
                 b, value.getLoc(), value.getType(), value, destinations[i])
                 .getResult());
  }
}

/// Gives loops inside of a loop buffers of their own for what they start from
/// in the buffers of `args`, which the outer one carries: bufferisation takes
/// one for the other, and then meets the outer loop's own changes. Where the
/// inner loop's result is what the outer one goes on with, they share.
void separateInnerLoops(Operation *outer, ArrayRef<Value> args,
                        ValueRange yielded, ArrayRef<Value> destinations) {
  DenseSet<OpOperand *> shared;
  for (auto [value, destination] : llvm::zip_equal(yielded, destinations))
    if (destination && isChangedInPlace(value, destination))
      for (Value v = value; v != destination;) {
        OpOperand *changed = changedOperand(v);
        shared.insert(changed);
        v = changed->get();
      }
  outer->walk([&](LoopLikeOpInterface inner) {
    if (inner == outer || !isa<scf::ForOp, scf::WhileOp>(inner))
      return;
    OpBuilder b(inner);
    for (OpOperand &init : inner.getInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (type && !shared.contains(&init) &&
          (isa<scf::WhileOp>(inner) || isReadFrom(init, inner)) &&
          mayShareBuffer(init.get(), args, /*own=*/{}))
        init.set(bufferization::AllocTensorOp::create(
            b, inner.getLoc(), type, ValueRange(), /*copy=*/init.get()));
    }
  });
}

/// `loop` with a condition that hands on exactly what it is given, in order:
/// so the body knows the buffers of all that is carried.
scf::WhileOp forwardAll(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  if (llvm::equal(condition.getArgs(), loop.getBeforeArguments()))
    return loop;
  SmallVector<Value> forwarded(loop.getBeforeArguments());
  SmallVector<unsigned> places;
  for (Value value : condition.getArgs()) {
    places.push_back(llvm::find(forwarded, value) - forwarded.begin());
    if (places.back() == forwarded.size())
      forwarded.push_back(value);
  }
  condition.getArgsMutable().assign(forwarded);
  OpBuilder b(loop);
  auto wider = scf::WhileOp::create(
      b, loop.getLoc(), ValueRange(forwarded).getTypes(), loop.getInits());
  wider.getBefore().takeBody(loop.getBefore());
  wider.getAfter().takeBody(loop.getAfter());
  Block &body = *wider.getAfterBody();
  for (Value value : forwarded)
    body.addArgument(value.getType(), value.getLoc());
  for (auto [old, place] : llvm::enumerate(places)) {
    body.getArgument(old).replaceAllUsesWith(
        body.getArgument(places.size() + place));
    loop.getResult(old).replaceAllUsesWith(wider.getResult(place));
  }
  body.eraseArguments(0, places.size());
  loop->erase();
  return wider;
}

void fixLoopBuffers(func::FuncOp func) {
  func.walk([&](scf::ForOp loop) {
    SmallVector<Value> destinations(loop.getRegionIterArgs());
    Operation *yield = loop.getBody()->getTerminator();
    separateInnerLoops(loop, destinations, yield->getOperands(), destinations);
    moveYielded(yield, destinations);
  });
  SmallVector<scf::WhileOp> loops;
  func.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops) {
    loop = forwardAll(loop);
    // The condition hands the buffers of the loop's arguments to the body.
    unsigned count = loop.getBeforeArguments().size();
    SmallVector<Value> destinations(loop.getAfterArguments().take_front(count));
    SmallVector<Value> args(loop.getBeforeArguments());
    llvm::append_range(args, destinations);
    separateInnerLoops(loop, args, loop.getYieldOp().getOperands(),
                       destinations);
    moveYielded(loop.getYieldOp(), destinations);
  }
}

/// Whether `value` is a part of another tensor, seen through reshapes.
bool isSlice(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::ExtractSliceOp>(op);
}

/// Copies the slices that branches yield: two of them, or one and a tensor of
/// its own, have no common layout that is known while compiling.
void copyYieldedSlices(func::FuncOp func) {
  func.walk([](scf::IfOp op) {
    if (op.getNumResults() == 0)
      return;
    for (scf::YieldOp yield : {op.thenYield(), op.elseYield()}) {
      OpBuilder b(yield);
      for (OpOperand &operand : yield->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        if (type && isSlice(operand.get()))
          operand.set(bufferization::AllocTensorOp::create(
              b, yield.getLoc(), type, ValueRange(), /*copy=*/operand.get()));
      }
    }
  });
}

class ResultPlacer {
public:
  explicit ResultPlacer(Block &block)
      : block(block), schedule(block), checks(schedule.checks()) {}

  void run() {
    SmallVector<MaterializeInDestinationOp> stores(
        block.getOps<MaterializeInDestinationOp>());
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
  /// What may change a donated argument comes after the checks it can follow:
  /// a call that fails leaves the argument as it was.
  void putChecksBefore(Operation *op) {
    for (auto &[check, before] : checks)
      if (!before.contains(op))
        schedule.addEdge(check, op);
  }

  /// A branch that stores into donated arguments comes after every read of
  /// their old values, as it does already, and after the checks.
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
      putChecksBefore(branch);
    });
  }

  /// The store into a donated argument comes after every read of its old value.
  /// A store that cannot come first, because it overwrites what this one reads,
  /// stores a copy made beforehand: two arguments that swap places.
  void orderDonation(MaterializeInDestinationOp store, ToTensorOp old) {
    SetVector<Operation *> readers;
    collectReaders(block, old.getResult(), readers);
    readers.remove(store);
    putChecksBefore(store);
    llvm::for_each(readers, [&](Operation *op) { putChecksBefore(op); });
    for (Operation *reader : readers) {
      auto otherStore = dyn_cast<MaterializeInDestinationOp>(reader);
      if (otherStore && schedule.dependsOn(reader, store)) {
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
    OpOperand *init;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      init = linalgOp.getDpsInitOperand(number);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      init = &loop.getInitArgsMutable()[number];
    else
      return nullptr;
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
      // The write must come after all reads of the old value.
      SetVector<Operation *> readers;
      collectReaders(block, old.getResult(), readers);
      readers.remove(writer);
      readers.remove(store);
      for (Operation *reader : readers)
        if (schedule.dependsOn(reader, writer))
          return;
      for (auto &[check, before] : checks)
        if (before.contains(writer))
          return;
      putChecksBefore(writer);
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
  CheckOrder checks;
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
    copyYieldedSlices(getOperation());
    fixLoopBuffers(getOperation());
    placeResults(getOperation().getBody().front());
  }
};

} // namespace
