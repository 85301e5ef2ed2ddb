//===- NestEmitter.cpp - vector loops for one nest ------------------------===//

#include "passes/lower/cpu/NestEmitter.h"

#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/ItemLoop.h"
#include "passes/lower/cpu/NestBody.h"
#include "passes/lower/cpu/VectorTranspose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Steps of the reduction that one pass over the results takes in `Rows`.
constexpr int64_t kRowsPerPass = 8;

class NestEmitter {
public:
  /// The steps of the outermost loop are items if `sharedNanoseconds`, what all
  /// of them take, is not 0.
  NestEmitter(OpBuilder &b, NestPlan nestPlan, double sharedNanoseconds)
      : b(b), loc(nestPlan.nest.op.getLoc()), plan(std::move(nestPlan)),
        nest(plan.nest), body(b, plan), mem(body.memory()),
        sharedNanoseconds(sharedNanoseconds) {
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (plan.isAccumulated(o))
        accumulated.push_back(o);
  }

  void emit() { emitOuterLoops(0, body.start()); }

private:
  using Carried = SmallVector<Value>;
  using LoopBody = function_ref<Carried(FlatIndex, ValueRange)>;
  Carried loop(int64_t size, int64_t step, ValueRange carried,
               LoopBody emitBody);
  void loop(int64_t size, int64_t step, function_ref<void(FlatIndex)> emitBody);
  /// The same over parts of the results: the outermost one may be of items.
  void outerLoop(int64_t size, int64_t step,
                 function_ref<void(FlatIndex)> emitBody);
  /// The loop over whole steps of a reduction dimension.
  Carried reductionLoop(unsigned dim, ValueRange carried, LoopBody emitBody);
  SumBlocks planReduction(unsigned dim);
  int64_t stepOf(unsigned dim) const;

  void emitOuterLoops(unsigned dim, const Position &pos);

  // Blocks.
  void emitBlocks(const Position &pos);
  void emitBlock(const Position &pos, int64_t count, int64_t lastActive);
  Carried emitReduction(unsigned dim, const Position &pos,
                        ValueRange accumulators, int64_t count,
                        int64_t lastActive);

  // Lanes.
  void emitLanes(const Position &pos);
  Carried emitLaneLoops(unsigned dim, const Position &pos,
                        ValueRange accumulators);
  Carried emitLaneVectors(const Position &pos, ValueRange accumulators,
                          int64_t count, int64_t lastActive);

  Carried neutrals();
  /// Accumulators of a partial sum beside `carried`, and both as one.
  Carried beginPartial(ValueRange carried);
  Carried endPartial(ValueRange carried, ValueRange partial);

  // Rows.
  void emitRows(const Position &pos);
  void emitRowLoops(unsigned dim, const Position &pos);
  void emitRowPass(const Position &pos, int64_t rows);
  void beginPartialRows();
  void endPartialRows();
  void forEachVector(function_ref<void(FlatIndex, int64_t active)> emitVector);

  // Tiles.
  void emitTiles(const Position &pos);
  void emitTile(const Position &pos, int64_t rows, int64_t active);

  /// Output values that the body may read: accumulators, or what memory holds.
  Carried oldOutputs(const Position &pos, int64_t active,
                     ValueRange accumulators);
  int64_t vectorSize() { return nest.sizes[*plan.vectorDim]; }

  OpBuilder &b;
  Location loc;
  NestPlan plan;
  LoopNest &nest;
  NestBody body;
  FlatMemory &mem;
  /// The outputs that are accumulated.
  SmallVector<unsigned> accumulated;
  /// `Rows`: where the row of each output is, with those that wait for a
  /// partial sum.
  struct Row {
    Value memory;
    FlatIndex at;
  };
  SmallVector<SmallVector<Row>> rowsOfOutputs;
  /// `Tiles`: one square buffer for each transposed input.
  SmallVector<Value> tileBuffers;
  double sharedNanoseconds; ///< 0 once there are items
};

} // namespace

//===-- Loops -------------------------------------------------------------===//

