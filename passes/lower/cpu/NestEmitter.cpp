//===- NestEmitter.cpp - vector loops for one nest ------------------------===//
//
// Two shapes of code. When the vectorised dimension is parallel, a block of
// vectors of results is computed at a time, with the reduction loops, if any,
// inside. When it is a reduction, several vectors of partial results are
// carried through the loops and combined at the end in a fixed tree.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/NestEmitter.h"

#include "passes/lower/cpu/FlatMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// How an output is accumulated: `op(old, value)`.
struct Combiner {
  Operation *op = nullptr;
  unsigned accumulatorIndex = 0;
  TypedAttr neutral;
};

/// Where the loops stand: the position in each operand (inputs, then outputs)
/// and the value of each loop variable.
struct Position {
  SmallVector<FlatIndex> at;
  SmallVector<FlatIndex> ivs;
};

class NestEmitter {
public:
  NestEmitter(OpBuilder &b, LoopNest nest, unsigned vectorWidth)
      : b(b), loc(nest.op.getLoc()), mem(b, loc), nest(std::move(nest)),
        vectorWidth(vectorWidth) {}

  void emit();

private:
  // Decisions.
  void findCombiners();
  bool bodyVectorises();
  unsigned elementBits();
  void chooseVectorDim();
  void orderDims();

  // Loops.
  SmallVector<Value>
  forLoop(int64_t size, int64_t step, ValueRange carried,
          function_ref<SmallVector<Value>(FlatIndex, ValueRange)> body);
  Position advance(const Position &pos, unsigned dim, FlatIndex iv);
  void emitOuterLoops(unsigned dim, const Position &pos);
  void emitParallelVector(const Position &pos);
  void emitBlock(const Position &pos, int64_t count, int64_t lastActive);
  SmallVector<Value> emitReductionLoops(unsigned dim, const Position &pos,
                                        ValueRange accumulators, int64_t count,
                                        int64_t lastActive);
  void emitReductionVector(const Position &pos);
  SmallVector<Value> emitReductionVectorLoops(unsigned dim, const Position &pos,
                                              ValueRange accumulators);

  // Straight-line code.
  Value loadInput(unsigned i, const Position &pos, int64_t active);
  Value loadOutput(unsigned o, const Position &pos, int64_t active);
  void storeOutput(unsigned o, Value value, const Position &pos,
                   int64_t active);
  SmallVector<Value> cloneBody(ValueRange inputs, ValueRange outputs,
                               const Position &pos, int64_t active);
  Value combine(unsigned o, Value a, Value c);
  Value reduceLanes(unsigned o, Value value);
  Value splat(TypedAttr scalar);
  Type accumulatorElement(unsigned o);
  Value widen(Value value, Type element);
  Value narrow(Value value, Type element);
  Type typeFor(Type element) {
    return lanes == 1 ? element : VectorType::get(lanes, element);
  }

  /// An output that the reduction dimensions move through is written in every
  /// iteration; the others are accumulated.
  bool isAccumulated(unsigned o) {
    for (unsigned d = 0; d < nest.rank(); ++d)
      if (nest.isReduction[d] && nest.outputs[o].strides[d] != 0)
        return false;
    return nest.hasReduction();
  }
  unsigned numInputs() { return nest.inputs.size(); }
  unsigned numOutputs() { return nest.outputs.size(); }
  Access &access(unsigned i) {
    return i < numInputs() ? nest.inputs[i] : nest.outputs[i - numInputs()];
  }
  int64_t vectorStride(unsigned i) {
    return vectorDim ? access(i).strides[*vectorDim] : 0;
  }
  bool vectorIsReduction() { return vectorDim && nest.isReduction[*vectorDim]; }

  OpBuilder &b;
  Location loc;
  FlatMemory mem;
  LoopNest nest;
  unsigned vectorWidth;

  std::optional<unsigned> vectorDim;
  int64_t lanes = 1;
  int64_t unroll = 1;
  SmallVector<Combiner> combiners;
  SmallVector<Value> flat;
};

} // namespace

//===-- Decisions
//----------------------------------------------------------===//

