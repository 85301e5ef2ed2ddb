//===- NestBody.cpp - straight-line code of a nest ------------------------===//

#include "passes/lower/cpu/NestBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cellgrad;

/// How far ahead of its use memory is asked for. Measured on an AMD EPYC, the
/// sum of 16 Mi floats: with pages of 2 MiB 1.5 ms from 3072 to 16384, 1.9 for
/// 256, which is as without. With pages of 4 KiB 2.8 to 3.4 ms everywhere but
/// at 1024 and 2048, where it is 3.8 to 4.5. What is beyond the end does no
/// harm.
static constexpr int64_t kPrefetchedBytes = 4096;

NestBody::NestBody(OpBuilder &b, const NestPlan &plan)
    : b(b), loc(linalg::GenericOp(plan.nest.op).getLoc()), mem(b, loc),
      plan(plan), op(plan.nest.op), indices(plan.nest, plan.vectorDim) {
  first.ivs.resize(plan.nest.rank());
  for (unsigned i = 0; i < plan.numInputs() + plan.numOutputs(); ++i) {
    const Access &access = plan.access(i);
    if (access.isScalar()) {
      flat.push_back(access.memref);
      first.at.emplace_back();
      continue;
    }
    auto [memory, start] = mem.flatten(access.memref);
    flat.push_back(memory);
    first.at.push_back(start.plus(access.offset));
  }
  for (memref::LoadOp load : bodyLoads(op))
    if (!loaded.contains(load.getMemRef()))
      loaded[load.getMemRef()] = mem.flatten(load.getMemRef());
}

Position NestBody::advance(const Position &pos, unsigned dim, FlatIndex iv) {
  Position next = pos;
  next.ivs[dim] = mem.advance(pos.ivs[dim], iv, 1);
  DenseMap<std::pair<Value, int64_t>, Value> known;
  for (unsigned i = 0; i < pos.at.size(); ++i) {
    int64_t stride = plan.access(i).strides[dim];
    FlatIndex from = pos.at[i];
    auto [it, isNew] = known.try_emplace({from.var, iv.var ? stride : 0});
    if (isNew)
      it->second = mem.advance({from.var, 0}, {iv.var, 0}, stride).var;
    next.at[i] = {it->second, from.constant + iv.constant * stride};
  }
  return next;
}

Position NestBody::advanceVectors(const Position &pos, int64_t count) {
  if (!plan.vectorDim)
    return pos;
  return advance(pos, *plan.vectorDim, {Value(), count * plan.lanes});
}

//===-- Memory ------------------------------------------------------------===//

SmallVector<Value> NestBody::loadInputs(const Position &pos, int64_t active,
                                        ArrayRef<Value> shared) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < plan.numInputs(); ++i) {
    Type type = plan.nest.inputs[i].elementType();
    int64_t stride =
        llvm::is_contained(plan.transposed, i) ? 1 : plan.vectorStride(i);
    if (op.getBody()->getArgument(i).use_empty())
      values.emplace_back();
    else if (!shared.empty() && plan.vectorStride(i) == 0)
      values.push_back(shared[i]);
    else if (plan.lanes > 1 && indices.isScalarInput(i))
      values.push_back(plan.nest.inputs[i].isScalar()
                           ? flat[i]
                           : mem.loadScalar(type, flat[i], pos.at[i]));
    else if (plan.nest.inputs[i].isScalar())
      values.push_back(plan.lanes == 1 ? flat[i]
                                       : mem.broadcast(flat[i], plan.lanes));
    else if (plan.lanes == 1)
      values.push_back(mem.loadScalar(type, flat[i], pos.at[i]));
    else
      values.push_back(
          mem.loadVector(type, flat[i], pos.at[i], stride, plan.lanes, active));
  }
  return values;
}

