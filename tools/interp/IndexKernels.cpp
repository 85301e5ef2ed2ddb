//===- IndexKernels.cpp - positions, and elements at positions ------------===//

#include "tools/interp/Kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace mlir;

namespace cellgrad::interp {

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

/// Calls `body(slice, x)` with the positions of corresponding elements in what
/// a gather of `x` gives, of shape `sliced`, and in `x`.
static void forEachPair(ArrayRef<int64_t> sliced, ArrayRef<int64_t> x,
                        const Tensor &indices, int64_t dim, int64_t batchDims,
                        llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t count = indices.getShape().size() - batchDims;
  forEachIndex(sliced, [&](ArrayRef<int64_t> at, int64_t linear) {
    SmallVector<int64_t> which(at.take_front(batchDims));
    llvm::append_range(which, at.slice(dim, count));
    int64_t index = indices.getInt(linearIndex(indices.getShape(), which));
    SmallVector<int64_t> from(at.take_front(dim));
    from.push_back(std::clamp<int64_t>(index, 0, x[dim] - 1));
    llvm::append_range(from, at.drop_front(dim + count));
    body(linear, linearIndex(x, from));
  });
}

Tensor evaluate(GatherOp op, Operands args) {
  Tensor result(op.getType());
  forEachPair(result.getShape(), args[0]->getShape(), *args[1], op.getDim(),
              op.getBatchDims(), [&](int64_t to, int64_t from) {
                result.setElement(to, *args[0], from);
              });
  return result;
}

Tensor evaluate(ScatterOp op, Operands args) {
  Tensor result = *args[0];
  const Tensor &updates = *args[2];
  // Rounded once, at the end.
  std::vector<double> sums;
  if (op.adds() && result.isFloat())
    for (int64_t i = 0; i < result.size(); ++i)
      sums.push_back(result.getFloat(i));
  forEachPair(updates.getShape(), result.getShape(), *args[1], op.getDim(),
              op.getBatchDims(), [&](int64_t from, int64_t to) {
                if (!op.adds())
                  result.setElement(to, updates, from);
                else if (result.isFloat())
                  sums[to] += updates.getFloat(from);
                else
                  result.setInt(
                      to, static_cast<int64_t>(
                              static_cast<uint64_t>(result.getInt(to)) +
                              static_cast<uint64_t>(updates.getInt(from))));
              });
  for (auto [i, sum] : llvm::enumerate(sums))
    result.setFloat(i, sum);
  return result;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Tensor evaluate(IotaOp op, Operands) {
  Tensor result(op.getType());
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> at, int64_t linear) {
    int64_t value = at[op.getDim()];
    result.isFloat() ? result.setFloat(linear, static_cast<double>(value))
                     : result.setInt(linear, value);
  });
  return result;
}

/// `better(i, j)` says whether element i of `x` goes before element j.
static Tensor firstExtremum(RankedTensorType type, const Tensor &x,
                            ArrayRef<int64_t> dims,
                            llvm::function_ref<bool(int64_t, int64_t)> better) {
  Tensor result(type);
  std::vector<int64_t> best(result.size(), -1);
  SmallVector<int64_t> over;
  for (int64_t dim : dims)
    over.push_back(x.getShape()[dim]);
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> at, int64_t linear) {
    SmallVector<int64_t> kept, position;
    for (auto [dim, i] : llvm::enumerate(at))
      (llvm::is_contained(dims, dim) ? position : kept).push_back(i);
    int64_t to = linearIndex(type.getShape(), kept);
    if (best[to] >= 0 && !better(linear, best[to]))
      return;
    best[to] = linear;
    result.setInt(to, linearIndex(over, position));
  });
  return result;
}

Tensor evaluate(ArgMaxOp op, Operands args) {
  const Tensor &x = *args[0];
  return firstExtremum(
      op.getType(), x, op.getDims(), [&](int64_t i, int64_t j) {
        if (!x.isFloat())
          return x.isLess(x.getInt(j), x.getInt(i));
        return !std::isnan(x.getFloat(j)) &&
               (std::isnan(x.getFloat(i)) || x.getFloat(i) > x.getFloat(j));
      });
}

Tensor evaluate(ArgMinOp op, Operands args) {
  const Tensor &x = *args[0];
  return firstExtremum(
      op.getType(), x, op.getDims(), [&](int64_t i, int64_t j) {
        if (!x.isFloat())
          return x.isLess(x.getInt(i), x.getInt(j));
        return !std::isnan(x.getFloat(j)) &&
               (std::isnan(x.getFloat(i)) || x.getFloat(i) < x.getFloat(j));
      });
}

} // namespace cellgrad::interp