void NestEmitter::findCombiners() {
  combiners.resize(numOutputs());
  Block *body = nest.op.getBody();
  for (unsigned o = 0; o < numOutputs(); ++o) {
    if (!isAccumulated(o))
      continue;
    BlockArgument old = nest.op.getRegionOutputArgs()[o];
    Operation *op = body->getTerminator()->getOperand(o).getDefiningOp();
    if (!op || !old.hasOneUse() || op->getNumOperands() != 2 ||
        !op->getResult(0).hasOneUse() || *old.getUsers().begin() != op)
      continue;
    if (std::optional<TypedAttr> neutral = arith::getNeutralElement(op))
      combiners[o] = {op, old.use_begin()->getOperandNumber(), *neutral};
  }
}

bool NestEmitter::bodyVectorises() {
  return llvm::all_of(nest.op.getBody()->without_terminator(),
                      [](Operation &op) {
                        return isa<arith::ConstantOp, linalg::IndexOp>(op) ||
                               OpTrait::hasElementwiseMappableTraits(&op);
                      });
}

/// The width of the widest element that the nest touches; half-precision floats
/// count as the single-precision ones they are computed in.
unsigned NestEmitter::elementBits() {
  unsigned bits = 8;
  auto consider = [&](Type type) {
    if (isa<IndexType>(type))
      bits = std::max(bits, 64u);
    else if (isa<FloatType>(type))
      bits = std::max({bits, 32u, type.getIntOrFloatBitWidth()});
    else if (type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
  };
  for (unsigned i = 0; i < numInputs() + numOutputs(); ++i)
    consider(access(i).elementType());
  for (Operation &op : nest.op.getBody()->without_terminator())
    for (Type type : op.getResultTypes())
      consider(type);
  return bits;
}

void NestEmitter::chooseVectorDim() {
  if (!bodyVectorises())
    return;
  int64_t maxLanes = std::max(1u, vectorWidth / elementBits());
  double bestCost = 0;
  for (unsigned d = 0; d < nest.rank(); ++d) {
    if (nest.isReduction[d]) {
      bool known = true;
      for (unsigned o = 0; o < numOutputs(); ++o)
        known &= !isAccumulated(o) || combiners[o].op;
      if (!known)
        continue;
    }
    // Contiguous and broadcast accesses cost one; gathers and scatters more.
    double cost = nest.isReduction[d] ? 2 : 0;
    for (Access &in : nest.inputs)
      cost += in.strides[d] == 0 || in.strides[d] == 1 ? 1 : 8;
    for (Access &out : nest.outputs)
      cost += out.strides[d] == 0 || out.strides[d] == 1 ? 1 : 16;
    int64_t vectors = llvm::divideCeil(nest.sizes[d], maxLanes);
    cost *= double(vectors * maxLanes) / nest.sizes[d];
    if (!vectorDim || cost <= bestCost) {
      vectorDim = d;
      bestCost = cost;
    }
  }
  if (!vectorDim)
    return;
  lanes =
      std::min<int64_t>(maxLanes, llvm::PowerOf2Ceil(nest.sizes[*vectorDim]));

  unsigned ops = 0;
  bool heavy = false;
  for (Operation &op : nest.op.getBody()->without_terminator()) {
    heavy |= isa<math::MathDialect>(op.getDialect());
    ops += !isa<arith::ConstantOp>(op);
  }
  unroll = heavy || ops > 16 ? 1 : ops > 6 ? 2 : 4;
  if (nest.hasReduction())
    unroll = heavy ? 2 : 4;
  unroll = std::min<int64_t>(unroll,
                             llvm::divideCeil(nest.sizes[*vectorDim], lanes));
}

/// Parallel dimensions first, then reductions, each with large strides outside.
/// The vectorised one goes last among its kind.
void NestEmitter::orderDims() {
  auto weight = [&](unsigned d) {
    int64_t sum = 0;
    ArrayRef<Access> accesses =
        nest.isReduction[d] ? nest.inputs : nest.outputs;
    for (const Access &a : accesses)
      sum += std::abs(a.strides[d]);
    return sum;
  };
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, nest.rank()));
  llvm::sort(order, [&](unsigned x, unsigned y) {
    auto key = [&](unsigned d) {
      return std::make_tuple(bool(nest.isReduction[d]), vectorDim == d,
                             -weight(d), d);
    };
    return key(x) < key(y);
  });
  if (vectorDim)
    vectorDim = llvm::find(order, *vectorDim) - order.begin();
  nest.permute(order);
}

