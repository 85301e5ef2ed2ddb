//===- NestCode.cpp - scalar code of a nest -------------------------------===//

#include "passes/lower/gpu/NestCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cellgrad;

NestCode::NestCode(OpBuilder &b, const LoopNest &nest, ArrayRef<Value> starts)
    : b(b), loc(linalg::GenericOp(nest.op).getLoc()), mem(b, loc), nest(nest),
      op(nest.op), combiners(findCombiners(nest)), starts(starts) {
  first.ivs.resize(nest.rank());
  auto add = [&](const Access &access) {
    if (access.isScalar()) {
      flat.push_back(access.memref);
      first.at.emplace_back();
      return;
    }
    auto [memory, start] = mem.flatten(access.memref);
    flat.push_back(memory);
    first.at.push_back(start.plus(access.offset));
  };
  llvm::for_each(nest.inputs, add);
  llvm::for_each(nest.outputs, add);
  for (unsigned o = 0; o < nest.outputs.size(); ++o)
    if (nest.isAccumulated(o))
      accumulated.push_back(o);
}

NestPosition NestCode::advance(const NestPosition &pos, unsigned dim,
                               FlatIndex iv) {
  NestPosition next = pos;
  next.ivs[dim] = mem.advance(pos.ivs[dim], iv, 1);
  for (auto [i, at] : llvm::enumerate(next.at))
    at = mem.advance(at, iv, access(i).strides[dim]);
  return next;
}

NestPosition NestCode::advance(const NestPosition &pos, unsigned begin,
                               unsigned end, Value number) {
  NestPosition next = pos;
  for (unsigned dim = end; dim-- > begin;) {
    Value iv = number;
    if (dim > begin) {
      Value size = mem.constant(nest.sizes[dim]);
      iv = arith::RemUIOp::create(b, loc, number, size);
      number = arith::DivUIOp::create(b, loc, number, size);
    }
    next = advance(next, dim, {iv, 0});
  }
  return next;
}

//===-- Memory ------------------------------------------------------------===//

const Access &NestCode::access(unsigned operand) const {
  return operand < numInputs() ? nest.inputs[operand]
                               : nest.outputs[operand - numInputs()];
}

bool NestCode::isRead(unsigned operand) {
  return !op.getBody()->getArgument(operand).use_empty();
}

Value NestCode::loadOperand(unsigned operand, const NestPosition &pos) {
  if (access(operand).isScalar())
    return access(operand).memref;
  if (operand >= numInputs() && !starts.empty())
    if (Value start = starts[operand - numInputs()])
      return start;
  return mem.loadScalar(access(operand).elementType(), flat[operand],
                        pos.at[operand]);
}

void NestCode::storeOutput(unsigned output, Value value,
                           const NestPosition &pos) {
  unsigned operand = numInputs() + output;
  mem.storeScalar(value, flat[operand], pos.at[operand]);
}

//===-- Accumulators ------------------------------------------------------===//

bool NestCode::combinesAll() const {
  return llvm::all_of(combiners, [](const Combiner &c) { return c.op; });
}

bool NestCode::isSum(unsigned accumulator) const {
  return isa_and_nonnull<arith::AddFOp>(combiner(accumulator).op);
}

bool NestCode::hasSum() const {
  return llvm::any_of(llvm::seq<unsigned>(0, accumulated.size()),
                      [&](unsigned a) { return isSum(a); });
}

Type NestCode::accumulatorType(unsigned output) const {
  return accumulatorElement(nest.outputs[output].elementType(),
                            combiners[output]);
}

Value NestCode::neutral(unsigned accumulator) {
  unsigned o = accumulated[accumulator];
  return convertFloat(b, loc, mem.constant(combiners[o].neutral),
                      accumulatorType(o));
}

NestCode::Values NestCode::load(const NestPosition &pos) {
  Values values;
  for (unsigned o : accumulated)
    values.push_back(convertFloat(b, loc, loadOperand(numInputs() + o, pos),
                                  accumulatorType(o)));
  return values;
}

void NestCode::store(const NestPosition &pos, ValueRange accumulators) {
  for (auto [o, value] : llvm::zip_equal(accumulated, accumulators))
    storeOutput(o, convertFloat(b, loc, value, nest.outputs[o].elementType()),
                pos);
}

NestCode::Values NestCode::combine(ValueRange a, ValueRange c) {
  Values values;
  for (auto [o, x, y] : llvm::zip_equal(accumulated, a, c))
    values.push_back(cellgrad::combine(b, loc, combiners[o], x, y));
  return values;
}

//===-- The body ----------------------------------------------------------===//

