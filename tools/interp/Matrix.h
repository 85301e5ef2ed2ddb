//===- Matrix.h - the matrices of a tensor, in double precision -*- C++ -*-===//

#ifndef CELLGRAD_INTERP_MATRIX_H
#define CELLGRAD_INTERP_MATRIX_H

#include "tools/interp/Tensor.h"

namespace cellgrad::interp {

/// One matrix, by [row][column].
struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(rows * columns) {}

  double &operator()(int64_t i, int64_t j) { return elements[i * columns + j]; }
  double operator()(int64_t i, int64_t j) const {
    return elements[i * columns + j];
  }

  int64_t rows, columns;
  std::vector<double> elements;
};

/// Rows and columns of the matrices of a tensor, and how many there are.
struct MatrixShape {
  explicit MatrixShape(mlir::RankedTensorType type)
      : rows(type.getShape().take_back(2)[0]), columns(type.getShape().back()) {
    for (int64_t size : type.getShape().drop_back(2))
      count *= size;
  }
  int64_t size() const { return rows * columns; }

  int64_t rows, columns, count = 1;
};

inline Matrix matrixOf(const Tensor &tensor, int64_t index) {
  MatrixShape shape(tensor.getType());
  Matrix matrix(shape.rows, shape.columns);
  for (int64_t i = 0; i < shape.size(); ++i)
    matrix.elements[i] = tensor.getFloat(index * shape.size() + i);
  return matrix;
}

inline void store(Tensor &tensor, int64_t index, const Matrix &matrix) {
  int64_t size = matrix.rows * matrix.columns;
  for (int64_t i = 0; i < size; ++i)
    tensor.setFloat(index * size + i, matrix.elements[i]);
}

} // namespace cellgrad::interp

#endif
