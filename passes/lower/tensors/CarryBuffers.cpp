//===- CarryBuffers.cpp - buffers for what loops carry and branches give --===//
//
// Bufferisation must see that what a trip yields lies in the buffer which the
// trip began with, and stops with an error where it cannot
// (docs/decisions/0017-loops-carry-buffers.md). So every carried tensor gets a
// buffer here, and loops carry no tensors any more:
//
//   %r:2 = scf.for iter_args(%a = %x, %b = %x) {    scf.for {
//     %n = negf %a                                    %a = to_tensor %A
//     yield %b, %n                                    %b = to_tensor %B
//   }                                                 %n = negf %a
//                                                     %s = copy of %b
//                                                     %s in %A, %n in %B
//                                                   }
//                                                   %r0 = to_tensor %A, ...
//
// `%b` is saved first: it lies in %B, and the store of `%n` could come before
// that of `%b`. What is copied without need is found on memrefs, by
// cell-coalesce-buffers.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cellgrad {
#define GEN_PASS_DEF_CARRYBUFFERS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace {

Value allocate(OpBuilder &b, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return memref::AllocOp::create(
      b, loc, MemRefType::get(tensor.getShape(), tensor.getElementType()));
}

/// What lies in `buffer` at this point. Where it is `writable`, bufferisation
/// may change it in place.
Value contents(OpBuilder &b, Value buffer, bool writable = true) {
  auto type = cast<MemRefType>(buffer.getType());
  return ToTensorOp::create(
      b, buffer.getLoc(),
      RankedTensorType::get(type.getShape(), type.getElementType()), buffer,
      /*restrict=*/true, writable);
}

void store(OpBuilder &b, Value value, Value buffer) {
  if (!value.getDefiningOp<tensor::EmptyOp>())
    MaterializeInDestinationOp::create(b, value.getLoc(), /*result=*/Type(),
                                       value, buffer, /*restrict=*/true,
                                       /*writable=*/true);
}

/// Whether bufferisation may leave `value` in the buffer of one of `others`.
bool mayShareBuffer(Value value, ArrayRef<Value> others) {
  SmallVector<Value> stack{value};
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value v = stack.pop_back_val();
    if (!v || !seen.insert(v).second)
      continue;
    if (llvm::is_contained(others, v))
      return true;
    auto result = dyn_cast<OpResult>(v);
    if (!result)
      continue;
    Operation *op = result.getOwner();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      stack.push_back(
          linalgOp.getDpsInitOperand(result.getResultNumber())->get());
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      stack.push_back(insert.getDest());
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      stack.push_back(insert.getDest());
    else
      llvm::append_range(stack, op->getOperands());
  }
  return false;
}

/// Stores `values`, which a trip ends with, for the next one. `carried` are the
/// contents of the buffers in this trip: a value that may lie in a buffer other
/// than its own is saved before any of them is overwritten.
void storeForNextTrip(OpBuilder &b, ArrayRef<Value> values,
                      ArrayRef<Value> buffers, ArrayRef<Value> carried) {
  SmallVector<Value> saved(values);
  for (auto [i, value] : llvm::enumerate(saved)) {
    SmallVector<Value> others(carried);
    others[i] = Value();
    if (mayShareBuffer(value, others))
      value = bufferization::AllocTensorOp::create(
          b, value.getLoc(), cast<RankedTensorType>(value.getType()),
          ValueRange(), /*copy=*/value);
  }
  for (auto [value, buffer] : llvm::zip_equal(saved, buffers))
    store(b, value, buffer);
}

/// The positions of tensors among `types`.
llvm::BitVector tensorsAmong(TypeRange types) {
  llvm::BitVector found(types.size());
  for (auto [i, type] : llvm::enumerate(types))
    found[i] = isa<RankedTensorType>(type);
  return found;
}

template <typename RangeT>
SmallVector<Value> without(RangeT &&values, const llvm::BitVector &removed) {
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(values))
    if (!removed.test(i))
      kept.push_back(value);
  return kept;
}

/// Takes the results at `removed`, which nothing uses, away: `fewer` is `op`
/// without them.
void replaceByFewer(Operation *op, Operation *fewer,
                    const llvm::BitVector &removed) {
  fewer->setAttrs(op->getAttrDictionary());
  for (auto [old, kept] :
       llvm::zip_equal(without(op->getResults(), removed), fewer->getResults()))
    old.replaceAllUsesWith(kept);
  op->erase();
}

void carryInBuffers(scf::ForOp loop) {
  llvm::BitVector tensors = tensorsAmong(loop.getResultTypes());
  if (tensors.none())
    return;
  OpBuilder b(loop);
  Operation *yield = loop.getBody()->getTerminator();
  SmallVector<Value> buffers, carried, values;
  for (unsigned i : tensors.set_bits()) {
    Value init = loop.getInitArgs()[i];
    b.setInsertionPoint(loop);
    buffers.push_back(allocate(b, loop.getLoc(), init.getType()));
    store(b, init, buffers.back());
    b.setInsertionPointToStart(loop.getBody());
    carried.push_back(contents(b, buffers.back()));
    loop.getRegionIterArgs()[i].replaceAllUsesWith(carried.back());
    b.setInsertionPointAfter(loop);
    loop.getResult(i).replaceAllUsesWith(contents(b, buffers.back()));
  }
  for (unsigned i : tensors.set_bits())
    values.push_back(yield->getOperand(i));
  b.setInsertionPoint(yield);
  storeForNextTrip(b, values, buffers, carried);

  yield->eraseOperands(tensors);
  b.setInsertionPoint(loop);
  auto fewer = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(),
                                  without(loop.getInitArgs(), tensors));
  fewer.getRegion().takeBody(loop.getRegion());
  llvm::BitVector arguments(1);
  for (unsigned i = 0; i < tensors.size(); ++i)
    arguments.push_back(tensors.test(i));
  fewer.getBody()->eraseArguments(arguments);
  replaceByFewer(loop, fewer, tensors);
}