SmallVector<Value> NestEmitter::loop(int64_t size, int64_t step,
                                     ValueRange carried, LoopBody emitBody) {
  if (size <= 0)
    return SmallVector<Value>(carried);
  if (size <= step)
    return emitBody(FlatIndex(), carried);
  auto forOp = scf::ForOp::create(
      b, loc, mem.constant(0), mem.constant(size), mem.constant(step), carried,
      [&](OpBuilder &, Location, Value iv, ValueRange values) {
        scf::YieldOp::create(b, loc, emitBody({iv, 0}, values));
      });
  return SmallVector<Value>(forOp.getResults());
}

void NestEmitter::loop(int64_t size, int64_t step,
                       function_ref<void(FlatIndex)> emitBody) {
  loop(size, step, {}, [&](FlatIndex iv, ValueRange) {
    emitBody(iv);
    return Carried();
  });
}

void NestEmitter::outerLoop(int64_t size, int64_t step,
                            function_ref<void(FlatIndex)> emitBody) {
  if (sharedNanoseconds == 0 || size <= step)
    return loop(size, step, emitBody);
  double nanoseconds = std::exchange(sharedNanoseconds, 0);
  emitItems(b, loc, b.getIndexAttr(size / step), nanoseconds,
            [&](Value item) { emitBody(mem.advance({}, {item, 0}, step)); });
  sharedNanoseconds = nanoseconds;
}

int64_t NestEmitter::stepOf(unsigned dim) const {
  if (plan.kind == NestKind::Lanes && plan.vectorDim == dim)
    return plan.lanes * plan.unroll;
  if (plan.kind == NestKind::Rows && *plan.vectorDim == dim + 1)
    return kRowsPerPass;
  return 1;
}

SumBlocks NestEmitter::planReduction(unsigned dim) {
  int64_t additions = 1, size = nest.sizes[dim], step = stepOf(dim);
  if (dim + 1 < nest.rank() && nest.isReduction[dim + 1])
    additions = planReduction(dim + 1).additions;
  SumBlocks loop = planSum(size / step, additions);
  loop.additions += size % step != 0;
  auto isSummed = [&](unsigned o) { return plan.isSummed(o); };
  if (llvm::none_of(accumulated, isSummed))
    loop.blocks.clear();
  return loop;
}

SmallVector<Value> NestEmitter::reductionLoop(unsigned dim, ValueRange carried,
                                              LoopBody emitBody) {
  auto begin = [&](ValueRange values) -> Carried {
    if (plan.kind != NestKind::Rows)
      return beginPartial(values);
    beginPartialRows();
    return {};
  };
  auto end = [&](ValueRange values, ValueRange partial) -> Carried {
    if (plan.kind != NestKind::Rows)
      return endPartial(values, partial);
    endPartialRows();
    return {};
  };
  return emitSumLoop(b, loc, mem, planReduction(dim), stepOf(dim), Value(),
                     carried, {begin, end, emitBody});
}

SmallVector<Value> NestEmitter::beginPartial(ValueRange carried) {
  Carried partial(carried);
  for (auto [i, value] : llvm::enumerate(partial))
    if (unsigned o = accumulated[i % accumulated.size()]; plan.isSummed(o))
      value = body.neutral(o);
  return partial;
}

SmallVector<Value> NestEmitter::endPartial(ValueRange carried,
                                           ValueRange partial) {
  Carried sums(partial);
  for (auto [i, sum] : llvm::enumerate(sums))
    if (unsigned o = accumulated[i % accumulated.size()]; plan.isSummed(o))
      sum = body.combine(o, carried[i], sum);
  return sums;
}

void NestEmitter::emitOuterLoops(unsigned dim, const Position &pos) {
  // The tile's dimension is the last before the vectorised one.
  bool isTileDim = plan.kind == NestKind::Tiles && dim + 1 == *plan.vectorDim;
  if (dim < nest.rank() && !nest.isReduction[dim] && plan.vectorDim != dim &&
      !isTileDim) {
    outerLoop(nest.sizes[dim], 1, [&](FlatIndex iv) {
      emitOuterLoops(dim + 1, body.advance(pos, dim, iv));
    });
    return;
  }
  switch (plan.kind) {
  case NestKind::Blocks:
    return emitBlocks(pos);
  case NestKind::Lanes:
    return emitLanes(pos);
  case NestKind::Rows:
    return emitRows(pos);
  case NestKind::Tiles:
    return emitTiles(pos);
  }
}

