//===- SpectralKernels.cpp - eigenvalues and singular values --------------===//
//
// Eigenvalues by reduction to a tridiagonal matrix and the QL method, where
// compiled code rotates elements away (B. Parlett, "The symmetric eigenvalue
// problem", 1980, chapter 8). Singular values by rotations of the columns of
// the whole matrix, where compiled code begins with a QR decomposition.
//
//===----------------------------------------------------------------------===//

#include "tools/interp/Kernels.h"
#include "tools/interp/Matrix.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace cellgrad::interp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPrecision = std::numeric_limits<double>::epsilon();

/// The largest magnitude; NaN where an element is infinite or NaN.
double largest(const Matrix &a) {
  double size = 0;
  for (double x : a.elements)
    size = std::isfinite(x) ? std::max(size, std::fabs(x)) : kNaN;
  return size;
}

/// a times the power of two that makes its largest magnitude about 1; returns
/// the exponent that undoes it.
int scale(Matrix &a) {
  double size = largest(a);
  int exponent = size > 0 ? std::ilogb(size) : 0;
  for (double &x : a.elements)
    x = std::ldexp(x, -exponent);
  return exponent;
}

/// Columns i and j turned: c x - s y and s x + c y.
void rotate(Matrix &a, int64_t i, int64_t j, double c, double s) {
  for (int64_t k = 0; k < a.rows; ++k) {
    double x = a(k, i), y = a(k, j);
    a(k, i) = c * x - s * y;
    a(k, j) = s * x + c * y;
  }
}

double inner(const Matrix &a, int64_t i, const Matrix &b, int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < a.rows; ++k)
    sum += a(k, i) * b(k, j);
  return sum;
}

/// 1 or -1, so that the first element of column j of at least 0.9 of its
/// largest magnitude is positive.
double signOf(const Matrix &v, int64_t j) {
  double size = 0;
  for (int64_t i = 0; i < v.rows; ++i)
    size = std::max(size, std::fabs(v(i, j)));
  for (int64_t i = 0; i < v.rows; ++i)
    if (std::fabs(v(i, j)) >= 0.9 * size)
      return std::copysign(1.0, v(i, j));
  return 1;
}

/// Reflections of rows and columns that leave the diagonal d and what is above
/// it, e, of the symmetric matrix a; v is their product.
void tridiagonalize(Matrix &a, Matrix &v, std::vector<double> &d,
                    std::vector<double> &e) {
  int64_t n = a.rows;
  for (int64_t i = 0; i < n; ++i)
    v(i, i) = 1;
  for (int64_t k = 0; k + 2 < n; ++k) {
    std::vector<double> u(n);
    double norm = 0;
    for (int64_t i = k + 1; i < n; ++i)
      norm = std::hypot(norm, u[i] = a(i, k));
    u[k + 1] += std::copysign(norm, u[k + 1]);
    double square = 0;
    for (double x : u)
      square += x * x;
    if (square == 0)
      continue;
    auto reflect = [&](llvm::function_ref<double &(int64_t)> at) {
      double sum = 0;
      for (int64_t i = k + 1; i < n; ++i)
        sum += u[i] * at(i);
      for (int64_t i = k + 1; i < n; ++i)
        at(i) -= 2 * sum / square * u[i];
    };
    for (int64_t j = 0; j < n; ++j)
      reflect([&](int64_t i) -> double & { return a(i, j); });
    for (int64_t j = 0; j < n; ++j)
      reflect([&](int64_t i) -> double & { return a(j, i); });
    for (int64_t j = 0; j < n; ++j)
      reflect([&](int64_t i) -> double & { return v(j, i); });
  }
  for (int64_t i = 0; i < n; ++i) {
    d.push_back(a(i, i));
    e.push_back(i + 1 < n ? a(i + 1, i) : 0);
  }
}

/// The QL method with implicit shifts: d becomes the eigenvalues, v is
/// multiplied by the eigenvectors.
void diagonalize(std::vector<double> &d, std::vector<double> &e, Matrix &v) {
  int64_t n = d.size();
  for (int64_t first = 0; first < n; ++first)
    for (int step = 0; step < 100; ++step) {
      int64_t last = first;
      while (last + 1 < n &&
             std::fabs(e[last]) >
                 kPrecision / 2 * (std::fabs(d[last]) + std::fabs(d[last + 1])))
        ++last;
      if (last == first)
        break;
      double ratio = (d[first + 1] - d[first]) / (2 * e[first]);
      double root = std::hypot(ratio, 1.0);
      double shifted =
          d[last] - d[first] + e[first] / (ratio + std::copysign(root, ratio));
      double s = 1, c = 1, moved = 0;
      int64_t i = last - 1;
      for (; i >= first; --i) {
        double f = s * e[i], b = c * e[i];
        double r = e[i + 1] = std::hypot(f, shifted);
        if (r == 0) {
          d[i + 1] -= moved;
          e[last] = 0;
          break;
        }
        s = f / r;
        c = shifted / r;
        double g = d[i + 1] - moved;
        double t = (d[i] - g) * s + 2 * c * b;
        moved = s * t;
        d[i + 1] = g + moved;
        shifted = c * t - b;
        rotate(v, i, i + 1, c, s);
      }
      if (i >= first)
        continue;
      d[first] -= moved;
      e[first] = shifted;
      e[last] = 0;
    }
}

