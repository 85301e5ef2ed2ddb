//===- SumPhases.cpp - programs that add up over the batch ----------------===//

#include "passes/batch/SumPhases.h"

#include "passes/autodiff/ControlFlow.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

/// Sums are put into the last phase in which they are not too late: there, what
/// they need is computed for other sums anyway. The loss is added up beside the
/// gradients, not before them.
void SumPhases::findPhases() {
  auto isSum = [&](Value value) {
    auto result = dyn_cast<OpResult>(value);
    return result && flow.combineOf(result) != Combine::None;
  };
  // The first phase in which an op can be computed.
  llvm::DenseMap<Operation *, int64_t> first;
  for (Operation *op : ops) {
    int64_t phase = 0;
    for (Value value : readValues(op))
      if (Operation *source = value.getDefiningOp())
        phase = std::max(phase, first.lookup(source) + isSum(value));
    first[op] = phase;
    if (flow.usesSamples(op) && live.contains(op))
      last = std::max(last, phase);
  }
  // The last one in which something needs it.
  llvm::DenseMap<Operation *, int64_t> needed;
  for (Operation *op : ops) {
    needed[op] = last + !flow.usesSamples(op);
    phaseOf[op] = last;
  }
  for (Operation *op : llvm::reverse(ops))
    for (Value value : readValues(op)) {
      Operation *source = value.getDefiningOp();
      if (!live.contains(op) || !source || !needed.contains(source))
        continue;
      int64_t until = needed[op] - isSum(value);
      needed[source] = std::min(needed[source], until);
      if (isSum(value))
        phaseOf[source] = std::min(phaseOf[source], until);
    }
  // Shared values follow as soon as they can.
  for (Operation *op : ops) {
    if (flow.usesSamples(op))
      continue;
    phaseOf[op] = 0;
    for (Value value : readValues(op))
      if (Operation *source = value.getDefiningOp())
        phaseOf[op] =
            std::max(phaseOf[op], phaseOf.lookup(source) + isSum(value));
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

/// The argument of `function` that is the number of the first sample of a tile;
/// it is the last, and made where there is none yet.
static Value firstSampleOf(func::FuncOp function) {
  unsigned count = function.getNumArguments();
  if (count > 0 && function.getArgAttr(count - 1, kFirstSample))
    return function.getArgument(count - 1);
  OpBuilder b(function.getContext());
  auto mark = b.getNamedAttr(kFirstSample, b.getUnitAttr());
  (void)function.insertArgument(count,
                                RankedTensorType::get({}, b.getI64Type()),
                                b.getDictionaryAttr(mark), function.getLoc());
  return function.getArgument(count);
}

/// Random numbers of a sample are those at its place in the whole batch: those
/// for samples are counted from the place of the first of a tile.
void SumPhases::countFromSample(RandomBitsOp bits, func::FuncOp function) {
  if (batchDimOf(bits.getType(), batch).dim < 0)
    return;
  Value first = firstSampleOf(function);
  OpBuilder b(bits);
  Location loc = bits.getLoc();
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  int64_t ofSample =
      cast<RankedTensorType>(bits.getType()).getNumElements() / batch.size;
  Value position = arith::MulIOp::create(
      b, loc, tensor::ExtractOp::create(b, loc, first, ValueRange()),
      number(ofSample));
  Value low = arith::TruncIOp::create(b, loc, i32, position);
  Value high = arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, position, number(32)));
  Value words = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get({2}, i32), ValueRange{low, high});
  bits.getKeyMutable().assign(ConcatOp::create(
      b, loc, ValueRange{bits.getKey(), words}, b.getI64IntegerAttr(0)));
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
    if (!isMemoryEffectFree(op) && !isa<StashEmptyOp>(op))
      need(op);
    for (OpResult result : op->getResults())
      if (flow.combineOf(result) != Combine::None) {
        need(op);
        outputs.push_back(result);
        combines.push_back(flow.combineOf(result));
      }
  }
  // Each by itself, also where two are one value: every result has memory of
  // its own, which is of the stand-in's size only by its type.
  SmallVector<size_t> positions;
  size_t sums = outputs.size();
  for (auto [position, value] : llvm::enumerate(results)) {
    Operation *op = value.getDefiningOp();
    if (!flow.of(value).hasSamples() || phase != last)
      continue;
    if (op)
      need(op);
    positions.push_back(position);
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
      inside.clone(*op, copies)->walk([&](RandomBitsOp bits) {
        countFromSample(bits, function);
      });
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
  for (auto [i, position] : llvm::enumerate(positions))
    samples[position] = found[sums + i];
  function.erase();
}

SmallVector<Value> SumPhases::emitAll(OpBuilder &b, Value size, Tiles tiles) {
  samples.assign(results.size(), Value());
  for (int64_t phase = 0; phase <= last + 1; ++phase) {
    for (Operation *op : ops)
      if (live.contains(op) && !flow.usesSamples(op) && phaseOf.at(op) == phase)
        b.clone(*op, map);
    if (phase <= last)
      emitPhase(phase, b, size, tiles);
  }
  SmallVector<Value> found;
  for (auto [value, ofSamples] : llvm::zip(results, samples))
    found.push_back(ofSamples ? ofSamples : map.lookupOrDefault(value));
  return found;
}

void SumPhases::build(Value size, ArrayRef<Tile> whole, Tiles tiles) {
  Block &body = entry.getBody().front();
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  Operation *afterSize = size.getDefiningOp()->getNextNode();
  for (auto it = afterSize->getIterator(), end = ret->getIterator(); it != end;
       ++it)
    ops.push_back(&*it);
  results.assign(ret.operand_begin(), ret.operand_end());
  findLive();
  findPhases();

  Location loc = entry.getLoc();
  OpBuilder b(ret);
  SmallVector<Value> inputs(entry.getArguments().drop_front());
  scf::IfOp outermost;
  for (const Tile &one : whole) {
    Value isSize = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, size,
        arith::ConstantIndexOp::create(b, loc, one.first));
    auto choice = scf::IfOp::create(b, loc, entry.getResultTypes(), isSize,
                                    /*withElseRegion=*/true);
    if (outermost)
      scf::YieldOp::create(b, loc, choice.getResults());
    else
      outermost = choice;
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc,
                         TileLoops(b, loc, size, batch)
                             .runOnce(one, inputs, entry.getResultTypes()));
    b.setInsertionPointToStart(choice.elseBlock());
  }
  SmallVector<Value> found = emitAll(b, size, tiles);
  if (outermost) {
    scf::YieldOp::create(b, loc, found);
    found.assign(outermost.result_begin(), outermost.result_end());
  }
  ret->setOperands(found);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