SmallVector<Value> NestEmitter::oldOutputs(const Position &pos, int64_t active,
                                           ValueRange accumulators) {
  Carried old;
  for (unsigned o = 0; o < plan.numOutputs(); ++o) {
    if (plan.isAccumulated(o)) {
      old.push_back(accumulators.front());
      accumulators = accumulators.drop_front();
    } else {
      old.push_back(body.readsOutput(o) ? body.loadOutput(o, pos, active)
                                        : Value());
    }
  }
  return old;
}

//===-- Blocks ------------------------------------------------------------===//

void NestEmitter::emitBlocks(const Position &pos) {
  if (!plan.vectorDim)
    return emitBlock(pos, 1, 1);
  int64_t block = plan.lanes * plan.unroll;
  int64_t full = vectorSize() / block * block;
  outerLoop(full, block, [&](FlatIndex iv) {
    emitBlock(body.advance(pos, *plan.vectorDim, iv), plan.unroll, plan.lanes);
  });
  if (int64_t rest = vectorSize() - full) {
    int64_t count = llvm::divideCeil(rest, plan.lanes);
    emitBlock(body.advance(pos, *plan.vectorDim, {Value(), full}), count,
              rest - (count - 1) * plan.lanes);
  }
}

/// Computes `count` vectors of every output; the last one has `lastActive`
/// lanes.
void NestEmitter::emitBlock(const Position &pos, int64_t count,
                            int64_t lastActive) {
  auto active = [&](int64_t u) {
    return u + 1 == count ? lastActive : plan.lanes;
  };
  Carried accumulators;
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (plan.isAccumulated(o))
        accumulators.push_back(body.toAccumulator(
            o, body.loadOutput(o, body.advanceVectors(pos, u), active(u))));
  accumulators = emitReduction(plan.firstReduction(), pos, accumulators, count,
                               lastActive);
  auto next = accumulators.begin();
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (plan.isAccumulated(o))
        body.storeOutput(o, body.fromAccumulator(o, *next++),
                         body.advanceVectors(pos, u), active(u));
}

SmallVector<Value> NestEmitter::emitReduction(unsigned dim, const Position &pos,
                                              ValueRange accumulators,
                                              int64_t count,
                                              int64_t lastActive) {
  if (dim < nest.rank())
    return reductionLoop(
        dim, accumulators, [&](FlatIndex iv, ValueRange values) {
          return emitReduction(dim + 1, body.advance(pos, dim, iv), values,
                               count, lastActive);
        });
  // All loads come before all stores, so that they need not wait for them.
  auto active = [&](int64_t u) {
    return u + 1 == count ? lastActive : plan.lanes;
  };
  SmallVector<Position> at;
  SmallVector<Carried> inputs, results;
  for (int64_t u = 0; u < count; ++u) {
    at.push_back(body.advanceVectors(pos, u));
    inputs.push_back(body.loadInputs(
        at[u], active(u), u > 0 ? ArrayRef(inputs[0]) : ArrayRef<Value>()));
  }
  Carried next;
  size_t perVector = accumulators.size() / count;
  for (int64_t u = 0; u < count; ++u) {
    Carried old = oldOutputs(at[u], active(u),
                             accumulators.slice(u * perVector, perVector));
    results.push_back(body.run(inputs[u], old, at[u], active(u)));
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (plan.isAccumulated(o))
        next.push_back(results[u][o]);
  }
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (!plan.isAccumulated(o))
        body.storeOutput(o, results[u][o], at[u], active(u));
  return next;
}

//===-- Lanes -------------------------------------------------------------===//