void NestBody::prefetchInputs(const Position &pos, int64_t index) {
  for (unsigned i = 0; i < plan.numInputs(); ++i) {
    if (op.getBody()->getArgument(i).use_empty() || plan.vectorStride(i) != 1)
      continue;
    int64_t bits = cast<MemRefType>(flat[i].getType()).getElementTypeBitWidth();
    if (index * plan.lanes * bits / 8 % plan.prefetchedLine != 0)
      continue;
    memref::PrefetchOp::create(
        b, loc, flat[i],
        mem.materialize(pos.at[i].plus(kPrefetchedBytes * 8 / bits)),
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

Value NestBody::loadOutput(unsigned output, const Position &pos,
                           int64_t active) {
  unsigned i = plan.numInputs() + output;
  Type type = plan.nest.outputs[output].elementType();
  if (plan.lanes == 1)
    return mem.loadScalar(type, flat[i], pos.at[i]);
  return mem.loadVector(type, flat[i], pos.at[i], plan.vectorStride(i),
                        plan.lanes, active);
}

void NestBody::storeOutput(unsigned output, Value value, const Position &pos,
                           int64_t active) {
  unsigned i = plan.numInputs() + output;
  if (plan.lanes == 1)
    mem.storeScalar(value, flat[i], pos.at[i]);
  else
    mem.storeVector(value, flat[i], pos.at[i], plan.vectorStride(i), active);
}

//===-- Combination -------------------------------------------------------===//

Value NestBody::splat(TypedAttr scalar) {
  if (plan.lanes == 1)
    return mem.constant(scalar);
  return mem.constant(
      DenseElementsAttr::get(VectorType::get(plan.lanes, scalar.getType()),
                             ArrayRef<Attribute>(scalar)));
}

Value NestBody::toAccumulator(unsigned output, Value value) {
  return convertFloat(b, loc, value, plan.accumulatorElement(output));
}

Value NestBody::fromAccumulator(unsigned output, Value value) {
  return convertFloat(b, loc, value, plan.nest.outputs[output].elementType());
}

Value NestBody::neutral(unsigned output) {
  return toAccumulator(output, splat(plan.combiners[output].neutral));
}

Value NestBody::combine(unsigned output, Value a, Value c) {
  return cellgrad::combine(b, loc, plan.combiners[output],
                           toAccumulator(output, a), toAccumulator(output, c));
}

Value NestBody::combineTree(unsigned output, SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> half;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      half.push_back(combine(output, values[i], values[i + 1]));
    if (values.size() % 2)
      half.push_back(values.back());
    values = std::move(half);
  }
  return values.front();
}

Value NestBody::combineLanes(unsigned output, Value value) {
  if (plan.lanes == 1)
    return value;
  for (int64_t width = plan.lanes; width > 1; width /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, width / 2));
    auto high = llvm::to_vector(llvm::seq<int64_t>(width / 2, width));
    value =
        combine(output, vector::ShuffleOp::create(b, loc, value, value, low),
                vector::ShuffleOp::create(b, loc, value, value, high));
  }
  return vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>(0));
}

//===-- The body ----------------------------------------------------------===//

bool NestBody::readsOutput(unsigned output) {
  return !op.getRegionOutputArgs()[output].use_empty();
}

FlatIndex NestBody::loopVariable(linalg::IndexOp index,
                                 const Position &pos) const {
  int64_t dim = plan.nest.dimOfLoop[index.getDim()];
  return dim < 0 ? FlatIndex() : pos.ivs[dim];
}

Value NestBody::indexValue(linalg::IndexOp index, const Position &pos,
                           Type element) {
  Value iv = mem.materialize(loopVariable(index, pos));
  if (!element.isIndex())
    iv = arith::IndexCastOp::create(b, loc, element, iv);
  if (plan.lanes == 1)
    return iv;
  iv = mem.broadcast(iv, plan.lanes);
  if (plan.vectorDim != plan.nest.dimOfLoop[index.getDim()])
    return iv;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < plan.lanes; ++lane)
    steps.push_back(b.getIntegerAttr(element, lane));
  auto type = VectorType::get(plan.lanes, element);
  return arith::AddIOp::create(
      b, loc, iv, mem.constant(DenseElementsAttr::get(type, steps)));
}

Value NestBody::emitLoad(memref::LoadOp load, const Position &pos,
                         int64_t active, bool scalar, Lookup scalarOf,
                         Lookup lanesOf) {
  auto [memory, at] = loaded[load.getMemRef()];
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)load.getMemRefType().getStridesAndOffset(strides, offset);
  std::optional<int64_t> laneStride = scalar ? 0 : indices.stride(load);
  Value offsets; // of lanes that read anywhere
  for (auto [index, stride] : llvm::zip_equal(load.getIndices(), strides)) {
    APInt known;
    if (matchPattern(index, m_ConstantInt(&known))) {
      at = at.plus(known.getSExtValue() * stride);
    } else if (!laneStride && !indices.isUniform(index)) {
      Value step = arith::MulIOp::create(b, loc, lanesOf(index),
                                         splat(b.getIndexAttr(stride)));
      offsets =
          offsets ? Value(arith::AddIOp::create(b, loc, offsets, step)) : step;
    } else if (auto loop = index.getDefiningOp<linalg::IndexOp>()) {
      at = mem.advance(at, loopVariable(loop, pos), stride);
    } else {
      at = mem.advance(at, {scalarOf(index), 0}, stride);
    }
  }
  Type type = load.getType();
  if (scalar)
    return mem.loadScalar(type, memory, at);
  if (offsets)
    return mem.gather(type, memory, at, offsets, active);
  return mem.loadVector(type, memory, at, *laneStride, plan.lanes, active);
}

