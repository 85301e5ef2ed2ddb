//===- ScanKernels.cpp - running sums and sorting -------------------------===//

#include "tools/interp/Kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace cellgrad::interp {

/// Calls `body` with the positions, in order, of the elements of every line of
/// `shape` along `dim`.
static void forEachLine(ArrayRef<int64_t> shape, int64_t dim,
                        llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> starts(shape);
  starts[dim] = 1;
  forEachIndex(starts, [&](ArrayRef<int64_t> at, int64_t) {
    SmallVector<int64_t> index(at), line;
    for (index[dim] = 0; index[dim] < shape[dim]; ++index[dim])
      line.push_back(linearIndex(shape, index));
    body(line);
  });
}

Tensor evaluate(CumSumOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(x.getType());
  forEachLine(x.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    double floats = 0;
    uint64_t ints = 0; // wraps
    auto store = [&](int64_t i) {
      x.isFloat() ? result.setFloat(i, floats)
                  : result.setInt(i, static_cast<int64_t>(ints));
    };
    auto visit = [&](int64_t i) {
      if (op.getExclusive())
        store(i);
      if (x.isFloat())
        floats += x.getFloat(i);
      else
        ints += static_cast<uint64_t>(x.getInt(i));
      if (!op.getExclusive())
        store(i);
    };
    if (op.getReverse())
      std::for_each(line.rbegin(), line.rend(), visit);
    else
      llvm::for_each(line, visit);
  });
  return result;
}

Tensor evaluate(ArgSortOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(op.getType());
  bool descending = op.getDescending();
  forEachLine(x.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    auto before = [&](int64_t i, int64_t j) {
      if (descending)
        std::swap(i, j);
      if (!x.isFloat())
        return x.getInt(line[i]) < x.getInt(line[j]);
      double a = x.getFloat(line[i]), b = x.getFloat(line[j]);
      return std::isnan(b) ? !std::isnan(a) : a < b;
    };
    std::vector<int64_t> order(line.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t i, int64_t j) {
      return before(i, j) || (!before(j, i) && i < j);
    });
    for (auto [to, from] : llvm::zip_equal(line, order))
      result.setInt(to, from);
  });
  return result;
}

} // namespace cellgrad::interp