//===-- Straight-line code
//---------------------------------------------------===//

Value NestEmitter::splat(TypedAttr scalar) {
  if (lanes == 1)
    return arith::ConstantOp::create(b, loc, scalar);
  auto type = VectorType::get(lanes, scalar.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>(scalar)));
}

Value NestEmitter::loadInput(unsigned i, const Position &pos, int64_t active) {
  Type type = nest.inputs[i].elementType();
  if (nest.inputs[i].isScalar())
    return lanes == 1 ? flat[i] : mem.broadcast(flat[i], lanes);
  if (lanes == 1)
    return mem.loadScalar(type, flat[i], pos.at[i]);
  return mem.loadVector(type, flat[i], pos.at[i], vectorStride(i), lanes,
                        active);
}

Value NestEmitter::loadOutput(unsigned o, const Position &pos, int64_t active) {
  unsigned i = numInputs() + o;
  Type type = nest.outputs[o].elementType();
  if (lanes == 1)
    return mem.loadScalar(type, flat[i], pos.at[i]);
  return mem.loadVector(type, flat[i], pos.at[i], vectorStride(i), lanes,
                        active);
}

void NestEmitter::storeOutput(unsigned o, Value value, const Position &pos,
                              int64_t active) {
  unsigned i = numInputs() + o;
  if (lanes == 1)
    mem.storeScalar(value, flat[i], pos.at[i]);
  else
    mem.storeVector(value, flat[i], pos.at[i], vectorStride(i), active);
}

/// Half-precision sums are accumulated in single precision.
Type NestEmitter::accumulatorElement(unsigned o) {
  Type type = nest.outputs[o].elementType();
  if (combiners[o].op && (type.isF16() || type.isBF16()))
    return b.getF32Type();
  return type;
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value NestEmitter::widen(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return arith::ExtFOp::create(b, loc, withElement(value.getType(), element),
                               value);
}

Value NestEmitter::narrow(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return arith::TruncFOp::create(b, loc, withElement(value.getType(), element),
                                 value);
}

Value NestEmitter::combine(unsigned o, Value a, Value c) {
  Type element = accumulatorElement(o);
  a = widen(a, element);
  c = widen(c, element);
  OperationState state(loc, combiners[o].op->getName(), {a, c}, a.getType());
  if (auto fmf = dyn_cast<arith::ArithFastMathInterface>(combiners[o].op))
    state.addAttribute(fmf.getFastMathAttrName(), fmf.getFastMathFlagsAttr());
  return b.create(state)->getResult(0);
}

/// Combines the lanes pairwise: a fixed order, at every vector width.
Value NestEmitter::reduceLanes(unsigned o, Value value) {
  for (int64_t width = lanes; width > 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < width / 2; ++i) {
      low.push_back(i);
      high.push_back(i + width / 2);
    }
    Value x = vector::ShuffleOp::create(b, loc, value, value, low);
    Value y = vector::ShuffleOp::create(b, loc, value, value, high);
    value = combine(o, x, y);
  }
  return lanes == 1
             ? value
             : vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>(0));
}

