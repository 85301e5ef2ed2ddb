//===- OpenBatch.cpp - modules whose batch size is not known --------------===//

#include "passes/batch/OpenBatch.h"

#include "passes/autodiff/Passes.h"
#include "passes/batch/RowRules.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cellgrad;

int64_t OpenBatch::rowsOf(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 || tensor.getDimSize(0) % size != 0)
    return 0;
  return tensor.getDimSize(0) / size;
}

FailureOr<std::optional<OpenBatch>> cellgrad::readOpenBatch(ModuleOp module) {
  Attribute attribute = module->getAttr("cell.batch");
  if (!attribute)
    return std::optional<OpenBatch>();
  auto dict = dyn_cast<DictionaryAttr>(attribute);
  auto size = dict ? dict.getAs<IntegerAttr>("size") : IntegerAttr();
  auto max = dict ? dict.getAs<IntegerAttr>("max") : IntegerAttr();
  auto often = dict ? dict.getAs<DenseI64ArrayAttr>("often") : nullptr;
  if (!size || !max || size.getInt() < 2 || max.getInt() < 1 ||
      (dict.contains("often") && !often))
    return refuse(module.getLoc())
           << "cell.batch is " << attribute
           << ": expected {max = N : i64, size = S : i64} with 1 <= N and "
              "2 <= S, and often = array<i64: ...> where some sizes get "
              "programs of their own";
  OpenBatch batch{size.getInt(), max.getInt()};
  for (int64_t given : often ? often.asArrayRef() : ArrayRef<int64_t>()) {
    if (given < 1 || given > batch.max)
      return refuse(module.getLoc())
             << "a program of its own was asked for a batch of " << given
             << ", but batches are 1 to " << batch.max;
    if (!llvm::is_contained(batch.often, given))
      batch.often.push_back(given);
  }
  return std::optional<OpenBatch>(std::move(batch));
}

void cellgrad::setOpenBatch(ModuleOp module, const OpenBatch &batch) {
  Builder b(module.getContext());
  NamedAttrList entries;
  entries.append("max", b.getI64IntegerAttr(batch.max));
  if (!batch.often.empty())
    entries.append("often", b.getDenseI64ArrayAttr(batch.often));
  entries.append("size", b.getI64IntegerAttr(batch.size));
  module->setAttr("cell.batch", b.getDictionaryAttr(entries));
}

LogicalResult cellgrad::setLargestBatch(ModuleOp module, int64_t max) {
  FailureOr<std::optional<OpenBatch>> batch = readOpenBatch(module);
  if (failed(batch))
    return failure();
  if (!*batch)
    return refuse(module.getLoc())
           << "a largest batch of " << max
           << " was asked for, but the program has no open batch: leave the "
              "first dimension of its inputs open, as in tensor<?x784xf32>";
  if (max < 1)
    return refuse(module.getLoc())
           << "a largest batch of " << max << " was asked for: at least 1";
  (*batch)->max = max;
  setOpenBatch(module, **batch);
  return success();
}

LogicalResult cellgrad::setOftenBatches(ModuleOp module,
                                        ArrayRef<int64_t> often) {
  FailureOr<std::optional<OpenBatch>> batch = readOpenBatch(module);
  if (failed(batch))
    return failure();
  if (!*batch)
    return refuse(module.getLoc())
           << "programs for sizes of the batch were asked for, but the program "
              "has no open batch: leave the first dimension of its inputs "
              "open, as in tensor<?x784xf32>";
  (*batch)->often.assign(often.begin(), often.end());
  setOpenBatch(module, **batch);
  return failure(failed(readOpenBatch(module)));
}

/// The functions that `op` names and that may run. Rules for derivatives do not
/// where rows pass: nothing differentiates by them.
static SmallVector<FlatSymbolRefAttr> namedBy(Operation *op, bool withRules) {
  SmallVector<FlatSymbolRefAttr> names;
  if (isa<func::FuncOp>(op))
    return names;
  if (auto custom = dyn_cast<CustomOp>(op); custom && !withRules) {
    names.push_back(custom.getCalleeAttr());
    return names;
  }
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
      names.push_back(name);
  return names;
}

