//===- SampleFlow.cpp - where the samples of a batch are in values --------===//

#include "passes/batch/SampleFlow.h"

#include "passes/autodiff/ControlFlow.h"
#include "passes/batch/SampleRules.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

BatchDim cellgrad::batchDimOf(Type type, const OpenBatch &batch) {
  if (auto stash = dyn_cast<StashType>(type))
    type = stash.getElement();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (auto [dim, size] : llvm::enumerate(tensor.getShape()))
      if (size > 0 && size % batch.size == 0)
        return {int64_t(dim), size / batch.size};
  return {};
}

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

static TypedAttr extremum(Type element, bool largest) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/!largest));
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt value = largest ? (isUnsigned ? APInt::getMaxValue(width)
                                      : APInt::getSignedMaxValue(width))
                        : (isUnsigned ? APInt::getMinValue(width)
                                      : APInt::getSignedMinValue(width));
  return IntegerAttr::get(element, value);
}

Value cellgrad::neutralElement(OpBuilder &b, Location loc, Type type,
                               Combine combine) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  TypedAttr value = cast<TypedAttr>(
      isa<FloatType>(element) ? TypedAttr(FloatAttr::get(element, 0.0))
                              : TypedAttr(IntegerAttr::get(element, 0)));
  if (combine == Combine::Max || combine == Combine::Min)
    value = extremum(element, /*largest=*/combine == Combine::Min);
  return ConstantOp::create(b, loc, DenseElementsAttr::get(tensor, value));
}

Value cellgrad::combineParts(OpBuilder &b, Location loc, Value a, Value other,
                             Combine combine) {
  switch (combine) {
  case Combine::Add:
    return AddOp::create(b, loc, a, other);
  case Combine::Max:
    return MaximumOp::create(b, loc, a, other);
  case Combine::Min:
    return MinimumOp::create(b, loc, a, other);
  case Combine::None:
  case Combine::Last:
    break;
  }
  return other;
}

//===----------------------------------------------------------------------===//
// SampleFlow
//===----------------------------------------------------------------------===//

/// Whether a type has the batch twice.
static bool pairsSamples(Type type, const OpenBatch &batch) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  int64_t found = 0;
  for (int64_t size : tensor.getShape())
    for (; size > 0 && size % batch.size == 0; size /= batch.size)
      ++found;
  return found > 1;
}

