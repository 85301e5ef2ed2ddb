//===- SumPhases.cpp - programs that add up over the batch ----------------===//

#include "passes/batch/SumPhases.h"

#include "passes/autodiff/ControlFlow.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cellgrad;

/// Shared values that cost nothing, or are folded into what uses them: phases
/// compute them instead of reading them.
static bool isRepeated(Operation *op) {
  return isa<ConstantOp, ReshapeOp, BroadcastOp, TransposeOp, StopGradientOp,
             arith::ConstantOp>(op);
}

/// Values of the phase in which an op is computed first: one more than that of
/// sums that it reads.
void SumPhases::findPhases() {
  for (Operation *op : ops) {
    int64_t phase = 0;
    for (Value value : readValues(op)) {
      auto result = dyn_cast<OpResult>(value);
      if (!result)
        continue;
      bool sum = flow.combineOf(result) != Combine::None;
      phase = std::max(phase, phaseOf.lookup(result.getOwner()) + sum);
    }
    phaseOf[op] = phase;
  }
}

void SumPhases::findLive() {
  SmallVector<Value> wanted(results);
  for (Operation *op : ops)
    if (!isMemoryEffectFree(op) && !isa<StashEmptyOp>(op)) {
      live.insert(op);
      llvm::append_range(wanted, readValues(op));
    }
  while (!wanted.empty()) {
    Operation *op = wanted.pop_back_val().getDefiningOp();
    if (op && live.insert(op).second)
      llvm::append_range(wanted, readValues(op));
  }
}

/// The loops of a phase: what it gives is mapped.
void SumPhases::emitPhase(int64_t phase, OpBuilder &b, Value size,
                          Tiles tiles) {
  SmallVector<Value> outputs;
  SmallVector<Combine> combines;
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> open;
  auto need = [&](Operation *op) {
    if (needed.insert(op).second)
      open.push_back(op);
  };
  for (Operation *op : ops) {
    if (!live.contains(op) || !flow.usesSamples(op) || phaseOf.at(op) != phase)
      continue;
    if (isa<CheckOp>(op))
      need(op);
    for (OpResult result : op->getResults())
      if (flow.combineOf(result) != Combine::None) {
        need(op);
        outputs.push_back(result);
        combines.push_back(flow.combineOf(result));
      }
  }
  for (Value value : llvm::SetVector<Value>(results.begin(), results.end())) {
    Operation *op = value.getDefiningOp();
    if (!flow.of(value).hasSamples() || (op ? phaseOf.at(op) : 0) != phase)
      continue;
    if (op)
      need(op);
    outputs.push_back(value);
    combines.push_back(Combine::None);
  }
  if (outputs.empty() && needed.empty())
    return;

  llvm::SetVector<Value> inputs;
  while (!open.empty())
    for (Value value : readValues(open.pop_back_val())) {
      Operation *op = value.getDefiningOp();
      if (op && (flow.of(value).hasSamples() ||
                 (!flow.usesSamples(op) && isRepeated(op))))
        need(op);
      else
        inputs.insert(value);
    }
  for (Value value : outputs)
    if (!value.getDefiningOp())
      inputs.insert(value);

  auto types = [](auto values) {
    return llvm::map_to_vector(values, [](Value v) { return v.getType(); });
  };
  OpBuilder outside(entry);
  auto function =
      func::FuncOp::create(outside, entry.getLoc(),
                           (entry.getName() + "_phase_" + Twine(phase)).str(),
                           b.getFunctionType(types(inputs.getArrayRef()),
                                             types(ArrayRef<Value>(outputs))));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockBegin(body);
  IRMapping copies;
  copies.map(inputs.getArrayRef(), body->getArguments());
  for (Operation *op : ops)
    if (needed.contains(op))
      inside.clone(*op, copies);
  func::ReturnOp::create(
      inside, entry.getLoc(),
      llvm::map_to_vector(outputs, [&](Value v) { return copies.lookup(v); }));

  SmallVector<Value> given;
  for (Value input : inputs)
    given.push_back(map.lookupOrDefault(input));
  SmallVector<Value> found =
      TileLoops(b, entry.getLoc(), size, batch)
          .run(tiles(function), given, function.getResultTypes(), combines);
  map.map(outputs, found);
  function.erase();
}

SmallVector<Value> SumPhases::emitAll(OpBuilder &b, Value size, Tiles tiles) {
  int64_t last = 0;
  for (Operation *op : ops)
    last = std::max(last, phaseOf.at(op));
  for (int64_t phase = 0; phase <= last; ++phase) {
    for (Operation *op : ops)
      if (live.contains(op) && !flow.usesSamples(op) && phaseOf.at(op) == phase)
        b.clone(*op, map);
    emitPhase(phase, b, size, tiles);
  }
  return llvm::map_to_vector(
      results, [&](Value value) { return map.lookupOrDefault(value); });
}

void SumPhases::build(Value size, func::FuncOp one, Tiles tiles) {
  Block &body = entry.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  Operation *afterSize = size.getDefiningOp()->getNextNode();
  for (auto it = afterSize->getIterator(), end = ret->getIterator(); it != end;
       ++it)
    ops.push_back(&*it);
  results.assign(ret.operand_begin(), ret.operand_end());
  findPhases();
  findLive();

  Location loc = entry.getLoc();
  OpBuilder b(ret);
  SmallVector<Value> found;
  if (one) {
    Value isOne =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, size,
                              arith::ConstantIndexOp::create(b, loc, 1));
    auto choice = scf::IfOp::create(b, loc, entry.getResultTypes(), isOne,
                                    /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    SmallVector<Value> inputs(entry.getArguments().drop_front());
    scf::YieldOp::create(
        b, loc,
        TileLoops(b, loc, size, batch)
            .runOnce({1, one}, inputs, entry.getResultTypes()));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, emitAll(b, size, tiles));
    found.assign(choice.result_begin(), choice.result_end());
  } else {
    found = emitAll(b, size, tiles);
  }
  ret->setOperands(found);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
