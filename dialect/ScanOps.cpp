//===- ScanOps.cpp - verification of running combinations and sorting -----===//

#include "dialect/CellDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

static LogicalResult verifyDim(Operation *op, int64_t dim) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("dimension ")
           << dim << " is out of range for " << type;
  return success();
}

/// Whether positions of `count` elements are numbers of `type`.
static LogicalResult verifyPositions(Operation *op, int64_t count, Type type) {
  if (count > 0 && !llvm::isIntN(type.getIntOrFloatBitWidth(), count - 1))
    return op->emitOpError("counts to ")
           << count - 1 << ", which " << type << " cannot hold";
  return success();
}

//===----------------------------------------------------------------------===//
// Running sums and products
//===----------------------------------------------------------------------===//

template <typename OpT> static OpFoldResult foldOne(OpT op) {
  RankedTensorType type = op.getType();
  return type.getDimSize(op.getDim()) == 1 && !op.getExclusive() ? op.getX()
                                                                 : Value();
}

LogicalResult CumSumOp::verify() { return verifyDim(*this, getDim()); }
LogicalResult CumProdOp::verify() { return verifyDim(*this, getDim()); }
LogicalResult RecurrenceOp::verify() { return verifyDim(*this, getDim()); }
LogicalResult SegmentCumSumOp::verify() { return verifyDim(*this, getDim()); }

OpFoldResult CumSumOp::fold(FoldAdaptor) { return foldOne(*this); }
OpFoldResult CumProdOp::fold(FoldAdaptor) { return foldOne(*this); }

//===----------------------------------------------------------------------===//
// Running extrema
//===----------------------------------------------------------------------===//

static LogicalResult inferExtremum(Value x, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(x.getType());
  types.assign({type, type.clone(IntegerType::get(x.getContext(), 32))});
  return success();
}

template <typename OpT> static LogicalResult verifyExtremum(OpT op) {
  if (failed(verifyDim(op, op.getDim())))
    return failure();
  return verifyPositions(op, op.getX().getType().getDimSize(op.getDim()),
                         op.getPositions().getType().getElementType());
}

LogicalResult CumMaxOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferExtremum(adaptor.getX(), types);
}
LogicalResult CumMinOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferExtremum(adaptor.getX(), types);
}

LogicalResult CumMaxOp::verify() { return verifyExtremum(*this); }
LogicalResult CumMinOp::verify() { return verifyExtremum(*this); }

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

LogicalResult ArgSortOp::verify() {
  RankedTensorType x = getX().getType(), type = getType();
  int64_t dim = getDim();
  if (failed(verifyDim(*this, dim)))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  if (type.getRank() == x.getRank())
    shape[dim] = std::min(shape[dim], type.getDimSize(dim));
  if (type.getShape() != ArrayRef(shape))
    return emitOpError("gives positions of the shape of ")
           << x << ", or fewer along dimension " << dim << ", not of " << type;
  return verifyPositions(*this, x.getDimSize(dim), type.getElementType());
}

} // namespace cellgrad
