//===- IndexOps.cpp - inference, verification of index ops ----------------===//

#include "dialect/CellDialect.h"
#include "dialect/Inference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

/// The shape of a gather of `x` at `indices`; emits the reason where there is
/// none.
static FailureOr<SmallVector<int64_t>>
gatheredShape(function_ref<InFlightDiagnostic()> error, RankedTensorType x,
              RankedTensorType indices, int64_t dim, int64_t batchDims) {
  int64_t rank = x.getRank();
  if (dim < 0 || dim >= rank)
    return error() << "dimension " << dim << " is out of range for " << x;
  if (batchDims < 0 || batchDims > dim || batchDims > indices.getRank())
    return error() << "has " << batchDims
                   << " batch dimensions; there can be none behind dimension "
                   << dim << " of " << x << ", and no more than " << indices
                   << " has";
  if (x.getShape().take_front(batchDims) !=
      indices.getShape().take_front(batchDims))
    return error() << "takes equal batch dimensions, not the first "
                   << batchDims << " of " << x << " and " << indices;
  SmallVector<int64_t> shape(x.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape().drop_front(batchDims));
  llvm::append_range(shape, x.getShape().drop_front(dim + 1));
  if (x.getDimSize(dim) == 0 && !llvm::is_contained(shape, 0))
    return error() << "indexes dimension " << dim << " of " << x
                   << ", which has no elements";
  return shape;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto error = [&]() { return inferenceError<GatherOp>(context, loc); };
  FailureOr<SmallVector<int64_t>> shape = gatheredShape(
      error, x, cast<RankedTensorType>(adaptor.getIndices().getType()),
      adaptor.getDim(), adaptor.getBatchDims());
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, x.getElementType()));
  return success();
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  if (!dense || !dense.isSplat())
    return {};
  return dense.resizeSplat(getType());
}

LogicalResult ScatterOp::verify() {
  if (getCombine() != "add" && getCombine() != "set")
    return emitOpError("combines by \"add\" or \"set\", not by \"")
           << getCombine() << "\"";
  RankedTensorType x = getX().getType();
  if (adds() && x.getElementType().isInteger(1))
    return emitOpError("cannot add truth values; cast them to a number first");
  FailureOr<SmallVector<int64_t>> shape =
      gatheredShape([&] { return emitOpError(); }, x, getIndices().getType(),
                    getDim(), getBatchDims());
  if (failed(shape))
    return failure();
  auto wanted = RankedTensorType::get(*shape, x.getElementType());
  if (getUpdates().getType() != wanted)
    return emitOpError("takes updates of the type of the slices, ")
           << wanted << ", not " << getUpdates().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Refuses an integer type that cannot hold all of `count` positions.
static LogicalResult checkHolds(Operation *op, Type type, int64_t count) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || count == 0 ||
      (integer.isUnsigned() ? llvm::isUIntN(integer.getWidth(), count - 1)
                            : llvm::isIntN(integer.getWidth(), count - 1)))
    return success();
  return op->emitOpError("counts to ")
         << count - 1 << ", which " << type << " cannot hold";
}

LogicalResult IotaOp::verify() {
  int64_t dim = getDim();
  if (dim < 0 || dim >= getType().getRank())
    return emitOpError("dimension ")
           << dim << " is out of range for " << getType();
  return checkHolds(*this, getType().getElementType(),
                    getType().getDimSize(dim));
}

template <typename OpT> static LogicalResult verifyPosition(OpT op) {
  RankedTensorType x = op.getX().getType(), to = op.getType();
  SmallVector<Type> reduced;
  if (failed(inferReductionType(op.getOperationName(), op.getLoc(), op.getX(),
                                op.getDims(), reduced)))
    return failure();
  auto kept = cast<RankedTensorType>(reduced[0]);
  if (kept.getShape() != to.getShape())
    return op.emitOpError("over [")
           << op.getDims() << "] of " << x << " gives the shape of " << kept
           << ", not of " << to;
  int64_t count = 1;
  for (int64_t dim : op.getDims())
    count *= x.getDimSize(dim);
  if (count == 0 && to.getNumElements() != 0)
    return op.emitOpError("has no elements to choose from over [")
           << op.getDims() << "] of " << x;
  return checkHolds(op, to.getElementType(), count);
}

LogicalResult ArgMaxOp::verify() { return verifyPosition(*this); }
LogicalResult ArgMinOp::verify() { return verifyPosition(*this); }

} // namespace cellgrad
