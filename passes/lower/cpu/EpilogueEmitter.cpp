//===- EpilogueEmitter.cpp - an elementwise op on tiles of a product ------===//

#include "passes/lower/cpu/EpilogueEmitter.h"

#include "passes/lower/buffers/Epilogue.h"

using namespace mlir;
using namespace cellgrad;

static NestPlan planOf(const Contraction &product, LoopNest nest,
                       int64_t lanes) {
  NestPlan plan;
  plan.nest = std::move(nest);
  plan.vectorDim = product.n;
  plan.lanes = lanes;
  plan.combiners.resize(plan.numOutputs());
  return plan;
}

EpilogueEmitter::EpilogueEmitter(OpBuilder &b, const Contraction &product,
                                 LoopNest nest, int64_t lanes)
    : plan(planOf(product, std::move(nest), lanes)), rowDim(product.m),
      columnDim(product.n), body(b, plan), start(body.start()) {
  Value result = unreshaped(product.nest.outputs[0].memref);
  for (const Access &input : plan.nest.inputs)
    isResult.push_back(unreshaped(input.memref) == result);
}

void EpilogueEmitter::emit(const FinishedVectors &part) {
  Position first = body.advance(body.advance(start, rowDim, part.row),
                                columnDim, part.column);
  SmallVector<std::pair<unsigned, Value>> originals;
  for (unsigned i = 0; i < plan.numInputs(); ++i)
    if (part.memory && isResult[i]) {
      originals.push_back({i, body.flatOf(i)});
      body.redirect(i, part.memory);
      first.at[i] = part.at;
    }
  // All loads come before all stores, so that they need not wait for them.
  SmallVector<Position> at;
  SmallVector<SmallVector<Value>> inputs, results;
  auto active = [&](int64_t v) {
    return v + 1 == part.vectors ? part.active : plan.lanes;
  };
  for (int64_t v = 0; v < part.vectors; ++v) {
    at.push_back(body.advanceVectors(first, v));
    inputs.push_back(body.loadInputs(
        at[v], active(v), v > 0 ? ArrayRef(inputs[0]) : ArrayRef<Value>()));
  }
  for (int64_t v = 0; v < part.vectors; ++v) {
    SmallVector<Value> old;
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      old.push_back(body.readsOutput(o) ? body.loadOutput(o, at[v], active(v))
                                        : Value());
    results.push_back(body.run(inputs[v], old, at[v], active(v)));
  }
  for (int64_t v = 0; v < part.vectors; ++v)
    for (unsigned o = 0; o < plan.numOutputs(); ++o)
      body.storeOutput(o, results[v][o], at[v], active(v));
  for (auto [i, memory] : originals)
    body.redirect(i, memory);
}
