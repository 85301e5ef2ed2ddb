//===- ScanKernels.cpp - running combinations and sorting -----------------===//

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

/// The same, in the other direction with `reverse`.
static void forEachLine(ArrayRef<int64_t> shape, int64_t dim, bool reverse,
                        llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  forEachLine(shape, dim, [&](ArrayRef<int64_t> line) {
    SmallVector<int64_t> order(line);
    if (reverse)
      std::reverse(order.begin(), order.end());
    body(order);
  });
}

/// What `combine` makes of all elements up to each one.
template <typename CombineT, typename OpT>
static Tensor cumulative(OpT op, const Tensor &x, int64_t start,
                         CombineT combine) {
  Tensor result(x.getType());
  forEachLine(x.getShape(), op.getDim(), op.getReverse(),
              [&](ArrayRef<int64_t> line) {
                double floats = start;
                uint64_t ints = start; // wraps
                auto store = [&](int64_t i) {
                  x.isFloat() ? result.setFloat(i, floats)
                              : result.setInt(i, static_cast<int64_t>(ints));
                };
                for (int64_t i : line) {
                  if (op.getExclusive())
                    store(i);
                  if (x.isFloat())
                    floats = combine(floats, x.getFloat(i));
                  else
                    ints = combine(ints, static_cast<uint64_t>(x.getInt(i)));
                  if (!op.getExclusive())
                    store(i);
                }
              });
  return result;
}

Tensor evaluate(CumSumOp op, Operands args) {
  return cumulative(op, *args[0], 0, std::plus<>());
}

Tensor evaluate(CumProdOp op, Operands args) {
  return cumulative(op, *args[0], 1, std::multiplies<>());
}

Tensor evaluate(RecurrenceOp op, Operands args) {
  Tensor result(op.getType());
  forEachLine(result.getShape(), op.getDim(), op.getReverse(),
              [&](ArrayRef<int64_t> line) {
                double y = 0;
                uint64_t whole = 0; // wraps
                for (int64_t i : line) {
                  if (result.isFloat()) {
                    result.setFloat(i, y);
                    y = args[0]->getFloat(i) * y + args[1]->getFloat(i);
                    continue;
                  }
                  result.setInt(i, static_cast<int64_t>(whole));
                  whole = static_cast<uint64_t>(args[0]->getInt(i)) * whole +
                          static_cast<uint64_t>(args[1]->getInt(i));
                }
              });
  return result;
}

Tensor evaluate(SegmentCumSumOp op, Operands args) {
  Tensor result(op.getType());
  forEachLine(result.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    for (size_t begin = 0, end; begin < line.size(); begin = end) {
      end = begin + 1;
      while (end < line.size() && !args[1]->getInt(line[end]))
        ++end;
      double sum = 0;
      uint64_t whole = 0; // wraps
      for (size_t k = 0; k < end - begin; ++k) {
        int64_t i = line[op.getReverse() ? end - 1 - k : begin + k];
        if (result.isFloat()) {
          sum += args[0]->getFloat(i);
          result.setFloat(i, sum);
          continue;
        }
        whole += static_cast<uint64_t>(args[0]->getInt(i));
        result.setInt(i, static_cast<int64_t>(whole));
      }
    }
  });
  return result;
}

/// Whether an element that comes after the extremum takes its place.
static bool takesOver(bool isMax, const Tensor &x, int64_t best, int64_t i) {
  if (!x.isFloat())
    return isMax ? !x.isLess(x.getInt(i), x.getInt(best))
                 : !x.isLess(x.getInt(best), x.getInt(i));
  double a = x.getFloat(i), b = x.getFloat(best);
  return !std::isnan(b) && (std::isnan(a) || (isMax ? a >= b : a <= b));
}

template <typename OpT>
static SmallVector<Tensor> runningExtremum(OpT op, const Tensor &x) {
  Tensor values(op.getValues().getType());
  Tensor positions(op.getPositions().getType());
  forEachLine(x.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    size_t best = 0;
    for (auto [k, i] : llvm::enumerate(line)) {
      if (takesOver(std::is_same_v<OpT, CumMaxOp>, x, line[best], i))
        best = k;
      x.isFloat() ? values.setFloat(i, x.getFloat(line[best]))
                  : values.setInt(i, x.getInt(line[best]));
      positions.setInt(i, best);
    }
  });
  return {values, positions};
}

SmallVector<Tensor> evaluate(CumMaxOp op, Operands args) {
  return runningExtremum(op, *args[0]);
}
SmallVector<Tensor> evaluate(CumMinOp op, Operands args) {
  return runningExtremum(op, *args[0]);
}

Tensor evaluate(ArgSortOp op, Operands args) {
  const Tensor &x = *args[0];
  SmallVector<SmallVector<int64_t>> orders;
  bool descending = op.getDescending();
  forEachLine(x.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    auto before = [&](int64_t i, int64_t j) {
      if (descending)
        std::swap(i, j);
      if (!x.isFloat())
        return x.isLess(x.getInt(line[i]), x.getInt(line[j]));
      double a = x.getFloat(line[i]), b = x.getFloat(line[j]);
      return std::isnan(b) ? !std::isnan(a) : a < b;
    };
    SmallVector<int64_t> &order = orders.emplace_back(line.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t i, int64_t j) {
      return before(i, j) || (!before(j, i) && i < j);
    });
  });
  // The result may be shorter than x along the dimension.
  Tensor result(op.getType());
  auto *next = orders.begin();
  forEachLine(result.getShape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    for (auto [to, from] : llvm::zip(line, *next))
      result.setInt(to, from);
    ++next;
  });
  return result;
}

} // namespace cellgrad::interp
