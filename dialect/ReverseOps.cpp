//===- ReverseOps.cpp - verification, folding, batching of reverse --------===//

#include "dialect/CellDialect.h"

using namespace mlir;

namespace cellgrad {

LogicalResult ReverseOp::verify() {
  int64_t previous = -1, rank = getX().getType().getRank();
  for (int64_t dim : getDims()) {
    if (dim <= previous || dim >= rank)
      return emitOpError("dims [")
             << getDims() << "] must ascend and be below the rank of the "
             << "operand, " << rank;
    previous = dim;
  }
  return success();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getX();
  if (auto inner = getX().getDefiningOp<ReverseOp>();
      inner && inner.getDims() == getDims())
    return inner.getX();
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  return dense && dense.isSplat() ? OpFoldResult(dense) : OpFoldResult();
}

} // namespace cellgrad