/// Whether `op`, or an op in its regions, has results or arguments with samples
/// in their types.
static bool namesBatch(Operation *op, const OpenBatch &batch) {
  auto has = [&](Type type) { return batchDimOf(type, batch).dim >= 0; };
  return op
      ->walk([&](Operation *inner) {
        bool found = llvm::any_of(inner->getResultTypes(), has);
        for (Region &region : inner->getRegions())
          for (Block &block : region)
            found |= llvm::any_of(block.getArgumentTypes(), has);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult SampleFlow::run(func::FuncOp entry) {
  for (BlockArgument arg : entry.getArguments()) {
    BatchDim found = batchDimOf(arg.getType(), batch);
    if (found.dim < 0)
      continue;
    if (found.dim > 0 || found.count > 1 || pairsSamples(arg.getType(), batch))
      return refuse(entry)
             << "argument #" << arg.getArgNumber() << " is "
             << shapeInWords(cast<RankedTensorType>(arg.getType()), batch)
             << ": a program for any batch size takes samples with the batch "
                "as the first dimension";
    shares[arg] = {Share::Known, 1};
  }
  return runOn(entry.getBody().front(), /*nested=*/false);
}

LogicalResult SampleFlow::runOn(Block &block, bool nested) {
  for (Operation &op : block.without_terminator())
    if (failed(runOn(&op, nested)))
      return failure();
  return success();
}

LogicalResult SampleFlow::runOn(Operation *op, bool nested) {
  if (isa<PrintOp>(op))
    return refuse(op) << "prints: in a program for any batch size that would "
                         "be once for each part of the batch; remove it, or "
                         "export for a fixed batch";
  bool touches =
      namesBatch(op, batch) || llvm::any_of(readValues(op), [&](Value value) {
        return of(value).kind != Share::Shared;
      });
  for (Value result : op->getResults())
    shares[result] = {};
  if (!touches)
    return success();
  if (isa<scf::ForOp>(op) ? failed(runOnFor(op))
                          : isa<scf::IfOp>(op) && failed(runOnIf(op)))
    return failure();
  if (!isa<scf::ForOp, scf::IfOp>(op)) {
    Outcome outcome =
        op->getNumRegions() > 0
            ? Outcome::refused("is not known to treat samples one by one")
            : outcomeOf(op, batch, [&](Value value) { return of(value); });
    if (outcome.why.empty() && nested && outcome.combine != Combine::None &&
        outcome.combine != Combine::Add)
      outcome.why =
          "takes an extremum over the batch inside of a loop or branch";
    if (!outcome.why.empty()) {
      if (!lenient)
        return failed(refusePairs(op)) ? failure()
                                       : refuseMixing(op, outcome.why);
      bool parts = llvm::any_of(op->getOperands(), [&](Value value) {
        return of(value).kind == Share::Partial;
      });
      outcome = Share{parts ? Share::Partial : Share::Shared};
    }
    for (Value result : op->getResults()) {
      shares[result] = outcome.share;
      combines[result] = outcome.combine;
    }
  }
  return finish(op, nested);
}

LogicalResult SampleFlow::refusePairs(Operation *op) const {
  for (Type type : op->getResultTypes())
    if (pairsSamples(type, batch))
      return refuseMixing(
          op, "gives the shape " +
                  shapeInWords(cast<RankedTensorType>(type), batch) +
                  ", which pairs samples with each other");
  return success();
}

LogicalResult SampleFlow::finish(Operation *op, bool nested) {
  if (!nested)
    users.insert(op);
  for (Value result : op->getResults()) {
    if (lenient)
      continue;
    Share share = of(result);
    if (failed(refusePairs(op)))
      return failure();
    if (share.hasSamples() != (batchDimOf(result.getType(), batch).dim >= 0))
      return refuseMixing(op, "gives a value whose size depends on the batch "
                              "of what has no samples");
    if (nested || share.hasSamples())
      continue;
    // It is complete when all of the batch has been seen.
    shares[result] = {};
    if (share.kind == Share::Partial)
      combines[result] = combines.lookup(result) == Combine::None
                             ? Combine::Add
                             : combines.lookup(result);
    else
      combines[result] = Combine::Last;
  }
  return success();
}

/// What two ways to the same value make of it; none where they contradict.
/// `aIsZero` and `bIsZero` are whether nothing is to be added on this way.
static std::optional<Share> meet(Share a, bool aIsZero, Share b, bool bIsZero) {
  if (a == b)
    return a;
  if (a.kind == Share::Partial && b.kind == Share::Shared && bIsZero)
    return a;
  if (b.kind == Share::Partial && a.kind == Share::Shared && aIsZero)
    return b;
  return joined(a, b);
}

static const char *const kChanges =
    "hands on a value in which samples are elsewhere than before, or a sum "
    "over the batch that does not begin with zero";

LogicalResult SampleFlow::runOnFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [arg, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInits()))
    shares[arg] = of(init);
  // What is carried is known when a trip changes nothing. Until then rules that
  // fail say nothing: a sum begins as a plain zero.
  for (bool changed = true; changed;) {
    changed = false;
    ++lenient;
    LogicalResult ran = runOn(*loop.getBody(), /*nested=*/true);
    --lenient;
    if (failed(ran))
      return failure();
    for (auto [arg, init, next] : llvm::zip(
             loop.getRegionIterArgs(), loop.getInits(), yield.getOperands())) {
      Share now = of(arg);
      auto met = meet(now, isZero(init), of(next), isZero(next));
      if (!met || *met == now)
        continue;
      shares[arg] = *met;
      changed = true;
    }
  }
  if (failed(runOn(*loop.getBody(), /*nested=*/true)))
    return failure();
  for (auto [arg, next, result] : llvm::zip(
           loop.getRegionIterArgs(), yield.getOperands(), loop.getResults())) {
    auto met = meet(of(arg), false, of(next), isZero(next));
    if (!lenient && (!met || *met != of(arg)))
      return refuseMixing(op, kChanges);
    shares[result] = of(arg);
  }
  return success();
}

LogicalResult SampleFlow::runOnIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Value> first, second;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (failed(runOn(region.front(), /*nested=*/true)))
      return failure();
    (&region == &branch.getThenRegion() ? first : second)
        .assign(region.front().getTerminator()->operand_begin(),
                region.front().getTerminator()->operand_end());
  }
  for (auto [a, b, result] : llvm::zip(first, second, op->getResults())) {
    auto met = meet(of(a), isZero(a), of(b), isZero(b));
    if (!met && !lenient)
      return refuseMixing(op, kChanges);
    shares[result] = met.value_or(Share());
  }
  return success();
}
