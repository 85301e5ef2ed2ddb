//===- OpenBatch.cpp - modules whose batch size is not known --------------===//

#include "passes/batch/OpenBatch.h"

#include "passes/batch/RowRules.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cellgrad;

bool OpenBatch::hasRows(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && tensor.getDimSize(0) == size;
}

FailureOr<std::optional<OpenBatch>> cellgrad::readOpenBatch(ModuleOp module) {
  Attribute attribute = module->getAttr("cell.batch");
  if (!attribute)
    return std::optional<OpenBatch>();
  auto dict = dyn_cast<DictionaryAttr>(attribute);
  auto size = dict ? dict.getAs<IntegerAttr>("size") : IntegerAttr();
  auto max = dict ? dict.getAs<IntegerAttr>("max") : IntegerAttr();
  if (!size || !max || size.getInt() < 2 || max.getInt() < 1)
    return refuse(module.getLoc())
           << "cell.batch is " << attribute
           << ": expected {max = N : i64, size = S : i64} with 1 <= N and "
              "2 <= S";
  return std::optional<OpenBatch>({size.getInt(), max.getInt()});
}

/// The functions that `op` names and that may run. Rules for derivatives do not
/// where rows pass: nothing differentiates by them.
static SmallVector<FlatSymbolRefAttr> namedBy(Operation *op) {
  SmallVector<FlatSymbolRefAttr> names;
  if (isa<func::FuncOp>(op))
    return names;
  if (auto custom = dyn_cast<CustomOp>(op)) {
    names.push_back(custom.getCalleeAttr());
    return names;
  }
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
      names.push_back(name);
  return names;
}

SmallVector<func::FuncOp> cellgrad::reachableFrom(func::FuncOp entry) {
  SmallVector<func::FuncOp> order;
  llvm::SetVector<Operation *> found;
  found.insert(entry);
  for (size_t i = 0; i < found.size(); ++i) {
    auto function = cast<func::FuncOp>(found[i]);
    order.push_back(function);
    function.walk([&](Operation *op) {
      for (FlatSymbolRefAttr name : namedBy(op))
        if (auto callee =
                SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name))
          found.insert(callee);
    });
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {
/// Whether dimensions other than the first, or parts of one, are the batch.
bool misplacesBatch(Type type, const OpenBatch &batch) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  for (auto [dim, size] : llvm::enumerate(tensor.getShape()))
    if (size > 0 && size % batch.size == 0 && (dim > 0 || size != batch.size))
      return true;
  return false;
}

LogicalResult checkType(Location location, Type type, const OpenBatch &batch) {
  if (!misplacesBatch(type, batch))
    return success();
  std::string text;
  for (int64_t size : cast<RankedTensorType>(type).getShape()) {
    text += text.empty() ? "" : ", ";
    bool of = size > 0 && size % batch.size == 0;
    int64_t count = of ? size / batch.size : size;
    if (!of || count > 1)
      text += std::to_string(count) + (of ? " x " : "");
    text += of ? "batch" : "";
  }
  return refuse(location) << "gives the shape [" << text
                          << "]: the batch must stay the first dimension";
}
} // namespace

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
    refuse(op) << why
               << "; a program for any batch size computes each sample by "
                  "itself: export for a fixed batch";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
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

void cellgrad::setBatchSize(func::FuncOp function, const OpenBatch &batch,
                            int64_t size) {
  function.walk([&](SliceOp slice) {
    if (!batch.hasRows(slice.getX().getType()) ||
        slice.getLimits()[0] != batch.size)
      return;
    SmallVector<int64_t> limits(slice.getLimits());
    limits[0] = size;
    slice.setLimits(limits);
  });

  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    if (!batch.hasRows(type))
      return std::nullopt;
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = size;
    return type.clone(shape);
  });
  replacer.addReplacement(
      [&](DenseElementsAttr elements) -> std::optional<Attribute> {
        auto type = dyn_cast<ShapedType>(replacer.replace(elements.getType()));
        if (type == elements.getType() || !elements.isSplat())
          return elements;
        return elements.resizeSplat(type);
      });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