SmallVector<func::FuncOp> cellgrad::reachableFrom(func::FuncOp entry,
                                                  bool withRules) {
  SmallVector<func::FuncOp> order;
  llvm::SetVector<Operation *> found;
  found.insert(entry);
  for (size_t i = 0; i < found.size(); ++i) {
    auto function = cast<func::FuncOp>(found[i]);
    order.push_back(function);
    function.walk([&](Operation *op) {
      for (FlatSymbolRefAttr name : namedBy(op, withRules))
        if (auto callee =
                SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name))
          found.insert(callee);
    });
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {
/// Whether dimensions other than the first are the batch, or the first is its
/// square.
bool misplacesBatch(Type type, const OpenBatch &batch) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  for (auto [dim, size] : llvm::enumerate(tensor.getShape()))
    if (size > 0 && size % batch.size == 0 &&
        (dim > 0 || size / batch.size % batch.size == 0))
      return true;
  return false;
}

LogicalResult checkType(Location location, Type type, const OpenBatch &batch) {
  if (!misplacesBatch(type, batch))
    return success();
  return refuse(location) << "gives the shape "
                          << shapeInWords(cast<RankedTensorType>(type), batch)
                          << ": the batch must stay the first dimension";
}
} // namespace

std::string cellgrad::shapeInWords(RankedTensorType type,
                                   const OpenBatch &batch) {
  std::string text;
  for (int64_t size : type.getShape()) {
    text += text.empty() ? "[" : ", ";
    bool of = size > 0 && size % batch.size == 0;
    int64_t count = of ? size / batch.size : size;
    if (!of || count > 1)
      text += std::to_string(count) + (of ? " x " : "");
    text += of ? "batch" : "";
  }
  return text + "]";
}

InFlightDiagnostic cellgrad::refuseMixing(Operation *op, StringRef why) {
  return refuse(op) << why
                    << "; a program for any batch size computes each sample by "
                       "itself: export for a fixed batch";
}

LogicalResult cellgrad::checkRows(func::FuncOp function,
                                  const OpenBatch &batch) {
  auto hasRows = [&](Type type) { return batch.hasRows(type); };
  WalkResult walk = function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkType(op->getLoc(), type, batch)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          if (failed(checkType(arg.getLoc(), arg.getType(), batch)))
            return WalkResult::interrupt();
    if (isa<PrintOp>(op)) {
      refuse(op)
          << "prints: in a program for any batch size that would be once "
             "for each part of the batch; remove it, or export for a "
             "fixed batch";
      return WalkResult::interrupt();
    }
    if (op == function || (llvm::none_of(op->getOperandTypes(), hasRows) &&
                           llvm::none_of(op->getResultTypes(), hasRows)))
      return WalkResult::advance();
    std::string why = whyRowsMix(op, batch);
    if (why.empty())
      return WalkResult::advance();
    refuseMixing(op, why);
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

bool cellgrad::callsOrDerives(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<func::CallOp, CustomOp, RecomputeOp, VJPOp, JVPOp, VMapOp>(
                   op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void cellgrad::inlineCalls(func::FuncOp function) {
  SmallVector<func::CallOp> calls;
  auto find = [&](Operation *within) {
    within->walk([&](func::CallOp call) { calls.push_back(call); });
  };
  find(function);
  while (!calls.empty()) {
    func::CallOp call = calls.pop_back_val();
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    Block &body = callee.getBody().front();
    IRMapping values;
    values.map(body.getArguments(), call.getOperands());
    OpBuilder b(call);
    for (Operation &op : body.without_terminator())
      find(b.clone(op, values));
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(values.lookupOrDefault(value));
    call.erase();
  }
}

LogicalResult cellgrad::expandDerivatives(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createCountLoopsPass());
  // Not simplified: equal programs of different sizes stay equal.
  DifferentiatePassOptions options;
  options.simplify = false;
  pm.addPass(createDifferentiatePass(options));
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

bool cellgrad::keepsSamplesApart(func::FuncOp entry, const OpenBatch &batch) {
  ScopedDiagnosticHandler silent(entry.getContext(),
                                 [](Diagnostic &) { return success(); });
  for (func::FuncOp function : reachableFrom(entry)) {
    // What follows from the batch, or is done once for it, not once a tile.
    bool ofBatch =
        function
            .walk([](Operation *op) {
              return op->hasAttr("cell.batch_form") || needsAllRanks(op)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (ofBatch || failed(checkRows(function, batch)))
      return false;
  }
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (entry.getArgAttr(i, "cell.donate"))
      return false;
  return entry.getNumResults() > 0 &&
         llvm::all_of(entry.getResultTypes(),
                      [&](Type type) { return batch.hasRows(type); });
}

void cellgrad::dropRules(func::FuncOp function) {
  function.walk([](CustomOp custom) {
    OpBuilder b(custom);
    SmallVector<Value> operands(custom.getArgs());
    llvm::append_range(operands, custom.getCaptures());
    auto call = func::CallOp::create(b, custom.getLoc(), custom.getCalleeAttr(),
                                     custom->getResultTypes(), operands);
    custom->replaceAllUsesWith(call);
    custom->erase();
  });
}