SmallVector<Value> NestEmitter::cloneBody(ValueRange inputs, ValueRange outputs,
                                          const Position &pos, int64_t active) {
  Block *body = nest.op.getBody();
  IRMapping map;
  map.map(ValueRange(body->getArguments()).take_front(inputs.size()), inputs);
  map.map(ValueRange(body->getArguments()).drop_front(inputs.size()), outputs);
  auto lookup = [&](Value value) {
    if (Value mapped = map.lookupOrNull(value))
      return mapped;
    return lanes == 1 ? value : mem.broadcast(value, lanes);
  };
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      int64_t dim = nest.dimOfLoop[index.getDim()];
      Value iv = mem.materialize(dim < 0 ? FlatIndex() : pos.ivs[dim]);
      if (lanes > 1) {
        iv = mem.broadcast(iv, lanes);
        if (vectorDim == dim) {
          auto type = VectorType::get(lanes, b.getIndexType());
          Value step = arith::ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(
                  type, llvm::map_to_vector(
                            llvm::seq<int64_t>(0, lanes), [&](int64_t lane) {
                              return Attribute(b.getIndexAttr(lane));
                            })));
          iv = arith::AddIOp::create(b, loc, iv, step);
        }
      }
      map.map(op.getResult(0), iv);
      continue;
    }
    if (lanes == 1) {
      b.clone(op, map);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      map.map(op.getResult(0), splat(constant.getValue()));
      continue;
    }
    unsigned combined = 0;
    while (combined < numOutputs() && combiners[combined].op != &op)
      ++combined;
    if (combined < numOutputs()) {
      SmallVector<Value> operands{lookup(op.getOperand(0)),
                                  lookup(op.getOperand(1))};
      map.map(op.getResult(0), combine(combined, operands[0], operands[1]));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookup);
    // Lanes that are switched off hold zeros, which must not be divided by.
    if (active < lanes &&
        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op)) {
      Type element = op.getResult(0).getType();
      operands[1] =
          arith::SelectOp::create(b, loc, mem.mask(lanes, active), operands[1],
                                  splat(b.getIntegerAttr(element, 1)));
    }
    IRMapping operandMap;
    operandMap.map(op.getOperands(), operands);
    Operation *clone = op.cloneWithoutRegions(operandMap);
    clone->setOperands(operands);
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get(lanes, result.getType()));
    b.insert(clone);
    map.map(op.getResults(), clone->getResults());
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(), lookup);
}

//===-- Loops
//----------------------------------------------------------------===//

SmallVector<Value> NestEmitter::forLoop(
    int64_t size, int64_t step, ValueRange carried,
    function_ref<SmallVector<Value>(FlatIndex, ValueRange)> body) {
  if (size <= 0)
    return llvm::to_vector(carried);
  if (size <= step)
    return body(FlatIndex(), carried);
  auto loop = scf::ForOp::create(
      b, loc, mem.constant(0), mem.constant(size), mem.constant(step), carried,
      [&](OpBuilder &, Location, Value iv, ValueRange values) {
        scf::YieldOp::create(b, loc, body({iv, 0}, values));
      });
  return SmallVector<Value>(loop.getResults());
}

Position NestEmitter::advance(const Position &pos, unsigned dim, FlatIndex iv) {
  Position next = pos;
  next.ivs[dim] = mem.advance(pos.ivs[dim], iv, 1);
  DenseMap<std::pair<Value, int64_t>, Value> known;
  for (unsigned i = 0; i < pos.at.size(); ++i) {
    int64_t stride = access(i).strides[dim];
    FlatIndex from = pos.at[i];
    auto [it, isNew] = known.try_emplace({from.var, iv.var ? stride : 0});
    if (isNew)
      it->second = mem.advance(from, {iv.var, 0}, stride).var;
    next.at[i] = {it->second, from.constant + iv.constant * stride};
  }
  return next;
}

void NestEmitter::emitOuterLoops(unsigned dim, const Position &pos) {
  bool atEnd = dim == nest.rank() || nest.isReduction[dim];
  if (atEnd || (vectorDim == dim))
    return vectorIsReduction() ? emitReductionVector(pos)
                               : emitParallelVector(pos);
  forLoop(nest.sizes[dim], 1, {}, [&](FlatIndex iv, ValueRange) {
    emitOuterLoops(dim + 1, advance(pos, dim, iv));
    return SmallVector<Value>();
  });
}

void NestEmitter::emitParallelVector(const Position &pos) {
  if (!vectorDim)
    return emitBlock(pos, 1, 1);
  int64_t size = nest.sizes[*vectorDim], block = lanes * unroll;
  int64_t full = size / block * block;
  forLoop(full, block, {}, [&](FlatIndex iv, ValueRange) {
    emitBlock(advance(pos, *vectorDim, iv), unroll, lanes);
    return SmallVector<Value>();
  });
  int64_t rest = size - full;
  if (rest == 0)
    return;
  int64_t count = llvm::divideCeil(rest, lanes);
  emitBlock(advance(pos, *vectorDim, {Value(), full}), count,
            rest - (count - 1) * lanes);
}

