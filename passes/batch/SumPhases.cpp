//===- SumPhases.cpp - programs that are cut into phases ------------------===//

#include "passes/batch/SumPhases.h"

#include "passes/batch/RankChoice.h"
#include "passes/batch/SampleNumbers.h"

#include "passes/autodiff/ControlFlow.h"

#include "dialect/BatchParts.h"
#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cellgrad;

/// Shared values that cost nothing, or are folded into what uses them: phases
/// compute them instead of reading them.
static bool isRepeated(Operation *op) {
  return isa<ConstantOp, ReshapeOp, BroadcastOp, TransposeOp, StopGradientOp,
             arith::ConstantOp>(op);
}

/// Values that are folded into what uses them.
static bool movesElements(Operation *op) {
  return isa<CastOp, IotaOp, SliceOp, PadOp, WindowsOp, ReverseOp>(op);
}

/// Whether `op`, computed twice, may give other last digits: sums are ordered
/// by what is around them. Random numbers are bits.
static bool mayDiffer(Operation *op) {
  return !op->hasTrait<OpTrait::Elementwise>() && !isRepeated(op) &&
         !movesElements(op) && !isa<RandomBitsOp>(op) &&
         llvm::any_of(op->getResultTypes(), [](Type type) {
           return !isa<RankedTensorType>(type) ||
                  isa<FloatType>(getElementTypeOrSelf(type));
         });
}

/// So many bytes of samples are kept between phases, at most, where there are
/// more samples than are always kept.
static constexpr int64_t kMostBytesKept = 32 << 20;

/// Where samples know nothing of each other, parts of the batch are of about so
/// many bytes, and of so many rows at least.
static constexpr int64_t kBytesOfPart = 1 << 20, kRowsOfPart = 512;

/// Parts have at least so many samples: none is of one. They are multiples of a
/// tile that has work for several threads, where they are large enough.
static constexpr int64_t kFewestInPart = 3, kTileOfParts = 32;

bool SumPhases::endsPhase(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  return result && (flow.combineOf(result) != Combine::None ||
                    rowProducts.lookup(result.getOwner()) == RowProduct::Each);
}

