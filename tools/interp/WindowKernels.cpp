//===- WindowKernels.cpp - windows and convolution by their definition ----===//

#include "tools/interp/Kernels.h"

using namespace mlir;

namespace cellgrad::interp {

/// Index in the tensor that windows slide over of an index [b.., o.., k..].
static SmallVector<int64_t> sourceOf(ArrayRef<int64_t> index,
                                     ArrayRef<int64_t> strides,
                                     ArrayRef<int64_t> dilations) {
  size_t count = strides.size();
  SmallVector<int64_t> at(index.drop_back(count));
  ArrayRef<int64_t> inside = index.take_back(count);
  for (size_t i = 0; i < count; ++i) {
    int64_t &start = at[at.size() - count + i];
    start = start * strides[i] + inside[i] * dilations[i];
  }
  return at;
}

Tensor evaluate(WindowsOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(op.getType());
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    SmallVector<int64_t> at =
        sourceOf(index, op.getStrides(), op.getDilations());
    result.setElement(linear, x, linearIndex(x.getShape(), at));
  });
  return result;
}

/// Adds in double, or wrapping in 64 bits, and rounds once at the end.
struct Sums {
  std::vector<double> floats;
  std::vector<uint64_t> ints;

  explicit Sums(int64_t size) : floats(size), ints(size) {}

  Tensor rounded(RankedTensorType type) {
    Tensor result(type);
    for (int64_t i = 0, e = result.size(); i < e; ++i)
      result.isFloat() ? result.setFloat(i, floats[i])
                       : result.setInt(i, static_cast<int64_t>(ints[i]));
    return result;
  }
};

Tensor evaluate(OverlapAddOp op, Operands args) {
  const Tensor &y = *args[0];
  ArrayRef<int64_t> shape = op.getType().getShape();
  Sums sums(op.getType().getNumElements());
  forEachIndex(y.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    int64_t to =
        linearIndex(shape, sourceOf(index, op.getStrides(), op.getDilations()));
    if (y.isFloat())
      sums.floats[to] += y.getFloat(linear);
    else
      sums.ints[to] += static_cast<uint64_t>(y.getInt(linear));
  });
  return sums.rounded(op.getType());
}

/// With a third operand of the shape of the first, the products of those of its
/// elements that are not 0.
Tensor evaluate(ConvOp op, Operands args) {
  const Tensor &x = *args[0], &w = *args[1];
  const Tensor *kept = args.size() > 2 ? args[2] : nullptr;
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t channels = w.getShape()[1];
  Sums sums(op.getType().getNumElements());
  forEachIndex(shape, [&](ArrayRef<int64_t> out, int64_t to) {
    int64_t group = out[1] / (shape[1] / op.getGroups());
    // [c, k..] within one filter.
    forEachIndex(w.getShape().drop_front(),
                 [&](ArrayRef<int64_t> tap, int64_t) {
                   SmallVector<int64_t> xAt{out[0], group * channels + tap[0]};
                   SmallVector<int64_t> wAt{out[1], tap[0]};
                   for (size_t i = 0; i < op.getStrides().size(); ++i) {
                     xAt.push_back(out[i + 2] * op.getStrides()[i] +
                                   tap[i + 1] * op.getDilations()[i]);
                     wAt.push_back(tap[i + 1]);
                   }
                   int64_t a = linearIndex(x.getShape(), xAt);
                   int64_t b = linearIndex(w.getShape(), wAt);
                   if (kept && !kept->getInt(a))
                     return;
                   if (x.isFloat())
                     sums.floats[to] += x.getFloat(a) * w.getFloat(b);
                   else
                     sums.ints[to] += static_cast<uint64_t>(x.getInt(a)) *
                                      static_cast<uint64_t>(w.getInt(b));
                 });
  });
  return sums.rounded(op.getType());
}

Tensor evaluate(ReverseOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(op.getType());
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    SmallVector<int64_t> at(index);
    for (int64_t dim : op.getDims())
      at[dim] = x.getShape()[dim] - 1 - index[dim];
    result.setElement(linear, x, linearIndex(x.getShape(), at));
  });
  return result;
}

} // namespace cellgrad::interp
