//===- LinalgKernels.cpp - factorizations and solves, one by one ----------===//
//
// Textbook forms in double precision, by inner products where compiled code
// takes outer ones; results are rounded to the element type at the end.
//
//===----------------------------------------------------------------------===//

#include "tools/interp/Kernels.h"
#include "tools/interp/Matrix.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace cellgrad::interp {

//===----------------------------------------------------------------------===//
// Parts and rows
//===----------------------------------------------------------------------===//

Tensor evaluate(TriangleOp op, Operands args) {
  Tensor result(cast<RankedTensorType>(op.getType()));
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index, int64_t at) {
    int64_t above = index.back() - index[index.size() - 2];
    int64_t diagonal = op.getDiagonal();
    if (op.getLower() ? above <= diagonal : above >= diagonal)
      result.setElement(at, *args[0], at);
  });
  return result;
}

Tensor evaluate(SwapRowsOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(x.getType());
  MatrixShape shape(x.getType());
  int64_t pivots = args[1]->getShape().back();
  for (int64_t b = 0; b < shape.count; ++b) {
    // Where each row comes from.
    std::vector<int64_t> from(shape.rows);
    std::iota(from.begin(), from.end(), 0);
    for (int64_t k = 0; k < pivots; ++k) {
      int64_t i = op.getInverse() ? pivots - 1 - k : k;
      int64_t pivot = args[1]->getInt(b * pivots + i);
      pivot = std::min(std::max<int64_t>(pivot, 0), shape.rows - 1);
      std::swap(from[i], from[pivot]);
    }
    for (int64_t i = 0; i < shape.rows; ++i)
      for (int64_t j = 0; j < shape.columns; ++j)
        result.setElement(b * shape.size() + i * shape.columns + j, x,
                          b * shape.size() + from[i] * shape.columns + j);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Factorizations
//===----------------------------------------------------------------------===//

/// Row by row; false when a is not positive definite.
static bool cholesky(const Matrix &a, Matrix &l) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= l(i, k) * l(j, k);
      if (i == j && !(sum > 0))
        return false;
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  return true;
}

Tensor evaluate(CholeskyOp op, Operands args) {
  Tensor result(args[0]->getType());
  for (int64_t b = 0, e = MatrixShape(result.getType()).count; b < e; ++b) {
    Matrix a = matrixOf(*args[0], b), l(a.rows, a.columns);
    if (!cholesky(a, l))
      for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j <= i; ++j)
          l(i, j) = std::numeric_limits<double>::quiet_NaN();
    store(result, b, l);
  }
  return result;
}

/// Column by column, in place: each from the finished ones to its left.
static std::vector<int64_t> lu(Matrix &a) {
  std::vector<int64_t> pivots;
  for (int64_t j = 0; j < a.rows; ++j) {
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t k = 0; k < std::min(i, j); ++k)
        a(i, j) -= a(i, k) * a(k, j);
    int64_t pivot = j;
    for (int64_t i = j + 1; i < a.rows; ++i)
      if (std::fabs(a(i, j)) > std::fabs(a(pivot, j)))
        pivot = i;
    pivots.push_back(pivot);
    for (int64_t k = 0; k < a.columns; ++k)
      std::swap(a(j, k), a(pivot, k));
    if (a(j, j) != 0)
      for (int64_t i = j + 1; i < a.rows; ++i)
        a(i, j) /= a(j, j);
  }
  return pivots;
}

SmallVector<Tensor> evaluate(LUOp op, Operands args) {
  Tensor packed(args[0]->getType());
  Tensor pivots(cast<RankedTensorType>(op.getPivots().getType()));
  for (int64_t b = 0, e = MatrixShape(packed.getType()).count; b < e; ++b) {
    Matrix a = matrixOf(*args[0], b);
    for (auto [i, pivot] : llvm::enumerate(lu(a)))
      pivots.setInt(b * a.rows + i, pivot);
    store(packed, b, a);
  }
  return {packed, pivots};
}

