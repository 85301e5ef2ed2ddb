//===- RandomOps.cpp - random numbers from keys ---------------------------===//

#include "dialect/CellDialect.h"

using namespace mlir;

namespace cellgrad {

LogicalResult RandomBitsOp::verify() {
  ArrayRef<int64_t> key = getKey().getType().getShape();
  ArrayRef<int64_t> shape = getType().getShape();
  if (key.empty() || (key.back() != 2 && key.back() != 4))
    return emitOpError("takes keys of two words in the last dimension, or of "
                       "four with the position of the first element, but ")
           << getKey().getType() << " is given";
  ArrayRef<int64_t> batch = key.drop_back();
  if (batch.size() > shape.size() || shape.take_front(batch.size()) != batch)
    return emitOpError("has keys of shape ")
           << getKey().getType() << ", whose leading dimensions must be those "
           << "of the result, but that is " << getType();
  return success();
}

} // namespace cellgrad