/// Sums are put into the last phase in which they are not too late: there, what
/// they need is computed for other sums anyway. The loss is added up beside the
/// gradients, not before them. With `early` they are put into the first phase
/// that can compute them: what they need is kept for phases that follow.
void SumPhases::findPhases(bool early) {
  // The first phase in which an op can be computed.
  llvm::DenseMap<Operation *, int64_t> first;
  last = 0;
  for (Operation *op : ops) {
    int64_t phase = 0;
    for (Value value : readValues(op))
      if (Operation *source = value.getDefiningOp())
        phase = std::max(phase, first.lookup(source) + endsPhase(value));
    first[op] = phase;
    if (flow.usesSamples(op) && live.contains(op))
      last = std::max(last, phase);
  }
  for (Value value : results)
    if (Operation *source = value.getDefiningOp();
        source && flow.of(value).hasSamples())
      last = std::max(last, first.lookup(source) + endsPhase(value));
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
      int64_t until = needed[op] - endsPhase(value);
      needed[source] = std::min(needed[source], until);
      if (endsPhase(value))
        phaseOf[source] = std::min(phaseOf[source], until);
    }
  if (early)
    for (Operation *op : ops)
      if (llvm::any_of(op->getResults(),
                       [&](Value value) { return endsPhase(value); }))
        phaseOf[op] = first[op];
  // Shared values follow as soon as they can, if a phase or an effect needs
  // them, else in the end: Parameters are changed in place there, when nothing
  // can fail any more.
  llvm::DenseSet<Operation *> soon;
  for (Operation *op : llvm::reverse(ops))
    if (flow.usesSamples(op) || !isMemoryEffectFree(op) || soon.contains(op))
      for (Value value : readValues(op))
        soon.insert(value.getDefiningOp());
  for (Operation *op : ops) {
    if (flow.usesSamples(op))
      continue;
    bool waits = isMemoryEffectFree(op) && !soon.contains(op);
    phaseOf[op] = waits ? last + 1 : 0;
    for (Value value : readValues(op))
      if (Operation *source = value.getDefiningOp())
        phaseOf[op] =
            std::max(phaseOf[op], phaseOf.lookup(source) + endsPhase(value));
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

/// An elementwise value is worth memory from so many operations on, as those of
/// a normalised sample with its activation: beside them, reading it is short.
static constexpr int64_t kLongChain = 4;

/// Whether a value may be kept: its elements are in the order of the samples.
bool SumPhases::canBeKept(Value value) const {
  Operation *op = value.getDefiningOp();
  Share share = flow.of(value);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return op && type && type.getElementType().isIntOrFloat() &&
         share.kind == Share::Known && share.outer == 1 &&
         batchDimOf(type, batch).dim == 0;
}

/// The values that are worth memory: those that took more than an operation for
/// each element and, `withChains`, the ends of long chains of such operations.
/// What only moves elements is folded into what uses it: a product knows the
/// zeros of a border that it sees being padded, and leaves them out.
llvm::DenseSet<Value> SumPhases::worthKeeping(bool withChains) const {
  llvm::DenseSet<Value> found;
  llvm::DenseMap<Value, int64_t> chains; // operations since what is kept
  for (Operation *op : ops) {
    if (!flow.usesSamples(op) || isRepeated(op) || movesElements(op)) {
      for (Value value : readValues(op))
        for (Value result : op->getResults())
          chains[result] = std::max(chains[result], chains.lookup(value));
      continue;
    }
    if (!op->hasTrait<OpTrait::Elementwise>()) {
      for (Value result : op->getResults())
        if (canBeKept(result))
          found.insert(result);
      continue;
    }
    Value result = op->getResult(0);
    int64_t &chain = chains[result];
    for (Value value : op->getOperands())
      chain = std::max(chain, chains.lookup(value));
    if (++chain >= kLongChain && withChains && canBeKept(result)) {
      found.insert(result);
      chain = 0;
    }
  }
  return found;
}

/// `made` are values with samples that phases before give.
SumPhases::Needs SumPhases::needsOf(int64_t phase,
                                    const llvm::DenseSet<Value> &made) const {
  Needs found;
  SmallVector<Operation *> open;
  auto need = [&](Operation *op) {
    if (found.ops.insert(op).second)
      open.push_back(op);
  };
  for (Operation *op : ops) {
    if (!live.contains(op) || !flow.usesSamples(op) || phaseOf.at(op) != phase)
      continue;
    if (!isMemoryEffectFree(op) && !isa<StashEmptyOp>(op))
      need(op);
    if (rowProducts.contains(op)) { // behind the loops
      for (Value value : op->getOperands())
        if (factors.contains(value) && !made.contains(value))
          need(value.getDefiningOp());
      continue;
    }
    for (OpResult result : op->getResults())
      if (flow.combineOf(result) != Combine::None) {
        need(op);
        found.outputs.push_back(result);
        found.combines.push_back(flow.combineOf(result));
      }
  }
  // Each by itself, also where two are one value: every result has memory of
  // its own, which is of the stand-in's size only by its type.
  for (auto [position, value] : llvm::enumerate(results)) {
    if (!flow.of(value).hasSamples() || phase != last)
      continue;
    if (value.getDefiningOp() && !made.contains(value))
      need(value.getDefiningOp());
    else
      found.inputs.insert(value);
    found.positions.push_back(position);
    found.outputs.push_back(value);
    found.combines.push_back(Combine::None);
  }
  while (!open.empty())
    for (Value value : readValues(open.pop_back_val())) {
      Operation *op = value.getDefiningOp();
      if (op && !made.contains(value) &&
          (flow.of(value).hasSamples() ||
           (!flow.usesSamples(op) && isRepeated(op))))
        need(op);
      else
        found.inputs.insert(value);
    }
  return found;
}

/// Of what is worth keeping, that which phases use; the bytes of a sample.
int64_t SumPhases::keepUsed(const llvm::DenseSet<Value> &worth) {
  llvm::DenseSet<Value> before;
  llvm::DenseSet<Operation *> computed;
  kept.clear();
  repeats = false;
  for (int64_t phase = 0; phase <= last; ++phase) {
    Needs needs = needsOf(phase, before);
    for (Value input : needs.inputs)
      if (before.contains(input))
        kept.insert(input);
    for (Operation *op : needs.ops) {
      if (mayDiffer(op) && !computed.insert(op).second)
        repeats = true;
      for (Value result : op->getResults()) {
        if (worth.contains(result) || factors.contains(result))
          before.insert(result);
        if (factors.contains(result))
          kept.insert(result);
      }
    }
    for (Operation *op : ops)
      if (rowProducts.lookup(op) == RowProduct::Each &&
          phaseOf.at(op) == phase) {
        before.insert(op->getResult(0));
        kept.insert(op->getResult(0));
      }
  }
  int64_t ofSample = 0;
  for (Value value : kept) {
    auto type = cast<RankedTensorType>(value.getType());
    ofSample += type.getNumElements() / batch.size *
                llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return ofSample;
}

void SumPhases::findRowProducts(bool layers) {
  rowProducts.clear();
  factors.clear();
  for (Operation *op : ops) {
    auto product = dyn_cast<MatMulOp>(op);
    if (!product || !live.contains(op))
      continue;
    RowProduct kind = rowProductOf(product, batch, flow);
    if (kind == RowProduct::None || (kind == RowProduct::Each && !layers))
      continue;
    rowProducts[op] = kind;
    for (Value value : op->getOperands())
      if (flow.of(value).hasSamples() && !isInputInRows(value, batch, flow))
        factors.insert(value);
  }
}

/// What a product of rows multiplies, for the samples in question or for all.
Value SumPhases::wholeOf(OpBuilder &b, Value factor) {
  if (!factor.getDefiningOp<ReshapeOp>() || factors.contains(factor) ||
      map.contains(factor))
    return map.lookupOrDefault(factor);
  Operation *reshape = factor.getDefiningOp();
  wholeOf(b, reshape->getOperand(0)); // an input
  return b.clone(*reshape, map)->getResult(0);
}

/// Chains of elementwise operations, and what products of rows multiply, are
/// kept where there is room for them.
void SumPhases::chooseKept() {
  if (mostKept == 0)
    return;
  int64_t wanted = std::min(std::max(mostKept, alwaysKept), batch.max);
  mostKept = 0;
  auto choose = [&](bool withChains, bool inAnyCase) {
    int64_t ofSample = bytesOfSample = keepUsed(worthKeeping(withChains));
    if (ofSample == 0 && rowProducts.empty())
      return false;
    if (ofSample == 0) { // products of inputs alone: of any batch
      mostKept = batch.max;
      return true;
    }
    int64_t fit = kMostBytesKept / ofSample;
    if (!inAnyCase && fit < std::min(wanted, fewestKept))
      return false;
    mostKept = std::min(wanted, std::max(fit, alwaysKept));
    return true;
  };
  // Stacks of a loop's steps cannot be kept, nor can what has its samples
  // behind others. A sum that is early would compute it for itself; and one
  // that is computed again could be another than what follows from it and was
  // kept: no element would be the maximum. Else the less is kept the better: a
  // loss beside the gradients shares what both compute, but batch normalisation
  // has more to keep for it.
  auto settle = [&](bool withChains, bool inAnyCase) {
    std::optional<std::pair<int64_t, bool>> best;
    for (bool early : {true, false}) {
      findPhases(early);
      bool mayBe = choose(withChains, inAnyCase) || bytesOfSample == 0;
      if (mayBe && !repeats)
        if (!best || bytesOfSample < best->first)
          best = {bytesOfSample, early};
    }
    if (best) {
      findPhases(/*early=*/best->second);
      return choose(withChains, inAnyCase);
    }
    mostKept = 0;
    kept.clear();
    return false;
  };
  // Layers need memory for what they give, too.
  for (bool layers : {true, false}) {
    if (byRows)
      findRowProducts(layers);
    if (!rowProducts.empty() && (settle(true, false) || settle(false, false)))
      return;
  }
  rowProducts.clear();
  factors.clear();
  if (!settle(true, false))
    settle(false, true);
}

/// What a phase gives as products of rows, when its loops have run.
void SumPhases::emitRowProducts(int64_t phase, OpBuilder &b) {
  for (Operation *op : ops) {
    RowProduct kind = rowProducts.lookup(op);
    if (kind == RowProduct::None || phaseOf.at(op) != phase)
      continue;
    auto product = cast<MatMulOp>(op);
    Value lhs = wholeOf(b, product.getLhs()),
          rhs = wholeOf(b, product.getRhs());
    map.map(product.getResult(),
            productOfRows(b, product, kind, lhs, rhs, some, mostKept, batch));
    made.insert(product.getResult());
  }
}

/// The loops of a phase: what it gives is mapped.
void SumPhases::emitPhase(int64_t phase, OpBuilder &b, Tiles tiles,
                          ValueRange into) {
  Needs needs = needsOf(phase, made);
  auto &[needed, inputs, outputs, combines, positions] = needs;
  if (outputs.empty() && needed.empty())
    return;
  size_t sums = outputs.size() - positions.size();
  for (Value value : kept)
    if (needed.contains(value.getDefiningOp()) && made.insert(value).second) {
      outputs.push_back(value);
      combines.push_back(Combine::None);
    }

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
  countFromSamples(function, batch);

  SmallVector<Value> given;
  for (Value input : inputs)
    given.push_back(map.lookupOrDefault(input));
  SmallVector<Type> resultTypes(function.getResultTypes());
  for (size_t i = sums + positions.size(); i < resultTypes.size(); ++i) {
    auto tensor = cast<RankedTensorType>(resultTypes[i]);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[0] = shape[0] / batch.size * mostKept;
    resultTypes[i] = tensor.clone(shape);
  }
  // Beside products of all rows, there is little to gain from each size.
  bool everyOther = !rowProducts.empty() && !readsMuchPerTile(function, batch);
  SmallVector<Value> places(resultTypes.size());
  if (!positions.empty())
    llvm::copy(into, places.begin() + static_cast<int64_t>(sums));
  SmallVector<Value> found = TileLoops(b, entry.getLoc(), some, size, batch)
                                 .run(tiles(function, everyOther), given,
                                      resultTypes, combines, places);
  map.map(outputs, found);
  for (auto [i, position] : llvm::enumerate(positions))
    samples[position] = found[sums + i];
  function.erase();
}

SmallVector<Value> SumPhases::emitAll(OpBuilder &b, SomeSamples of, Tiles tiles,
                                      ValueRange into) {
  some = of;
  samples.assign(results.size(), Value());
  map.clear();
  made.clear();
  for (int64_t phase = 0; phase <= last + 1; ++phase) {
    for (Operation *op : ops)
      if (live.contains(op) && !flow.usesSamples(op) && phaseOf.at(op) == phase)
        b.clone(*op, map);
    if (phase > last)
      continue;
    emitPhase(phase, b, tiles, into);
    emitRowProducts(phase, b);
  }
  SmallVector<Value> found;
  for (auto [value, ofSamples] : llvm::zip(results, samples))
    found.push_back(ofSamples ? ofSamples : map.lookupOrDefault(value));
  return found;
}

void SumPhases::begin(Value batchSize) {
  size = batchSize;
  Operation *ret = entry.getBody().front().getTerminator();
  Operation *afterSize = size.getDefiningOp()->getNextNode();
  for (auto it = afterSize->getIterator(), end = ret->getIterator(); it != end;
       ++it)
    ops.push_back(&*it);
  llvm::append_range(results, ret->getOperands());
  findLive();
  chooseKept();
}

bool SumPhases::buildInParts(Value size, Tiles tiles) {
  fewestKept = kFewestInPart + 1;
  begin(size);
  if (rowProducts.empty())
    return false;
  // As many as a cache holds, or as make up for reading all weights. The last
  // part has room for a few that would be left over.
  int64_t ofSample = 1;
  for (auto [op, kind] : rowProducts)
    ofSample = std::max(ofSample,
                        batchDimOf(op->getOperand(0).getType(), batch).count);
  int64_t ofPart =
      std::min(mostKept * 8 / 9,
               std::max({kBytesOfPart / bytesOfSample,
                         int64_t(llvm::divideCeil(kRowsOfPart, ofSample)),
                         kFewestInPart}));
  if (ofPart > kTileOfParts)
    ofPart = llvm::alignDown(ofPart, kTileOfParts);
  int64_t more = std::max<int64_t>(1, ofPart / 8);
  mostKept = ofPart + more;
  auto ret = cast<func::ReturnOp>(entry.getBody().front().getTerminator());
  Location loc = entry.getLoc();
  OpBuilder b(ret);
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value> found;
  if (batch.max <= mostKept) {
    found = emitAll(b, {{}, size}, tiles);
  } else {
    Value zero = constant(0), one = constant(1), each = constant(ofPart),
          count = arith::MaxSIOp::create(
              b, loc, one,
              arith::CeilDivSIOp::create(
                  b, loc, arith::SubIOp::create(b, loc, size, constant(more)),
                  each)),
          last = arith::SubIOp::create(b, loc, count, one);
    for (Value value : results) {
      auto type = cast<RankedTensorType>(value.getType());
      found.push_back(tensor::EmptyOp::create(b, loc, type.getShape(),
                                              type.getElementType()));
    }
    auto loop = scf::ForOp::create(b, loc, zero, count, one, found);
    loop->setAttr(kTileTrips, b.getF64FloatAttr(1));
    b.setInsertionPointToStart(loop.getBody());
    Value part = loop.getInductionVar(),
          first = arith::MulIOp::create(b, loc, part, each),
          left = arith::SubIOp::create(b, loc, size, first),
          isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part,
                                         last),
          some = arith::SelectOp::create(b, loc, isLast, left, each);
    scf::YieldOp::create(
        b, loc, emitAll(b, {first, some}, tiles, loop.getRegionIterArgs()));
    found.assign(loop.result_begin(), loop.result_end());
  }
  ret->setOperands(found);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return true;
}

void SumPhases::build(Value batchSize, ArrayRef<Tile> whole, Tiles tiles) {
  begin(batchSize);
  auto ret = cast<func::ReturnOp>(entry.getBody().front().getTerminator());

  // Collectives of the programs below may come in another order. So all ranks
  // take the same one; those of several groups the one for any size.
  llvm::SetVector<Attribute> groups = meetingGroups(ops);
  bool keepsSome = mostKept > 0 && mostKept < batch.max;
  if (groups.size() > 1) {
    whole = {};
    keepsSome = false;
  }

  Location loc = entry.getLoc();
  OpBuilder b(ret);
  SmallVector<Value> inputs(entry.getArguments().drop_front());
  SmallVector<Value> conditions;
  auto compare = [&](arith::CmpIPredicate predicate, int64_t limit) {
    conditions.push_back(
        arith::CmpIOp::create(b, loc, predicate, size,
                              arith::ConstantIndexOp::create(b, loc, limit)));
  };
  for (const Tile &one : whole)
    compare(arith::CmpIPredicate::eq, one.first);
  if (keepsSome)
    compare(arith::CmpIPredicate::sle, mostKept);
  if (!groups.empty() && !conditions.empty())
    onAllRanks(b, loc, groups.front(), conditions);
  scf::IfOp outermost;
  auto choose = [&](Value condition,
                    llvm::function_ref<SmallVector<Value>()> emit) {
    auto choice = scf::IfOp::create(b, loc, entry.getResultTypes(), condition,
                                    /*withElseRegion=*/true);
    if (outermost)
      scf::YieldOp::create(b, loc, choice.getResults());
    else
      outermost = choice;
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, emit());
    b.setInsertionPointToStart(choice.elseBlock());
  };
  for (size_t i = 0; i < whole.size(); ++i)
    choose(conditions[i], [&] {
      return TileLoops(b, loc, size, batch)
          .runOnce(whole[i], inputs, entry.getResultTypes());
    });
  if (keepsSome)
    choose(conditions.back(), [&] { return emitAll(b, {{}, size}, tiles); });
  if (mostKept < batch.max) { // larger batches keep nothing
    kept.clear();
    rowProducts.clear();
    findPhases(/*early=*/false);
  }
  // What is left over of so many samples takes a small part of the time, and
  // two samples nearly that of each.
  auto everyOther = [&](func::FuncOp function, bool) {
    SmallVector<Tile> some = tiles(function, /*everyOther=*/true);
    llvm::erase_if(some, [](const Tile &tile) { return tile.first == 2; });
    return some;
  };
  SmallVector<Value> found = keepsSome ? emitAll(b, {{}, size}, everyOther)
                                       : emitAll(b, {{}, size}, tiles);
  if (outermost) {
    scf::YieldOp::create(b, loc, found);
    found.assign(outermost.result_begin(), outermost.result_end());
  }
  ret->setOperands(found);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
