//===- NestCode.cpp - scalar code of a nest -------------------------------===//

#include "passes/lower/gpu/NestCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cellgrad;

NestCode::NestCode(OpBuilder &b, const LoopNest &nest)
    : b(b), loc(linalg::GenericOp(nest.op).getLoc()), mem(b, loc), nest(nest),
      op(nest.op), combiners(findCombiners(nest)) {
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
  for (auto [i, at] : llvm::enumerate(next.at)) {
    const Access &access =
        i < numInputs() ? nest.inputs[i] : nest.outputs[i - numInputs()];
    at = mem.advance(at, iv, access.strides[dim]);
  }
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

Value NestCode::loadOperand(unsigned operand, const NestPosition &pos) {
  const Access &access = operand < numInputs()
                             ? nest.inputs[operand]
                             : nest.outputs[operand - numInputs()];
  if (access.isScalar())
    return access.memref;
  return mem.loadScalar(access.elementType(), flat[operand], pos.at[operand]);
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

NestCode::Values NestCode::step(const NestPosition &pos,
                                ValueRange accumulators) {
  Block *body = op.getBody();
  IRMapping map;
  for (unsigned i = 0; i < numInputs(); ++i)
    if (BlockArgument arg = body->getArgument(i); !arg.use_empty())
      map.map(arg, loadOperand(i, pos));
  Values old(nest.outputs.size());
  for (auto [o, value] : llvm::zip_equal(accumulated, accumulators))
    old[o] = value;
  for (auto [o, arg] : llvm::enumerate(op.getRegionOutputArgs())) {
    if (!old[o] && !arg.use_empty())
      old[o] = loadOperand(numInputs() + o, pos);
    if (old[o])
      map.map(arg, old[o]);
  }
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
    Value value = map.lookupOrDefault(inner.getOperand(combiner->valueIndex));
    value = convertFloat(b, loc, value, accumulatorType(o));
    map.map(inner.getResult(0),
            combiner->valueIndex == 1
                ? cellgrad::combine(b, loc, *combiner, old[o], value)
                : cellgrad::combine(b, loc, *combiner, value, old[o]));
  }
  Values next;
  for (auto [o, result] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    Value value = map.lookupOrDefault(result);
    if (llvm::is_contained(accumulated, o))
      next.push_back(value);
    else
      storeOutput(o, value, pos);
  }
  return next;
}