void NestEmitter::emitLanes(const Position &pos) {
  Carried accumulators = emitLaneLoops(plan.firstReduction(), pos, neutrals());

  size_t perVector = accumulators.size() / plan.unroll, next = 0;
  for (unsigned o = 0; o < plan.numOutputs(); ++o) {
    if (!plan.isAccumulated(o))
      continue;
    Carried partial;
    for (int64_t u = 0; u < plan.unroll; ++u)
      partial.push_back(accumulators[u * perVector + next]);
    ++next;
    Value total = body.combineLanes(o, body.combineTree(o, partial));
    unsigned operand = plan.numInputs() + o;
    Value memory = body.flatOf(operand);
    Value old =
        mem.loadScalar(nest.outputs[o].elementType(), memory, pos.at[operand]);
    mem.storeScalar(body.fromAccumulator(o, body.combine(o, old, total)),
                    memory, pos.at[operand]);
  }
}

SmallVector<Value> NestEmitter::emitLaneLoops(unsigned dim, const Position &pos,
                                              ValueRange accumulators) {
  bool isVector = dim == *plan.vectorDim;
  Carried values =
      reductionLoop(dim, accumulators, [&](FlatIndex iv, ValueRange carried) {
        Position at = body.advance(pos, dim, iv);
        return isVector ? emitLaneVectors(at, carried, plan.unroll, plan.lanes)
                        : emitLaneLoops(dim + 1, at, carried);
      });
  if (int64_t rest = nest.sizes[dim] % stepOf(dim)) {
    int64_t count = llvm::divideCeil(rest, plan.lanes);
    values = emitLaneVectors(
        body.advance(pos, dim, {Value(), nest.sizes[dim] - rest}), values,
        count, rest - (count - 1) * plan.lanes);
  }
  return values;
}

/// Accumulators that hold nothing yet.
SmallVector<Value> NestEmitter::neutrals() {
  Carried values;
  for (int64_t u = 0; u < plan.unroll; ++u)
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      if (plan.isAccumulated(o))
        values.push_back(body.neutral(o));
  return values;
}

SmallVector<Value> NestEmitter::emitLaneVectors(const Position &pos,
                                                ValueRange accumulators,
                                                int64_t count,
                                                int64_t lastActive) {
  Carried next(accumulators);
  size_t perVector = accumulators.size() / plan.unroll;
  for (int64_t u = 0; u < count; ++u) {
    int64_t active = u + 1 == count ? lastActive : plan.lanes;
    Position at = body.advanceVectors(pos, u);
    Carried old =
        oldOutputs(at, active, accumulators.slice(u * perVector, perVector));
    if (plan.prefetchedLine && count == plan.unroll)
      body.prefetchInputs(at, u);
    Carried results = body.run(body.loadInputs(at, active), old, at, active);
    size_t acc = u * perVector;
    for (unsigned o = 0; o < plan.numOutputs(); ++o) {
      if (!plan.isAccumulated(o)) {
        body.storeOutput(o, results[o], at, active);
        continue;
      }
      if (active < plan.lanes)
        results[o] = arith::SelectOp::create(
            b, loc, mem.mask(plan.lanes, active), results[o], old[o]);
      next[acc++] = results[o];
    }
  }
  return next;
}

//===-- Rows --------------------------------------------------------------===//

void NestEmitter::emitRows(const Position &pos) {
  int64_t &size = nest.sizes[*plan.vectorDim];
  int64_t whole = size, part = sharedNanoseconds ? partOfRow(plan) : whole;
  outerLoop(whole, part, [&](FlatIndex iv) {
    Position at = body.advance(pos, *plan.vectorDim, iv);
    size = part;
    rowsOfOutputs.emplace_back();
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      rowsOfOutputs.back().push_back(
          {body.flatOf(plan.numInputs() + o), at.at[plan.numInputs() + o]});
    emitRowLoops(plan.firstReduction(), at);
    rowsOfOutputs.pop_back();
    size = whole;
  });
}