NestCode::Values NestCode::run(const NestPosition &pos, ValueRange loaded) {
  Block *body = op.getBody();
  IRMapping map;
  for (auto [arg, value] : llvm::zip_equal(body->getArguments(), loaded))
    if (value)
      map.map(arg, value);
  for (Operation &inner : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      int64_t dim = nest.dimOfLoop[index.getDim()];
      map.map(index.getResult(),
              mem.materialize(dim < 0 ? FlatIndex() : pos.ivs[dim]));
      continue;
    }
    // An accumulator may have another type than the output.
    auto combiner = llvm::find_if(
        combiners, [&](const Combiner &c) { return c.op == &inner; });
    if (combiner == combiners.end()) {
      b.clone(inner, map);
      continue;
    }
    unsigned o = combiner - combiners.begin();
    Value old = loaded[numInputs() + o];
    Value value = map.lookupOrDefault(inner.getOperand(combiner->valueIndex));
    value = convertFloat(b, loc, value, accumulatorType(o));
    map.map(inner.getResult(0),
            combiner->valueIndex == 1
                ? cellgrad::combine(b, loc, *combiner, old, value)
                : cellgrad::combine(b, loc, *combiner, value, old));
  }
  return llvm::map_to_vector<4>(
      body->getTerminator()->getOperands(),
      [&](Value result) { return map.lookupOrDefault(result); });
}

NestCode::Values NestCode::step(const NestPosition &pos,
                                ValueRange accumulators) {
  Values loaded(op.getNumOperands());
  for (auto [o, value] : llvm::zip_equal(accumulated, accumulators))
    loaded[numInputs() + o] = value;
  for (auto [i, value] : llvm::enumerate(loaded))
    if (!value && isRead(i))
      value = loadOperand(i, pos);
  Values next;
  for (auto [o, value] : llvm::enumerate(run(pos, loaded))) {
    if (llvm::is_contained(accumulated, o))
      next.push_back(value);
    else
      storeOutput(o, value, pos);
  }
  return next;
}

void NestCode::wideStep(const NestPosition &pos, int64_t lanes) {
  unsigned last = nest.rank() - 1;
  SmallVector<NestPosition> places;
  for (int64_t lane = 0; lane < lanes; ++lane)
    places.push_back(advance(pos, last, {Value(), lane}));
  auto bytesOf = [&](unsigned operand) {
    return lanes *
           std::max(8u, access(operand).elementType().getIntOrFloatBitWidth()) /
           8;
  };

  SmallVector<Values> loaded(lanes, Values(op.getNumOperands()));
  for (unsigned i = 0; i < op.getNumOperands(); ++i) {
    if (!isRead(i))
      continue;
    bool started =
        i >= numInputs() && !starts.empty() && starts[i - numInputs()];
    if (!started && isWide(access(i), nest, lanes)) {
      Value all = mem.loadVector(access(i).elementType(), flat[i], pos.at[i],
                                 /*stride=*/1, lanes, lanes, bytesOf(i));
      for (int64_t lane = 0; lane < lanes; ++lane)
        loaded[lane][i] = vector::ExtractOp::create(b, loc, all, lane);
      continue;
    }
    bool same = started || access(i).isScalar() || access(i).strides[last] == 0;
    for (int64_t lane = 0; lane < lanes; ++lane)
      loaded[lane][i] =
          same && lane > 0 ? loaded[0][i] : loadOperand(i, places[lane]);
  }
  // All that is read is read before anything is written.
  SmallVector<Values> results;
  for (int64_t lane = 0; lane < lanes; ++lane)
    results.push_back(run(places[lane], loaded[lane]));
  for (unsigned o = 0; o < nest.outputs.size(); ++o) {
    unsigned operand = numInputs() + o;
    if (!isWide(access(operand), nest, lanes)) {
      for (int64_t lane = 0; lane < lanes; ++lane)
        storeOutput(o, results[lane][o], places[lane]);
      continue;
    }
    Values values;
    for (const Values &result : results)
      values.push_back(result[o]);
    auto type = VectorType::get(lanes, values.front().getType());
    Value all = vector::FromElementsOp::create(b, loc, type, values);
    mem.storeVector(all, flat[operand], pos.at[operand], /*stride=*/1, lanes,
                    bytesOf(operand));
  }
}

bool cellgrad::isWide(const Access &access, const LoopNest &nest,
                      int64_t lanes) {
  if (access.isScalar() || access.strides.back() != 1)
    return false;
  SmallVector<int64_t> strides;
  int64_t begin;
  (void)cast<MemRefType>(access.memref.getType())
      .getStridesAndOffset(strides, begin);
  return !ShapedType::isDynamic(begin) &&
         (begin + access.offset) % lanes == 0 &&
         llvm::all_of(ArrayRef(access.strides).drop_back(),
                      [&](int64_t stride) { return stride % lanes == 0; });
}