/// Computes `count` vectors of every output; the last one has `lastActive`
/// lanes.
void NestEmitter::emitBlock(const Position &pos, int64_t count,
                            int64_t lastActive) {
  SmallVector<Value> accumulators;
  auto vectorAt = [&](int64_t u) {
    return vectorDim ? advance(pos, *vectorDim, {Value(), u * lanes}) : pos;
  };
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < numOutputs(); ++o)
      if (isAccumulated(o))
        accumulators.push_back(widen(
            loadOutput(o, vectorAt(u), u + 1 == count ? lastActive : lanes),
            accumulatorElement(o)));
  unsigned firstReduction =
      llvm::find(nest.isReduction, true) - nest.isReduction.begin();
  accumulators =
      emitReductionLoops(firstReduction, pos, accumulators, count, lastActive);
  unsigned next = 0;
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < numOutputs(); ++o)
      if (isAccumulated(o))
        storeOutput(o,
                    narrow(accumulators[next++], nest.outputs[o].elementType()),
                    vectorAt(u), u + 1 == count ? lastActive : lanes);
}

SmallVector<Value> NestEmitter::emitReductionLoops(unsigned dim,
                                                   const Position &pos,
                                                   ValueRange accumulators,
                                                   int64_t count,
                                                   int64_t lastActive) {
  if (dim < nest.rank())
    return forLoop(nest.sizes[dim], 1, accumulators,
                   [&](FlatIndex iv, ValueRange values) {
                     return emitReductionLoops(dim + 1, advance(pos, dim, iv),
                                               values, count, lastActive);
                   });
  // All loads come before all stores, so that they need not wait for them.
  SmallVector<Position> at;
  SmallVector<SmallVector<Value>> inputs(count), results(count);
  auto active = [&](int64_t u) { return u + 1 == count ? lastActive : lanes; };
  for (int64_t u = 0; u < count; ++u) {
    at.push_back(vectorDim ? advance(pos, *vectorDim, {Value(), u * lanes})
                           : pos);
    for (unsigned i = 0; i < numInputs(); ++i) {
      bool same = u > 0 && vectorStride(i) == 0;
      inputs[u].push_back(same ? inputs[0][i] : loadInput(i, at[u], active(u)));
    }
  }
  SmallVector<Value> next;
  unsigned acc = 0;
  for (int64_t u = 0; u < count; ++u) {
    SmallVector<Value> old;
    for (unsigned o = 0; o < numOutputs(); ++o) {
      BlockArgument arg = nest.op.getRegionOutputArgs()[o];
      if (isAccumulated(o))
        old.push_back(accumulators[acc++]);
      else if (!arg.use_empty())
        old.push_back(loadOutput(o, at[u], active(u)));
      else
        old.push_back(Value());
    }
    results[u] = cloneBody(inputs[u], old, at[u], active(u));
    for (unsigned o = 0; o < numOutputs(); ++o)
      if (isAccumulated(o))
        next.push_back(results[u][o]);
  }
  for (int64_t u = 0; u < count; ++u)
    for (unsigned o = 0; o < numOutputs(); ++o)
      if (!isAccumulated(o))
        storeOutput(o, results[u][o], at[u], active(u));
  return next;
}

void NestEmitter::emitReductionVector(const Position &pos) {
  SmallVector<Value> accumulators;
  for (int64_t u = 0; u < unroll; ++u)
    for (unsigned o = 0; o < numOutputs(); ++o)
      if (isAccumulated(o))
        accumulators.push_back(
            widen(splat(combiners[o].neutral), accumulatorElement(o)));
  unsigned firstReduction =
      llvm::find(nest.isReduction, true) - nest.isReduction.begin();
  accumulators = emitReductionVectorLoops(firstReduction, pos, accumulators);

  unsigned perVector = accumulators.size() / unroll, next = 0;
  for (unsigned o = 0; o < numOutputs(); ++o) {
    if (!isAccumulated(o))
      continue;
    SmallVector<Value> partial;
    for (int64_t u = 0; u < unroll; ++u)
      partial.push_back(accumulators[u * perVector + next]);
    ++next;
    for (; partial.size() > 1;
         partial.resize(partial.size() / 2 + partial.size() % 2))
      for (size_t i = 0; i < partial.size() / 2; ++i)
        partial[i] = combine(o, partial[i], partial[partial.size() - 1 - i]);
    Type type = nest.outputs[o].elementType();
    unsigned operand = numInputs() + o;
    Value old = mem.loadScalar(type, flat[operand], pos.at[operand]);
    Value total = combine(o, old, reduceLanes(o, partial[0]));
    mem.storeScalar(narrow(total, type), flat[operand], pos.at[operand]);
  }
}