void NestEmitter::emitRowLoops(unsigned dim, const Position &pos) {
  bool isInnermost = dim + 1 == *plan.vectorDim;
  reductionLoop(dim, {}, [&](FlatIndex iv, ValueRange) {
    Position at = body.advance(pos, dim, iv);
    if (isInnermost)
      emitRowPass(at, kRowsPerPass);
    else
      emitRowLoops(dim + 1, at);
    return Carried();
  });
  if (int64_t rest = nest.sizes[dim] % stepOf(dim))
    emitRowPass(body.advance(pos, dim, {Value(), nest.sizes[dim] - rest}),
                rest);
}

void NestEmitter::forEachVector(
    function_ref<void(FlatIndex, int64_t active)> emitVector) {
  int64_t full = vectorSize() / plan.lanes * plan.lanes;
  loop(full, plan.lanes, [&](FlatIndex iv) { emitVector(iv, plan.lanes); });
  if (int64_t rest = vectorSize() - full)
    emitVector({Value(), full}, rest);
}

/// Rows of zeros take the place of the outputs that are sums.
void NestEmitter::beginPartialRows() {
  SmallVector<Row> partial = rowsOfOutputs.back();
  for (unsigned o = 0; o < plan.numOutputs(); ++o) {
    if (!plan.isSummed(o))
      continue;
    auto type = MemRefType::get({vectorSize()}, nest.outputs[o].elementType());
    Value memory = memref::AllocOp::create(b, loc, type);
    partial[o] = {memory, {}};
    forEachVector([&](FlatIndex iv, int64_t active) {
      mem.storeVector(body.neutral(o), memory, iv, 1, active);
    });
  }
  rowsOfOutputs.push_back(partial);
}

void NestEmitter::endPartialRows() {
  SmallVector<Row> partial = rowsOfOutputs.pop_back_val();
  for (unsigned o = 0; o < plan.numOutputs(); ++o) {
    if (!plan.isSummed(o))
      continue;
    Row total = rowsOfOutputs.back()[o];
    Type type = nest.outputs[o].elementType();
    forEachVector([&](FlatIndex iv, int64_t active) {
      FlatIndex at = mem.advance(total.at, iv, 1);
      Value sum = body.combine(
          o, mem.loadVector(type, total.memory, at, 1, plan.lanes, active),
          mem.loadVector(type, partial[o].memory, iv, 1, plan.lanes, active));
      mem.storeVector(sum, total.memory, at, 1, active);
    });
  }
}

void NestEmitter::emitRowPass(const Position &pos, int64_t rows) {
  unsigned rowDim = *plan.vectorDim - 1;
  forEachVector([&](FlatIndex iv, int64_t active) {
    Position at = body.advance(pos, *plan.vectorDim, iv);
    SmallVector<Carried> values(plan.numOutputs());
    Carried none(plan.numOutputs());
    for (int64_t r = 0; r < rows; ++r) {
      Position row = body.advance(at, rowDim, {Value(), r});
      Carried results =
          body.run(body.loadInputs(row, active), none, row, active,
                   /*valuesOnly=*/true);
      for (unsigned o = 0; o < plan.numOutputs(); ++o)
        values[o].push_back(results[o]);
    }
    for (auto [o, row] : llvm::enumerate(rowsOfOutputs.back())) {
      Type type = nest.outputs[o].elementType();
      FlatIndex to = mem.advance(row.at, iv, 1);
      Value old = mem.loadVector(type, row.memory, to, 1, plan.lanes, active);
      mem.storeVector(body.combine(o, old, body.combineTree(o, values[o])),
                      row.memory, to, 1, active);
    }
  });
}

//===-- Tiles -------------------------------------------------------------===//

