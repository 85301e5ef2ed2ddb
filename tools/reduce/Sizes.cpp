//===- Sizes.cpp - dimensions of fewer elements ---------------------------===//

#include "dialect/CellDialect.h"
#include "tools/reduce/Reducer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <set>

using namespace mlir;

namespace cellgrad::reduce {
namespace {

RankedTensorType withSize(RankedTensorType type, int64_t from, int64_t to) {
  SmallVector<int64_t> shape(type.getShape());
  llvm::replace(shape, from, to);
  return type.clone(shape);
}

/// The first elements of `elements` in another shape.
DenseElementsAttr resized(DenseElementsAttr elements, RankedTensorType type) {
  if (elements.isSplat() && type.getNumElements() > 0)
    return elements.resizeSplat(type);
  auto all = llvm::to_vector(elements.getValues<Attribute>());
  if (static_cast<int64_t>(all.size()) < type.getNumElements())
    return {};
  all.resize(type.getNumElements());
  return DenseElementsAttr::get(type, all);
}

bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getNumElements() == 0;
}

/// The result types of `op` follow from its operands: says what they are now.
LogicalResult inferAgain(Operation *op) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inferable) {
    if (!op->hasTrait<OpTrait::SameOperandsAndResultType>() ||
        op->getNumOperands() == 0)
      return success();
    types.assign(op->getNumResults(), op->getOperand(0).getType());
  } else if (failed(inferable.inferReturnTypes(
                 op->getContext(), op->getLoc(), op->getOperands(),
                 op->getAttrDictionary(), op->getPropertiesStorage(),
                 op->getRegions(), types))) {
    return failure();
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
    // An empty tensor is another case, not a smaller one.
    if (isEmpty(type) && !isEmpty(result.getType()))
      return failure();
    result.setType(type);
  }
  return success();
}

/// A slice ends where its operand does.
void clampSlice(SliceOp op) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  auto clamped = [&](ArrayRef<int64_t> bounds) {
    SmallVector<int64_t> out;
    for (auto [bound, size] : llvm::zip_equal(bounds, shape))
      out.push_back(std::min(bound, size));
    return out;
  };
  op.setStarts(clamped(op.getStarts()));
  op.setLimits(clamped(op.getLimits()));
}

LogicalResult substitute(ModuleOp module, int64_t from, int64_t to) {
  AttrTypeReplacer replacer;
  bool fits = true;
  replacer.addReplacement([&](RankedTensorType type) {
    return std::make_pair(Type(withSize(type, from, to)), WalkResult::skip());
  });
  replacer.addReplacement([&](DenseElementsAttr elements)
                              -> AttrTypeReplacer::ReplaceFnResult<Attribute> {
    auto type = dyn_cast<RankedTensorType>(elements.getType());
    if (!type)
      return std::make_pair(Attribute(elements), WalkResult::skip());
    DenseElementsAttr smaller = resized(elements, withSize(type, from, to));
    fits &= static_cast<bool>(smaller);
    return std::make_pair(smaller ? Attribute(smaller) : Attribute(elements),
                          WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  WalkResult walk = module.walk([](Operation *op) {
    if (auto slice = dyn_cast<SliceOp>(op))
      clampSlice(slice);
    bool ours = isa_and_nonnull<CellDialect>(op->getDialect());
    if (ours && failed(inferAgain(op)))
      return WalkResult::interrupt();
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      auto function = end->getParentOfType<func::FuncOp>();
      function.setType(FunctionType::get(op->getContext(),
                                         function.getArgumentTypes(),
                                         end.getOperandTypes()));
    }
    return WalkResult::advance();
  });
  return success(fits && !walk.wasInterrupted());
}

/// Every size of a dimension in `module`, largest first.
std::set<int64_t, std::greater<>> sizesOf(ModuleOp module) {
  std::set<int64_t, std::greater<>> sizes;
  auto add = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      sizes.insert(tensor.getShape().begin(), tensor.getShape().end());
  };
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      add(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          add(type);
  });
  return sizes;
}

} // namespace

bool reduceSizes(Reducer &reducer) {
  bool changed = false;
  for (int64_t size : sizesOf(reducer.module()))
    for (int64_t smaller : {int64_t(1), int64_t(2), size / 2, size - 1})
      if (smaller > 0 && smaller < size &&
          reducer.attempt([&](ModuleOp module) {
            return substitute(module, size, smaller);
          })) {
        changed = true;
        break;
      }
  return changed;
}

} // namespace cellgrad::reduce