/// A `while` has two bodies: the condition hands values to the loop's body and,
/// in the last trip, to what follows the loop. What it hands on unchanged stays
/// in the buffer of the carried value. What it computes gets another buffer, as
/// the carried value may still be read. Only the body's end stores values for
/// the next trip.
void carryInBuffers(scf::WhileOp loop) {
  llvm::BitVector inits = tensorsAmong(loop.getInits().getTypes());
  llvm::BitVector results = tensorsAmong(loop.getResultTypes());
  scf::ConditionOp condition = loop.getConditionOp();
  Operation *yield = loop.getYieldOp();
  OpBuilder b(loop);

  // The condition hands most values on as they came: in the same buffer.
  SmallVector<Value> handedOn(results.size());
  SmallVector<std::pair<Value, Value>> computed;
  SmallVector<Value> buffers(inits.size());
  for (unsigned i : inits.set_bits()) {
    buffers[i] = allocate(b, loop.getLoc(), loop.getInits()[i].getType());
    store(b, loop.getInits()[i], buffers[i]);
  }
  for (unsigned k : results.set_bits()) {
    Value value = condition.getArgs()[k];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBeforeBody()) {
      handedOn[k] = buffers[argument.getArgNumber()];
      continue;
    }
    handedOn[k] = allocate(b, loop.getLoc(), value.getType());
    computed.push_back({value, handedOn[k]});
  }

  // What the condition reads stays for the body.
  b.setInsertionPointToStart(loop.getBeforeBody());
  for (unsigned i : inits.set_bits())
    loop.getBeforeArguments()[i].replaceAllUsesWith(
        contents(b, buffers[i], /*writable=*/false));
  b.setInsertionPoint(condition);
  for (auto [value, buffer] : computed)
    store(b, value, buffer);

  // One tensor for each buffer, in the body and after the loop.
  auto replaceAll = [&](ValueRange values) {
    llvm::MapVector<Value, Value> tensors;
    for (unsigned k : results.set_bits()) {
      Value &tensor = tensors[handedOn[k]];
      if (!tensor)
        tensor = contents(b, handedOn[k]);
      values[k].replaceAllUsesWith(tensor);
    }
    return tensors;
  };
  b.setInsertionPointToStart(loop.getAfterBody());
  llvm::MapVector<Value, Value> inBody = replaceAll(loop.getAfterArguments());
  b.setInsertionPointAfter(loop);
  replaceAll(loop.getResults());

  SmallVector<Value> values, next, carried;
  for (unsigned i : inits.set_bits()) {
    values.push_back(yield->getOperand(i));
    next.push_back(buffers[i]);
    carried.push_back(inBody.lookup(buffers[i]));
  }
  b.setInsertionPoint(yield);
  storeForNextTrip(b, values, next, carried);

  yield->eraseOperands(inits);
  llvm::BitVector handed(1);
  for (unsigned k = 0; k < results.size(); ++k)
    handed.push_back(results.test(k));
  condition->eraseOperands(handed);
  b.setInsertionPoint(loop);
  auto fewer = scf::WhileOp::create(
      b, loop.getLoc(),
      ValueRange(without(loop.getResults(), results)).getTypes(),
      without(loop.getInits(), inits));
  fewer.getBefore().takeBody(loop.getBefore());
  fewer.getAfter().takeBody(loop.getAfter());
  fewer.getBeforeBody()->eraseArguments(inits);
  fewer.getAfterBody()->eraseArguments(results);
  replaceByFewer(loop, fewer, results);
}

void giveInBuffers(scf::IfOp branch) {
  llvm::BitVector tensors = tensorsAmong(branch.getResultTypes());
  if (tensors.none())
    return;
  OpBuilder b(branch);
  for (unsigned i : tensors.set_bits()) {
    b.setInsertionPoint(branch);
    Value buffer = allocate(b, branch.getLoc(), branch.getResult(i).getType());
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      b.setInsertionPoint(yield);
      store(b, yield.getOperand(i), buffer);
    }
    b.setInsertionPointAfter(branch);
    branch.getResult(i).replaceAllUsesWith(contents(b, buffer));
  }
  branch.thenYield()->eraseOperands(tensors);
  branch.elseYield()->eraseOperands(tensors);
  b.setInsertionPoint(branch);
  auto fewer = scf::IfOp::create(
      b, branch.getLoc(),
      ValueRange(without(branch.getResults(), tensors)).getTypes(),
      branch.getCondition(), /*addThenBlock=*/false, /*addElseBlock=*/false);
  fewer.getThenRegion().takeBody(branch.getThenRegion());
  fewer.getElseRegion().takeBody(branch.getElseRegion());
  replaceByFewer(branch, fewer, tensors);
}

struct CarryBuffers : cellgrad::impl::CarryBuffersBase<CarryBuffers> {
  void runOnOperation() override {
    // Inner ops first: what they give then lies in a buffer of its own, which
    // none of an outer loop's is.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      llvm::TypeSwitch<Operation *>(op)
          .Case<scf::ForOp, scf::WhileOp>([](auto x) { carryInBuffers(x); })
          .Case<scf::IfOp>([](scf::IfOp x) { giveInBuffers(x); });
  }
};

} // namespace