void NestEmitter::emitTiles(const Position &pos) {
  unsigned tileDim = *plan.vectorDim - 1;
  int64_t lanes = plan.lanes, rows = nest.sizes[tileDim];
  auto emitColumns = [&](const Position &start, int64_t tileRows) {
    tileBuffers.clear(); // each item has its own
    for (unsigned i : plan.transposed)
      tileBuffers.push_back(memref::AllocOp::create(
          b, loc,
          MemRefType::get(
              {lanes * lanes},
              cast<MemRefType>(body.flatOf(i).getType()).getElementType())));
    int64_t full = vectorSize() / lanes * lanes;
    loop(full, lanes, [&](FlatIndex iv) {
      emitTile(body.advance(start, *plan.vectorDim, iv), tileRows, lanes);
    });
    if (int64_t rest = vectorSize() - full)
      emitTile(body.advance(start, *plan.vectorDim, {Value(), full}), tileRows,
               rest);
  };
  int64_t full = rows / lanes * lanes;
  outerLoop(full, lanes, [&](FlatIndex iv) {
    emitColumns(body.advance(pos, tileDim, iv), lanes);
  });
  if (int64_t rest = rows - full)
    emitColumns(body.advance(pos, tileDim, {Value(), full}), rest);
}

/// One tile of `rows` rows and `active` columns.
void NestEmitter::emitTile(const Position &pos, int64_t rows, int64_t active) {
  unsigned tileDim = *plan.vectorDim - 1;
  int64_t lanes = plan.lanes;
  SmallVector<std::pair<unsigned, Value>> originals;
  for (auto [i, buffer] : llvm::zip_equal(plan.transposed, tileBuffers)) {
    Value memory = body.flatOf(i);
    Type element = cast<MemRefType>(memory.getType()).getElementType();
    auto vectorType = VectorType::get(lanes, element);
    Carried columns;
    for (int64_t c = 0; c < lanes; ++c)
      columns.push_back(
          c < active
              ? mem.loadVector(element, memory,
                               pos.at[i].plus(c * plan.vectorStride(i)), 1,
                               lanes, rows)
              : mem.constant(cast<TypedAttr>(b.getZeroAttr(vectorType))));
    transposeSquare(b, loc, columns);
    for (int64_t r = 0; r < rows; ++r)
      mem.storeVector(columns[r], buffer, {Value(), r * lanes}, 1, lanes);
    originals.push_back({i, memory});
    body.redirect(i, buffer);
  }
  loop(rows, 1, [&](FlatIndex r) {
    Position at = body.advance(pos, tileDim, r);
    for (unsigned i : plan.transposed)
      at.at[i] = mem.advance({}, r, lanes);
    Carried inputs = body.loadInputs(at, active);
    Carried results = body.run(inputs, oldOutputs(at, active, {}), at, active);
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      body.storeOutput(o, results[o], at, active);
  });
  for (auto [i, memory] : originals)
    body.redirect(i, memory);
}

/// What `op` takes if it is long and its steps may be items: each result is
/// written by one step of the parallel loops, and the op is in no item itself.
/// Else 0.
static double sharedNanoseconds(const NestPlan &plan, linalg::GenericOp op,
                                double fewestNanoseconds) {
  const LoopNest &nest = plan.nest;
  double nanoseconds = estimateNanoseconds(cast<linalg::LinalgOp>(*op));
  bool isApart = llvm::all_of(nest.outputs, [&](const Access &output) {
    return llvm::all_of(llvm::seq<unsigned>(nest.rank()), [&](unsigned dim) {
      return nest.isReduction[dim] || nest.sizes[dim] == 1 ||
             output.strides[dim] != 0;
    });
  });
  return isApart && nanoseconds >= fewestNanoseconds &&
                 !op->getParentOfType<scf::ForallOp>()
             ? std::max(nanoseconds, 1.0)
             : 0;
}

LogicalResult cellgrad::emitNest(RewriterBase &rewriter, linalg::GenericOp op,
                                 const Target &target, double fewestNanoseconds,
                                 bool printPlan) {
  FailureOr<LoopNest> nest = analyzeNest(op);
  if (failed(nest))
    return failure();
  if (!nest->isEmpty()) {
    rewriter.setInsertionPoint(op);
    NestPlan plan = planNest(std::move(*nest), target);
    if (printPlan) {
      std::string text;
      llvm::raw_string_ostream(text) << plan;
      op.emitRemark() << text;
    }
    double nanoseconds = sharedNanoseconds(plan, op, fewestNanoseconds);
    NestEmitter(rewriter, std::move(plan), nanoseconds).emit();
  }
  rewriter.eraseOp(op);
  return success();
}
