//===- ElementwiseMerge.cpp - merge two linalg.generic ops ----------------===//

#include "passes/lower/fuse/ElementwiseMerge.h"

#include "passes/lower/buffers/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace cellgrad {

bool isElementwise(linalg::GenericOp op) {
  if (op.getNumLoops() != op.getNumParallelLoops() || op->getNumResults() == 0)
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isPermutation();
  });
}

bool isPureView(linalg::GenericOp op) {
  Block *body = op.getBody();
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      !llvm::hasSingleElement(*body) || !isElementwise(op))
    return false;
  return body->getTerminator()->getOperand(0) == body->getArgument(0);
}

std::optional<unsigned> recomputeCost(linalg::GenericOp op) {
  unsigned cost = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (costOf(inner) != OpCost::Cheap)
      return std::nullopt;
    cost += !isa<arith::ConstantOp>(inner);
  }
  return cost;
}

AffineMap producerIteration(OpOperand &operand) {
  auto consumer = cast<linalg::GenericOp>(operand.getOwner());
  auto result = cast<OpResult>(operand.get());
  auto producer = cast<linalg::GenericOp>(result.getOwner());
  AffineMap written = producer.getIndexingMapMatchingResult(result);
  return inversePermutation(written).compose(
      consumer.getMatchingIndexingMap(&operand));
}

bool bindsAllLoops(ArrayRef<AffineMap> maps) {
  AffineMap all = concatAffineMaps(maps, maps.front().getContext());
  return static_cast<bool>(inversePermutation(all));
}

bool mergeBindsAllLoops(linalg::GenericOp producer, linalg::GenericOp consumer,
                        AffineMap iteration) {
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : consumer->getOpOperands())
    if (operand.get().getDefiningOp() != producer)
      maps.push_back(consumer.getMatchingIndexingMap(&operand));
  // The producer's outputs stay only where they are needed elsewhere.
  for (OpOperand *operand : producer.getDpsInputOperands())
    maps.push_back(producer.getMatchingIndexingMap(operand).compose(iteration));
  return !maps.empty() && bindsAllLoops(maps);
}

