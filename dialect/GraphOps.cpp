//===- GraphOps.cpp - constants, casts, differentiation, printing ---------===//

#include "dialect/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace cellgrad {

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // What follows from the batch size (passes/batch/BatchForms.h) is no number
  // yet: no pattern may compute with it, or take an equal constant for it.
  if (Attribute form = (*this)->getAttr("cell.batch_form"))
    return ArrayAttr::get(getContext(), {form, getValue()});
  return getValue();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getType())
    return getX();
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  auto to = dyn_cast<FloatType>(getType().getElementType());
  if (!dense || !dense.isSplat() || !to)
    return {};
  // Into floating point alone: the rest saturates, which is left to the
  // lowering.
  APFloat number(to.getFloatSemantics());
  if (isa<FloatType>(dense.getElementType())) {
    bool lost;
    number = dense.getSplatValue<APFloat>();
    number.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  } else {
    APInt integer = dense.getSplatValue<APInt>();
    bool isSigned = integer.getBitWidth() > 1 &&
                    !dense.getElementType().isUnsignedInteger();
    number.convertFromAPInt(integer, isSigned, APFloat::rmNearestTiesToEven);
  }
  return DenseElementsAttr::get(getType(), number);
}

LogicalResult PrintOp::verify() {
  size_t holes = getFormat().count("{}");
  if (holes != getXs().size())
    return emitOpError("format has ")
           << holes << " {} for " << getXs().size() << " operands";
  return success();
}

//===----------------------------------------------------------------------===//
// vjp and jvp
//===----------------------------------------------------------------------===//

/// The callee of `op`, with its arguments checked against `args`.
static FailureOr<func::FuncOp> checkCallee(Operation *op,
                                           SymbolTableCollection &symbols,
                                           FlatSymbolRefAttr callee,
                                           OperandRange args) {
  auto func = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  if (!func)
    return op->emitOpError("refers to ")
           << callee << ", which is not a function of this module";
  FunctionType type = func.getFunctionType();
  if (type.getNumInputs() != args.size())
    return op->emitOpError("passes ")
           << args.size() << " arguments to " << callee << ", which takes "
           << type.getNumInputs();
  for (auto [i, arg] : llvm::enumerate(args))
    if (arg.getType() != type.getInput(i))
      return op->emitOpError("passes ")
             << arg.getType() << " as argument " << i << " of " << callee
             << ", which takes " << type.getInput(i);
  return func;
}

/// Checks that `indices` are distinct positions in `types`, all of numbers.
static LogicalResult checkIndices(Operation *op, StringRef name,
                                  ArrayRef<int64_t> indices, TypeRange types,
                                  StringRef what) {
  llvm::SmallBitVector seen(types.size());
  for (int64_t i : indices) {
    if (i < 0 || i >= static_cast<int64_t>(types.size()))
      return op->emitOpError(name)
             << " lists " << what << " " << i << ", but the function has "
             << types.size() << " of them";
    if (seen[i])
      return op->emitOpError(name) << " lists " << what << " " << i << " twice";
    seen.set(i);
    if (!carriesDerivative(types[i]))
      return op->emitOpError(name)
             << " lists " << what << " " << i << " of type " << types[i]
             << ", which has no derivative";
  }
  return success();
}

/// Checks that `given` are the types at `indices` of `types`.
static LogicalResult checkTypes(Operation *op, StringRef what, TypeRange given,
                                ArrayRef<int64_t> indices, TypeRange types) {
  if (given.size() != indices.size())
    return op->emitOpError("has ") << given.size() << " " << what << "s for "
                                   << indices.size() << " indices";
  for (auto [i, type] : llvm::enumerate(given))
    if (type != types[indices[i]])
      return op->emitOpError(what) << " " << i << " is " << type << ", but "
                                   << types[indices[i]] << " is expected";
  return success();
}

/// Checks that the results are those of the callee, then `what`s of `types` at
/// `indices`.
static LogicalResult checkResults(Operation *op, func::FuncOp func,
                                  StringRef what, ArrayRef<int64_t> indices,
                                  TypeRange types) {
  TypeRange primal = func.getFunctionType().getResults();
  TypeRange results = op->getResultTypes();
  if (results.size() != primal.size() + indices.size())
    return op->emitOpError("has ")
           << results.size() << " results, but the callee's " << primal.size()
           << " and " << indices.size() << " " << what << "s are expected";
  if (results.take_front(primal.size()) != primal)
    return op->emitOpError("does not give the callee's results first");
  return checkTypes(op, what, results.drop_front(primal.size()), indices,
                    types);
}