SmallVector<Value>
NestEmitter::emitReductionVectorLoops(unsigned dim, const Position &pos,
                                      ValueRange accumulators) {
  if (dim != *vectorDim)
    return forLoop(nest.sizes[dim], 1, accumulators,
                   [&](FlatIndex iv, ValueRange values) {
                     return emitReductionVectorLoops(
                         dim + 1, advance(pos, dim, iv), values);
                   });
  unsigned perVector = accumulators.size() / unroll;
  auto emitVectors = [&](const Position &start, ValueRange values,
                         int64_t count, int64_t lastActive) {
    SmallVector<Value> next = llvm::to_vector(values);
    for (int64_t u = 0; u < count; ++u) {
      int64_t active = u + 1 == count ? lastActive : lanes;
      Position at = advance(start, *vectorDim, {Value(), u * lanes});
      SmallVector<Value> inputs, old;
      for (unsigned i = 0; i < numInputs(); ++i)
        inputs.push_back(loadInput(i, at, active));
      unsigned acc = u * perVector;
      for (unsigned o = 0; o < numOutputs(); ++o)
        old.push_back(isAccumulated(o) ? values[acc++]
                      : nest.op.getRegionOutputArgs()[o].use_empty()
                          ? Value()
                          : loadOutput(o, at, active));
      SmallVector<Value> results = cloneBody(inputs, old, at, active);
      acc = u * perVector;
      for (unsigned o = 0; o < numOutputs(); ++o) {
        if (!isAccumulated(o)) {
          storeOutput(o, results[o], at, active);
          continue;
        }
        Value result = results[o];
        if (active < lanes)
          result = arith::SelectOp::create(b, loc, mem.mask(lanes, active),
                                           result, old[o]);
        next[acc++] = result;
      }
    }
    return next;
  };
  int64_t size = nest.sizes[*vectorDim], block = lanes * unroll;
  int64_t full = size / block * block;
  SmallVector<Value> values =
      forLoop(full, block, accumulators, [&](FlatIndex iv, ValueRange carried) {
        return emitVectors(advance(pos, *vectorDim, iv), carried, unroll,
                           lanes);
      });
  int64_t rest = size - full;
  if (rest == 0)
    return values;
  int64_t count = llvm::divideCeil(rest, lanes);
  return emitVectors(advance(pos, *vectorDim, {Value(), full}), values, count,
                     rest - (count - 1) * lanes);
}

void NestEmitter::emit() {
  if (nest.isEmpty())
    return;
  nest.simplify();
  findCombiners();
  chooseVectorDim();
  orderDims();
  Position pos;
  pos.ivs.resize(nest.rank());
  for (unsigned i = 0; i < numInputs() + numOutputs(); ++i) {
    if (access(i).isScalar()) {
      flat.push_back(access(i).memref);
      pos.at.emplace_back();
      continue;
    }
    auto [memory, start] = mem.flatten(access(i).memref);
    flat.push_back(memory);
    pos.at.push_back(start.plus(access(i).offset));
  }
  emitOuterLoops(0, pos);
}

LogicalResult cellgrad::emitNest(RewriterBase &rewriter, linalg::GenericOp op,
                                 unsigned vectorWidth) {
  FailureOr<LoopNest> nest = analyzeNest(op);
  if (failed(nest))
    return failure();
  rewriter.setInsertionPoint(op);
  NestEmitter(rewriter, std::move(*nest), vectorWidth).emit();
  rewriter.eraseOp(op);
  return success();
}