namespace {

/// Operands of the op being built, without repetition.
struct OperandList {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(Value value, AffineMap map) {
    for (unsigned i = 0; i < values.size(); ++i)
      if (values[i] == value && maps[i] == map)
        return i;
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};

} // namespace

/// Indices of the producer's loops in terms of the consumer's.
static void rewriteIndices(RewriterBase &rewriter, Block *body,
                           AffineMap iteration) {
  SmallVector<linalg::IndexOp> indices(body->getOps<linalg::IndexOp>());
  for (linalg::IndexOp index : indices) {
    AffineExpr expr = iteration.getResult(index.getDim());
    rewriter.setInsertionPoint(index);
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      rewriter.replaceOpWithNewOp<linalg::IndexOp>(index, dim.getPosition());
    else
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(
          index, cast<AffineConstantExpr>(expr).getValue());
  }
}

// The merged op has the consumer's loops, so every map of the producer is
// composed with `iteration`. Its body is the producer's, then the consumer's,
// whose arguments for the producer's results become what the producer yields.
// If %p is used elsewhere,
//
//   %p = generic ins(%x) { exp };  %c = generic ins(%p) { negf }
//
// becomes
//
//   %c, %p = generic ins(%x) { %e = exp; %n = negf %e; yield %n, %e }
//
// The initial values of the producer become inputs where its body reads them.
linalg::GenericOp mergeProducer(RewriterBase &rewriter,
                                linalg::GenericOp producer,
                                linalg::GenericOp consumer,
                                AffineMap iteration) {
  Block *producerBody = producer.getBody(), *consumerBody = consumer.getBody();
  Operation *producerYield = producerBody->getTerminator();
  Operation *consumerYield = consumerBody->getTerminator();
  auto fromProducer = [&](Value value) {
    return value.getDefiningOp() == producer;
  };

  // Inputs: the producer's, then what the consumer reads from elsewhere.
  OperandList inputs, inits;
  SmallVector<unsigned> producerArgs, consumerArgs;
  for (OpOperand *operand : producer.getDpsInputOperands())
    producerArgs.push_back(inputs.add(
        operand->get(),
        producer.getMatchingIndexingMap(operand).compose(iteration)));
  for (OpOperand &init : producer.getDpsInitsMutable()) {
    bool isRead = !producer.getMatchingBlockArgument(&init).use_empty();
    producerArgs.push_back(
        isRead ? inputs.add(
                     init.get(),
                     producer.getMatchingIndexingMap(&init).compose(iteration))
               : ~0u);
  }
  for (OpOperand *operand : consumer.getDpsInputOperands())
    consumerArgs.push_back(
        fromProducer(operand->get())
            ? ~0u
            : inputs.add(operand->get(),
                         consumer.getMatchingIndexingMap(operand)));

  // Outputs: the consumer's, then those of the producer's that are still
  // needed.
  SmallVector<unsigned> kept;
  for (OpResult result : producer->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return user != consumer; }))
      kept.push_back(result.getResultNumber());
  for (OpOperand &init : consumer.getDpsInitsMutable()) {
    inits.values.push_back(init.get());
    inits.maps.push_back(consumer.getMatchingIndexingMap(&init));
  }
  for (unsigned k : kept) {
    OpOperand *init = producer.getDpsInitOperand(k);
    inits.values.push_back(init->get());
    inits.maps.push_back(
        producer.getMatchingIndexingMap(init).compose(iteration));
  }

  SmallVector<AffineMap> maps = inputs.maps;
  llvm::append_range(maps, inits.maps);
  rewriter.setInsertionPoint(consumer);
  auto merged = linalg::GenericOp::create(
      rewriter,
      FusedLoc::get(rewriter.getContext(),
                    {producer.getLoc(), consumer.getLoc()}),
      TypeRange(ValueRange(inits.values)), inputs.values, inits.values, maps,
      consumer.getIteratorTypesArray());
  Block *body = rewriter.createBlock(&merged.getRegion());
  for (Value value : llvm::concat<Value>(inputs.values, inits.values))
    body->addArgument(getElementTypeOrSelf(value.getType()), value.getLoc());

  rewriteIndices(rewriter, producerBody, iteration);
  for (auto [arg, at] :
       llvm::zip_equal(producerBody->getArguments(), producerArgs))
    if (at != ~0u)
      arg.replaceAllUsesWith(body->getArgument(at));
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    BlockArgument arg = consumer.getMatchingBlockArgument(operand);
    unsigned at = consumerArgs[operand->getOperandNumber()];
    if (at != ~0u)
      arg.replaceAllUsesWith(body->getArgument(at));
    else
      arg.replaceAllUsesWith(producerYield->getOperand(
          cast<OpResult>(operand->get()).getResultNumber()));
  }
  for (auto [i, arg] : llvm::enumerate(consumer.getRegionOutputArgs()))
    arg.replaceAllUsesWith(body->getArgument(inputs.values.size() + i));

  SmallVector<Value> yields(consumerYield->getOperands());
  for (unsigned k : kept)
    yields.push_back(producerYield->getOperand(k));
  body->getOperations().splice(body->end(), producerBody->getOperations(),
                               producerBody->begin(),
                               producerYield->getIterator());
  body->getOperations().splice(body->end(), consumerBody->getOperations(),
                               consumerBody->begin(),
                               consumerYield->getIterator());
  rewriter.setInsertionPointToEnd(body);
  linalg::YieldOp::create(rewriter, consumerYield->getLoc(), yields);

  unsigned numConsumerResults = consumer->getNumResults();
  rewriter.replaceOp(consumer,
                     merged->getResults().take_front(numConsumerResults));
  for (auto [i, k] : llvm::enumerate(kept))
    rewriter.replaceAllUsesWith(producer->getResult(k),
                                merged->getResult(numConsumerResults + i));
  rewriter.eraseOp(producer);
  return merged;
}

} // namespace cellgrad