/// Positions in the order of `values`.
std::vector<int64_t> sorted(const std::vector<double> &values,
                            bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t i, int64_t j) {
    if (values[i] == values[j])
      return i < j;
    return descending ? values[i] > values[j] : values[i] < values[j];
  });
  return order;
}

/// Turns columns of a, and of v with them, until they are orthogonal.
void orthogonalize(Matrix &a, Matrix &v) {
  for (int64_t i = 0; i < v.rows; ++i)
    v(i, i) = 1;
  bool again = true;
  for (int sweep = 0; sweep < 60 && again; ++sweep) {
    again = false;
    for (int64_t j = 1; j < a.columns; ++j)
      for (int64_t i = 0; i < j; ++i) {
        double x = inner(a, i, a, i), y = inner(a, j, a, j);
        double both = inner(a, i, a, j);
        if (!(std::fabs(both) > kPrecision * std::sqrt(x) * std::sqrt(y)))
          continue;
        again = true;
        double angle = std::atan2(2 * both, y - x) / 2;
        if (std::fabs(angle) > M_PI_4)
          angle -= std::copysign(M_PI_2, angle);
        rotate(a, i, j, std::cos(angle), std::sin(angle));
        rotate(v, i, j, std::cos(angle), std::sin(angle));
      }
  }
}

/// Divides columns of a by their lengths, which it returns; columns of zeros
/// become vectors orthogonal to all others.
std::vector<double> normalize(Matrix &a) {
  std::vector<double> lengths;
  for (int64_t j = 0; j < a.columns; ++j) {
    double length = std::sqrt(inner(a, j, a, j));
    lengths.push_back(length);
    for (int64_t i = 0; length > 0 && i < a.rows; ++i)
      a(i, j) /= length;
  }
  for (int64_t j = 0; j < a.columns; ++j)
    for (int64_t unit = 0; unit < a.rows && lengths[j] == 0; ++unit) {
      Matrix b = a;
      for (int64_t i = 0; i < a.rows; ++i)
        b(i, j) = i == unit;
      for (int64_t k = 0; k < 2 * a.columns; ++k) {
        int64_t other = k % a.columns;
        double part = other == j ? 0 : inner(b, other, b, j);
        for (int64_t i = 0; i < a.rows; ++i)
          b(i, j) -= part * a(i, other);
      }
      double rest = inner(b, j, b, j);
      if (rest * 2 * a.rows < 1)
        continue;
      for (int64_t i = 0; i < a.rows; ++i)
        a(i, j) = b(i, j) / std::sqrt(rest);
      break;
    }
  return lengths;
}

} // namespace

SmallVector<Tensor> evaluate(EighOp op, Operands args) {
  Tensor w(cast<RankedTensorType>(op.getW().getType()));
  Tensor v(args[0]->getType());
  for (int64_t b = 0, e = MatrixShape(v.getType()).count; b < e; ++b) {
    Matrix a = matrixOf(*args[0], b), vectors(a.rows, a.rows), columns = a;
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = i + 1; j < a.rows; ++j)
        a(i, j) = a(j, i);
    bool finite = !std::isnan(largest(a));
    int exponent = finite ? scale(a) : 0;
    std::vector<double> d, above;
    tridiagonalize(a, vectors, d, above);
    diagonalize(d, above, vectors);
    for (auto [to, from] : llvm::enumerate(sorted(d, /*descending=*/false))) {
      w.setFloat(b * a.rows + to,
                 finite ? std::ldexp(d[from], exponent) : kNaN);
      double sign = signOf(vectors, from);
      for (int64_t i = 0; i < a.rows; ++i)
        columns(i, to) = finite ? sign * vectors(i, from) : kNaN;
    }
    store(v, b, columns);
  }
  return {w, v};
}

SmallVector<Tensor> evaluate(SVDOp op, Operands args) {
  Tensor u(cast<RankedTensorType>(op.getU().getType()));
  Tensor s(cast<RankedTensorType>(op.getS().getType()));
  Tensor v(cast<RankedTensorType>(op.getV().getType()));
  for (int64_t b = 0, e = MatrixShape(u.getType()).count; b < e; ++b) {
    Matrix a = matrixOf(*args[0], b);
    bool finite = !std::isnan(largest(a));
    int exponent = finite ? scale(a) : 0;
    bool wide = a.rows < a.columns;
    int64_t count = std::min(a.rows, a.columns);
    Matrix left(wide ? a.columns : a.rows, count), right(count, count);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.columns; ++j)
        (wide ? left(j, i) : left(i, j)) = a(i, j);
    orthogonalize(left, right);
    std::vector<double> lengths = normalize(left);
    if (wide)
      std::swap(left, right);
    Matrix us(left.rows, count), vs(right.rows, count);
    for (auto [to, from] :
         llvm::enumerate(sorted(lengths, /*descending=*/true))) {
      s.setFloat(b * count + to,
                 finite ? std::ldexp(lengths[from], exponent) : kNaN);
      double sign = signOf(right, from);
      for (int64_t i = 0; i < us.rows; ++i)
        us(i, to) = finite ? sign * left(i, from) : kNaN;
      for (int64_t i = 0; i < vs.rows; ++i)
        vs(i, to) = finite ? sign * right(i, from) : kNaN;
    }
    store(u, b, us);
    store(v, b, vs);
  }
  return {u, s, v};
}

} // namespace cellgrad::interp