// The body is scalar code; `lanes` elements are computed at once. Each value
// takes one of three forms, so that no lane repeats what is the same for all: a
// vector in `map`, a scalar in `once` (positions, an input that gives the whole
// block one value), or a constant, made where it is used. `lookup` gives any of
// them as a vector, `lookupScalar` as a scalar. What combines with an output's
// old value is not cloned: `combine` may have an accumulator of another type.
SmallVector<Value> NestBody::run(ArrayRef<Value> inputs,
                                 ArrayRef<Value> outputs, const Position &pos,
                                 int64_t active, bool valuesOnly) {
  Block *body = op.getBody();
  int64_t lanes = plan.lanes;
  IRMapping map;  // all lanes
  IRMapping once; // the same for all lanes, and computed once
  for (auto [arg, value] : llvm::zip(body->getArguments(), inputs))
    (lanes > 1 && value && !isa<VectorType>(value.getType()) ? once : map)
        .map(arg, value);
  for (auto [arg, value] : llvm::zip_equal(op.getRegionOutputArgs(), outputs))
    map.map(arg, value);
  auto lookup = [&](Value value) {
    if (Value mapped = map.lookupOrNull(value))
      return mapped;
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return splat(constant);
    value = once.lookupOrDefault(value);
    return lanes == 1 ? value : mem.broadcast(value, lanes);
  };
  auto lookupScalar = [&](Value value) -> Value {
    if (Value mapped = once.lookupOrNull(value))
      return mapped;
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return mem.constant(constant);
    Value mapped = map.lookupOrDefault(value);
    if (!isa<VectorType>(mapped.getType()))
      return mapped;
    return vector::ExtractOp::create(b, loc, mapped, ArrayRef<int64_t>(0));
  };
  auto outputCombinedBy = [&](Operation *inner) -> std::optional<unsigned> {
    for (auto [o, combiner] : llvm::enumerate(plan.combiners))
      if (combiner.op == inner)
        return o;
    return std::nullopt;
  };
  for (Operation &inner : body->without_terminator()) {
    bool scalar = lanes == 1 || indices.isScalar(&inner);
    IRMapping &results = scalar && lanes > 1 ? once : map;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (scalar)
        results.map(index.getResult(),
                    mem.materialize(loopVariable(index, pos)));
      else if (indices.isWideIndex(index))
        map.map(index.getResult(), indexValue(index, pos, index.getType()));
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      results.map(load.getResult(),
                  emitLoad(load, pos, active, scalar, lookupScalar, lookup));
      continue;
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(inner); cast && !scalar)
      if (auto index = cast.getIn().getDefiningOp<linalg::IndexOp>()) {
        map.map(cast.getResult(), indexValue(index, pos, cast.getType()));
        continue;
      }
    if (std::optional<unsigned> o = outputCombinedBy(&inner)) {
      unsigned valueIndex = plan.combiners[*o].valueIndex;
      Value value = lookup(inner.getOperand(valueIndex));
      if (!valuesOnly) {
        Value old = lookup(inner.getOperand(1 - valueIndex));
        value =
            valueIndex == 1 ? combine(*o, old, value) : combine(*o, value, old);
      }
      map.map(inner.getResult(0), value);
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      map.map(constant.getResult(), splat(constant.getValue()));
      continue;
    }
    if (lanes == 1) {
      b.clone(inner, map);
      continue;
    }
    if (scalar) {
      Operation *clone = inner.clone();
      clone->setOperands(
          llvm::map_to_vector(inner.getOperands(), lookupScalar));
      b.insert(clone);
      once.map(inner.getResults(), clone->getResults());
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(inner.getOperands(), lookup);
    // Lanes that are switched off hold zeros, which must not be divided by.
    if (active < lanes &&
        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner))
      operands[1] = arith::SelectOp::create(
          b, loc, mem.mask(lanes, active), operands[1],
          splat(b.getIntegerAttr(inner.getResult(0).getType(), 1)));
    Operation *clone = inner.cloneWithoutRegions();
    clone->setOperands(operands);
    for (OpResult result : clone->getResults())
      result.setType(VectorType::get(lanes, result.getType()));
    b.insert(clone);
    map.map(inner.getResults(), clone->getResults());
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(), lookup);
}
