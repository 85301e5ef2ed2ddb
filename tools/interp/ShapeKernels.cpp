//===- ShapeKernels.cpp - ops that move elements --------------------------===//

#include "tools/interp/Kernels.h"

using namespace mlir;

namespace cellgrad::interp {

/// A tensor of `type` whose element at each index is the element of `from` that
/// `source` names.
static Tensor
gather(RankedTensorType type, const Tensor &from,
       llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
           source) {
  Tensor result(type);
  SmallVector<int64_t> at(from.getShape().size());
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    source(index, at);
    result.setElement(linear, from, linearIndex(from.getShape(), at));
  });
  return result;
}

Tensor evaluate(BarrierOp, Operands args) { return *args[0]; }
Tensor evaluate(StopGradientOp, Operands args) { return *args[0]; }

Tensor evaluate(ReshapeOp op, Operands args) {
  return args[0]->reshaped(op.getType());
}

Tensor evaluate(BroadcastOp op, Operands args) {
  return gather(op.getType(), *args[0],
                [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                  unsigned next = 0;
                  for (auto [dim, i] : llvm::enumerate(index))
                    if (!llvm::is_contained(op.getDims(), dim))
                      at[next++] = i;
                });
}

Tensor evaluate(TransposeOp op, Operands args) {
  return gather(op.getType(), *args[0],
                [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                  for (auto [i, p] : llvm::enumerate(op.getPerm()))
                    at[p] = index[i];
                });
}

Tensor evaluate(SliceOp op, Operands args) {
  return gather(op.getType(), *args[0],
                [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                  for (auto [dim, i] : llvm::enumerate(index))
                    at[dim] = op.getStarts()[dim] + i * op.getStrides()[dim];
                });
}

/// `x` with zeros around, as `op` puts them around its operand.
static Tensor padded(PadOp op, const Tensor &x) {
  Tensor result(op.getType().clone(x.getElementType()));
  SmallVector<int64_t> at(x.getShape().size());
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    for (auto [dim, i] : llvm::enumerate(index))
      at[dim] = op.getLow()[dim] + i * (op.getInterior()[dim] + 1);
    result.setElement(linearIndex(result.getShape(), at), x, linear);
  });
  return result;
}

Tensor evaluate(PadOp op, Operands args) { return padded(op, *args[0]); }

Tensor evaluatePadding(PadOp op) {
  Type flag = IntegerType::get(op.getContext(), 1);
  Tensor kept(op.getX().getType().clone(flag));
  for (int64_t i = 0, e = kept.size(); i < e; ++i)
    kept.setInt(i, 1);
  return padded(op, kept);
}

Tensor evaluate(ConcatOp op, Operands args) {
  Tensor result(op.getType());
  int64_t dim = op.getDim(), start = 0;
  for (const Tensor *x : args) {
    forEachIndex(x->getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
      SmallVector<int64_t> at(index);
      at[dim] += start;
      result.setElement(linearIndex(result.getShape(), at), *x, linear);
    });
    start += x->getShape()[dim];
  }
  return result;
}

Tensor evaluate(SelectOp op, Operands args) {
  Tensor result(op.getType());
  for (int64_t i = 0, e = result.size(); i < e; ++i)
    result.setElement(i, args[0]->getInt(i) ? *args[1] : *args[2], i);
  return result;
}

} // namespace cellgrad::interp