/// Householder reflections of the columns of a; q is built beside them. What a
/// reflection leaves as it is, is not read: it may be NaN.
static void qr(Matrix &a, Matrix &q) {
  for (int64_t i = 0; i < q.rows; ++i)
    q(i, i) = 1;
  for (int64_t j = 0, e = std::min(a.rows, a.columns); j < e; ++j) {
    double below = 0;
    for (int64_t i = j + 1; i < a.rows; ++i)
      below = std::hypot(below, a(i, j));
    if (below == 0)
      continue;
    double alpha = a(j, j);
    double beta = -std::copysign(std::hypot(alpha, below), alpha);
    double tau = (beta - alpha) / beta;
    std::vector<double> v(a.rows);
    v[j] = 1;
    for (int64_t i = j + 1; i < a.rows; ++i)
      v[i] = a(i, j) / (alpha - beta);
    auto reflect = [&](llvm::function_ref<double &(int64_t)> at) {
      double sum = 0;
      for (int64_t i = j; i < a.rows; ++i)
        sum += v[i] * at(i);
      for (int64_t i = j; i < a.rows; ++i)
        at(i) -= tau * sum * v[i];
    };
    for (int64_t k = j + 1; k < a.columns; ++k)
      reflect([&](int64_t i) -> double & { return a(i, k); });
    for (int64_t k = 0; k < q.rows; ++k)
      reflect([&](int64_t i) -> double & { return q(k, i); });
    a(j, j) = beta;
    for (int64_t i = j + 1; i < a.rows; ++i)
      a(i, j) = 0;
  }
}

SmallVector<Tensor> evaluate(QROp op, Operands args) {
  Tensor q(cast<RankedTensorType>(op.getQ().getType()));
  Tensor r(cast<RankedTensorType>(op.getR().getType()));
  for (int64_t b = 0, e = MatrixShape(q.getType()).count; b < e; ++b) {
    Matrix a = matrixOf(*args[0], b), whole(a.rows, a.rows);
    qr(a, whole);
    int64_t inner = MatrixShape(q.getType()).columns;
    Matrix first(a.rows, inner), top(inner, a.columns);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < inner; ++j)
        first(i, j) = whole(i, j);
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t j = 0; j < a.columns; ++j)
        top(i, j) = a(i, j);
    store(q, b, first);
    store(r, b, top);
  }
  return {q, r};
}

//===----------------------------------------------------------------------===//
// Solves
//===----------------------------------------------------------------------===//

/// Substitution, in place: `element(i, j)` is the triangular matrix.
static void substitute(Matrix &b, bool forward, bool unit,
                       llvm::function_ref<double(int64_t, int64_t)> element) {
  for (int64_t k = 0; k < b.rows; ++k) {
    int64_t i = forward ? k : b.rows - 1 - k;
    for (int64_t c = 0; c < b.columns; ++c) {
      double sum = b(i, c);
      for (int64_t j = forward ? 0 : i + 1, e = forward ? i : b.rows; j < e;
           ++j)
        sum -= element(i, j) * b(j, c);
      b(i, c) = unit ? sum : sum / element(i, i);
    }
  }
}

Tensor evaluate(TriangularSolveOp op, Operands args) {
  Tensor result(args[1]->getType());
  bool transposed = op.getTranspose();
  for (int64_t k = 0, e = MatrixShape(result.getType()).count; k < e; ++k) {
    Matrix a = matrixOf(*args[0], k), b = matrixOf(*args[1], k);
    substitute(
        b, op.getLower() != transposed, op.getUnitDiagonal(),
        [&](int64_t i, int64_t j) { return transposed ? a(j, i) : a(i, j); });
    store(result, k, b);
  }
  return result;
}

Tensor evaluate(SolveOp op, Operands args) {
  Tensor result(args[1]->getType());
  for (int64_t k = 0, e = MatrixShape(result.getType()).count; k < e; ++k) {
    Matrix a = matrixOf(*args[0], k), b = matrixOf(*args[1], k);
    std::vector<int64_t> pivots = lu(a);
    auto swapRows = [&](int64_t i) {
      for (int64_t c = 0; c < b.columns; ++c)
        std::swap(b(i, c), b(pivots[i], c));
    };
    auto element = [&](int64_t i, int64_t j) { return a(i, j); };
    auto transposed = [&](int64_t i, int64_t j) { return a(j, i); };
    if (op.getTranspose()) {
      substitute(b, /*forward=*/true, /*unit=*/false, transposed);
      substitute(b, /*forward=*/false, /*unit=*/true, transposed);
      for (int64_t i = a.rows - 1; i >= 0; --i)
        swapRows(i);
    } else {
      for (int64_t i = 0; i < a.rows; ++i)
        swapRows(i);
      substitute(b, /*forward=*/true, /*unit=*/true, element);
      substitute(b, /*forward=*/false, /*unit=*/false, element);
    }
    store(result, k, b);
  }
  return result;
}

} // namespace cellgrad::interp