LogicalResult VJPOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = checkCallee(*this, symbols, getCalleeAttr(), getArgs());
  if (failed(func))
    return failure();
  FunctionType type = func->getFunctionType();
  if (failed(checkIndices(*this, "of", getOf(), type.getResults(), "result")) ||
      failed(
          checkIndices(*this, "wrt", getWrt(), type.getInputs(), "argument")) ||
      failed(checkTypes(*this, "cotangent", getCotangents().getTypes(), getOf(),
                        type.getResults())))
    return failure();
  return checkResults(*this, *func, "cotangent", getWrt(), type.getInputs());
}

LogicalResult JVPOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func = checkCallee(*this, symbols, getCalleeAttr(), getArgs());
  if (failed(func))
    return failure();
  FunctionType type = func->getFunctionType();
  if (failed(
          checkIndices(*this, "wrt", getWrt(), type.getInputs(), "argument")) ||
      failed(checkIndices(*this, "of", getOf(), type.getResults(), "result")) ||
      failed(checkTypes(*this, "tangent", getTangents().getTypes(), getWrt(),
                        type.getInputs())))
    return failure();
  return checkResults(*this, *func, "tangent", getOf(), type.getResults());
}

//===----------------------------------------------------------------------===//
// vmap
//===----------------------------------------------------------------------===//

int64_t VMapOp::getBatchSize() {
  for (auto [arg, dim] : llvm::zip(getArgs(), getInDims()))
    if (dim >= 0)
      return cast<RankedTensorType>(arg.getType()).getDimSize(dim);
  return 0;
}

/// `type` with a dimension of `size` inserted at `dim`; null if that is out of
/// range.
static RankedTensorType withBatch(Type type, int64_t dim, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || dim < 0 || dim > tensor.getRank())
    return {};
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + dim, size);
  return RankedTensorType::get(shape, tensor.getElementType());
}

LogicalResult VMapOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto func =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!func)
    return emitOpError("refers to ")
           << getCalleeAttr() << ", which is not a function of this module";
  FunctionType type = func.getFunctionType();
  if (type.getNumInputs() != getArgs().size() ||
      getInDims().size() != getArgs().size())
    return emitOpError("passes ")
           << getArgs().size() << " arguments with " << getInDims().size()
           << " in dimensions to " << getCalleeAttr() << ", which takes "
           << type.getNumInputs();
  if (type.getNumResults() != getNumResults() ||
      getOutDims().size() != getNumResults())
    return emitOpError("has ")
           << getNumResults() << " results with " << getOutDims().size()
           << " out dimensions for the " << type.getNumResults() << " of "
           << getCalleeAttr();
  if (llvm::none_of(getInDims(), [](int64_t dim) { return dim >= 0; }))
    return emitOpError(
        "maps no argument: at least one of its in dimensions must not be -1");
  std::optional<int64_t> size;
  for (auto [i, arg] : llvm::enumerate(getArgs())) {
    int64_t dim = getInDims()[i];
    auto given = cast<RankedTensorType>(arg.getType());
    if (dim >= given.getRank() || dim < -1)
      return emitOpError("maps dimension ")
             << dim << " of argument " << i << ", which is " << given;
    if (dim < 0) {
      if (given != type.getInput(i))
        return emitOpError("passes ")
               << given << " as argument " << i << " of " << getCalleeAttr()
               << ", which takes " << type.getInput(i);
      continue;
    }
    if (size && given.getDimSize(dim) != *size)
      return emitOpError("maps ") << *size << " elements in one argument but "
                                  << given.getDimSize(dim) << " in argument "
                                  << i << "; all batches must have one size";
    size = given.getDimSize(dim);
    if (given != withBatch(type.getInput(i), dim, *size))
      return emitOpError("maps dimension ")
             << dim << " of argument " << i << ", which is " << given << "; "
             << getCalleeAttr() << " takes " << type.getInput(i);
  }
  for (auto [i, result] : llvm::enumerate(getResultTypes())) {
    if (getOutDims()[i] == -1 && result == type.getResult(i))
      continue;
    if (result != withBatch(type.getResult(i), getOutDims()[i], *size))
      return emitOpError("gives ")
             << result << " as result " << i << " for a batch of " << *size
             << " " << type.getResult(i) << " in dimension " << getOutDims()[i];
  }
  return success();
}

} // namespace cellgrad
