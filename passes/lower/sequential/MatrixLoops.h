//===- MatrixLoops.h - loops over rows and columns of matrices ------------===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_MATRIXLOOPS_H
#define CELLGRAD_LOWER_SEQUENTIAL_MATRIXLOOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace cellgrad {

/// Columns in a block of a factorization of so many: every block has products
/// of matrices with code of their own, hence no more than a dozen.
int64_t blockWidth(int64_t columns);

/// Builds what factorizations are made of: loops that carry matrices in place,
/// and ops on whole rows, columns and matrices. Every shape is static, so that
/// the inner loops are vectorised; what lies outside of the active part of a
/// matrix is masked.
///
/// Rows and columns that are read while their matrix is written are copies: a
/// view would force a copy of the matrix.
class MatrixLoops {
public:
  /// The value of one element from those of the inputs, the old value of the
  /// element last; `at` are the indices of the element.
  using ElementFn = llvm::function_ref<mlir::Value(
      llvm::ArrayRef<mlir::Value> at, mlir::ValueRange values)>;
  using LoopFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;
  using MatrixFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange inputs, mlir::ValueRange inits)>;

  MatrixLoops(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  //===-- Loops -----------------------------------------------------------===//

  /// Replaces every matrix of `inits` by what `body` makes of it and of the
  /// matrices of `inputs`, which have the same leading `batchRank` dimensions.
  llvm::SmallVector<mlir::Value> forEachMatrix(mlir::ValueRange inputs,
                                               mlir::ValueRange inits,
                                               int64_t batchRank,
                                               MatrixFn body);
  /// A loop from `from` up to `to`.
  llvm::SmallVector<mlir::Value> loop(mlir::Value from, mlir::Value to,
                                      mlir::ValueRange inits, LoopFn body);
  /// A loop over 0 to `count`, backwards where not `forward`.
  llvm::SmallVector<mlir::Value> loop(int64_t count, bool forward,
                                      mlir::ValueRange inits, LoopFn body);

  //===-- Parts -----------------------------------------------------------===//

  mlir::Value element(mlir::Value tensor, mlir::ValueRange at);
  mlir::Value setElement(mlir::Value tensor, mlir::Value value,
                         mlir::ValueRange at);
  mlir::Value row(mlir::Value matrix, mlir::Value index);
  mlir::Value column(mlir::Value matrix, mlir::Value index);
  mlir::Value setRow(mlir::Value matrix, mlir::Value row, mlir::Value index);
  mlir::Value setColumn(mlir::Value matrix, mlir::Value column,
                        mlir::Value index);
  mlir::Value swapRows(mlir::Value matrix, mlir::Value i, mlir::Value j);
  mlir::Value copy(mlir::Value tensor);
  /// The elements from a row and a column on, as a view.
  mlir::Value block(mlir::Value matrix, int64_t row, int64_t rows,
                    int64_t column, int64_t columns);
  mlir::Value setBlock(mlir::Value matrix, mlir::Value block, int64_t row,
                       int64_t column);

  //===-- Elementwise -----------------------------------------------------===//

  /// A new vector from vectors of its length.
  mlir::Value vector(mlir::ValueRange inputs, int64_t size, mlir::Type element,
                     ElementFn body);
  /// Ones on the diagonals of matrices like `init`.
  mlir::Value unitMatrix(mlir::Value init);
  /// A new tensor of elements computed from those of `tensor`.
  mlir::Value elementwise(mlir::Value tensor, ElementFn body);
  /// The matrix with new elements; inputs are vectors along `dims`.
  mlir::Value update(mlir::Value matrix, mlir::ValueRange inputs,
                     llvm::ArrayRef<unsigned> dims, ElementFn body);
  /// Combines the elements of vectors of one length, starting from `start`.
  mlir::Value reduce(mlir::ValueRange vectors, double start, ElementFn body);
  /// a - b, in place of a.
  mlir::Value minus(mlir::Value a, mlir::Value b);

  //===-- Products --------------------------------------------------------===//

  /// vector^T matrix.
  mlir::Value product(mlir::Value vector, mlir::Value matrix);
  /// a b, where factors are read transposed if asked for.
  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeA = false,
                     bool transposeB = false);
  /// Splits the steps of an elimination, after which so much less of the matrix
  /// is active, into a few loops over smaller and smaller parts: `body` gets
  /// the first step and the number of steps.
  void shrink(int64_t steps,
              llvm::function_ref<void(int64_t begin, int64_t count)> body);
  /// The solution y of a y = b for triangular a, in place of b: from the first
  /// row to the last where `forward`. Row by row; each, once known, is
  /// subtracted from all that depend on it.
  mlir::Value substitute(mlir::Value a, mlir::Value b, bool forward,
                         bool transposed, bool unitDiagonal);

  //===-- Scalars ---------------------------------------------------------===//

  mlir::Value index(int64_t value);
  mlir::Value number(mlir::Type type, double value);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// a - x * y
  mlir::Value minusProduct(mlir::Value a, mlir::Value x, mlir::Value y);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace cellgrad

#endif
