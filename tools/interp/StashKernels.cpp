//===- StashKernels.cpp - stashes, as tensors that grow -------------------===//

#include "tools/interp/Kernels.h"

using namespace mlir;

namespace cellgrad::interp {

/// The tensor of a stash of `length` elements.
static RankedTensorType typeOf(StashType stash, int64_t length) {
  SmallVector<int64_t> shape{length};
  llvm::append_range(shape, stash.getElement().getShape());
  return RankedTensorType::get(shape, stash.getElement().getElementType());
}

Tensor evaluate(StashEmptyOp op, Operands) {
  return Tensor(typeOf(op.getType(), 0));
}

Tensor evaluate(StashReadOp op, Operands args) {
  const Tensor &stash = *args[0];
  int64_t position = args[1]->getInt(0);
  Tensor result(op.getType());
  if (position < stash.getShape()[0])
    for (int64_t i = 0, e = result.size(); i < e; ++i)
      result.setElement(i, stash, position * e + i);
  return result;
}

/// `stash` with `change(result, index in the result, index in x)` applied to
/// every element at a position.
static Tensor
changed(StashType type, const Tensor &x, const Tensor &stash, int64_t position,
        llvm::function_ref<void(Tensor &, int64_t, int64_t)> change) {
  Tensor result(typeOf(type, std::max(stash.getShape()[0], position + 1)));
  for (int64_t i = 0, e = stash.size(); i < e; ++i)
    result.setElement(i, stash, i);
  for (int64_t i = 0, e = x.size(); i < e; ++i)
    change(result, position * e + i, i);
  return result;
}

Tensor evaluate(StashWriteOp op, Operands args) {
  const Tensor &x = *args[0];
  return changed(op.getType(), x, *args[1], args[2]->getInt(0),
                 [&](Tensor &result, int64_t to, int64_t from) {
                   result.setElement(to, x, from);
                 });
}

Tensor evaluate(StashAddOp op, Operands args) {
  const Tensor &x = *args[0];
  return changed(op.getType(), x, *args[1], args[2]->getInt(0),
                 [&](Tensor &result, int64_t to, int64_t from) {
                   result.setFloat(to, result.getFloat(to) + x.getFloat(from));
                 });
}

} // namespace cellgrad::interp
