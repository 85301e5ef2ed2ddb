//===- Sort.h - the order of a row ----------------------------------------===//
//
// Elements become unsigned keys of the same order. Few of them are sorted by
// counting, for each, those that come before it; many by their digits, the
// lowest first (radix sort). Where only the first are wanted, they are selected
// and then sorted. All is stable, and nothing compares by branches.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_SORT_H
#define CELLGRAD_LOWER_SEQUENTIAL_SORT_H

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Builders.h"

namespace cellgrad {

/// Sorts the rows of a matrix.
class SortEmitter {
public:
  SortEmitter(mlir::OpBuilder &b, mlir::Location loc, mlir::Type element,
              int64_t length, bool descending);

  /// The first `count` positions that put row `row` of `x` in order.
  mlir::Value sortRow(mlir::Value x, mlir::Value row, int64_t count);

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(int64_t size, int64_t step,
                                      mlir::ValueRange inits, LoopBody body);

private:
  static int64_t sizeOf(mlir::Value row);
  mlir::Value index(int64_t value);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value integer(const llvm::APInt &value);
  mlir::Value rowOf(mlir::Type element, int64_t size);
  mlir::Value at(mlir::Value tensor, mlir::Value position);
  mlir::Value put(mlir::Value value, mlir::Value tensor, mlir::Value position);
  mlir::Value sliceOf(mlir::Value row, mlir::OpFoldResult start, int64_t size);
  mlir::Value generic(mlir::Value init, mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps,
                      llvm::ArrayRef<mlir::utils::IteratorType> loops,
                      llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
  mlir::Value loopNumber(int64_t dim);
  mlir::Value positions(int64_t size);

  mlir::Value keyOf(mlir::Value x);
  mlir::Value keysOf(mlir::Value x, mlir::Value row, mlir::OpFoldResult start,
                     mlir::Value init);

  /// Positions that put keys in order.
  mlir::Value sortKeys(mlir::Value keys);
  mlir::Value sortByCounting(mlir::Value keys);
  mlir::Value sortByDigits(mlir::Value keys);
  mlir::Value digitOf(mlir::Value keyValue, mlir::Value shift);
  std::pair<mlir::Value, mlir::Value>
  moveByDigit(mlir::Value bit, mlir::Value keys, mlir::Value order,
              mlir::Value keysTo, mlir::Value orderTo);

  /// The smallest keys so far, in the order of their positions, and what others
  /// have to be below to join them.
  struct Selection {
    mlir::Value keys, positions, threshold;
  };
  mlir::Value selectRow(mlir::Value x, mlir::Value row, int64_t count);
  Selection select(Selection from, mlir::Value base, int64_t count);
  Selection selectAlso(Selection from, mlir::Value x, mlir::Value row,
                       mlir::Value base, int64_t count);
  mlir::Value countBelow(mlir::Value keys, mlir::Value threshold);
  mlir::Value thresholdOf(mlir::Value keys, int64_t count);

  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t length;
  bool descending;
  mlir::Type key, number;
};

} // namespace cellgrad

#endif
