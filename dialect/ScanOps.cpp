//===- ScanOps.cpp - verification, batching of running sums and sorting ---===//

#include "dialect/CellDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

template <typename OpT> static LogicalResult verifyDim(OpT op) {
  RankedTensorType x = op.getX().getType();
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= x.getRank())
    return op.emitOpError("dimension ") << dim << " is out of range for " << x;
  return success();
}

LogicalResult CumSumOp::verify() { return verifyDim(*this); }

OpFoldResult CumSumOp::fold(FoldAdaptor) {
  return getType().getDimSize(getDim()) == 1 && !getExclusive() ? getX()
                                                                : Value();
}

LogicalResult ArgSortOp::verify() {
  RankedTensorType x = getX().getType();
  if (failed(verifyDim(*this)))
    return failure();
  if (getType().getShape() != x.getShape())
    return emitOpError("gives positions of the shape of ")
           << x << ", not of " << getType();
  int64_t count = x.getDimSize(getDim());
  Type integer = getType().getElementType();
  if (count > 0 && !llvm::isIntN(integer.getIntOrFloatBitWidth(), count - 1))
    return emitOpError("counts to ")
           << count - 1 << ", which " << integer << " cannot hold";
  return success();
}

LogicalResult CumSumOp::buildBatched(OpBuilder &builder,
                                     ArrayRef<Value> operands,
                                     const llvm::SmallBitVector &, int64_t,
                                     SmallVectorImpl<Value> &results) {
  results.push_back(CumSumOp::create(builder, getLoc(), operands[0],
                                     getDim() + 1, getReverse(),
                                     getExclusive()));
  return success();
}

LogicalResult ArgSortOp::buildBatched(OpBuilder &builder,
                                      ArrayRef<Value> operands,
                                      const llvm::SmallBitVector &,
                                      int64_t size,
                                      SmallVectorImpl<Value> &results) {
  SmallVector<int64_t> shape{size};
  llvm::append_range(shape, getType().getShape());
  results.push_back(ArgSortOp::create(builder, getLoc(), getType().clone(shape),
                                      operands[0], getDim() + 1,
                                      getDescending()));
  return success();
}

} // namespace cellgrad
