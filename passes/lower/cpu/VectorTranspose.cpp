//===- VectorTranspose.cpp - transposes in registers ----------------------===//

#include "passes/lower/cpu/VectorTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// Pairs of rows `step` apart become what two shuffles make of them, in place.
static void shufflePairs(OpBuilder &b, Location loc,
                         MutableArrayRef<Value> rows, int64_t step,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  for (auto [i, row] : llvm::enumerate(rows)) {
    if (i & step)
      continue;
    Value x = row, y = rows[i + step];
    row = vector::ShuffleOp::create(b, loc, x, y, low);
    rows[i + step] = vector::ShuffleOp::create(b, loc, x, y, high);
  }
}

/// Every shuffle is one instruction of machines whose vectors consist of lanes
/// of 128 bits, without a constant: first columns are gathered in each lane,
/// then lanes of a column.
void cellgrad::transposeSquare(OpBuilder &b, Location loc,
                               MutableArrayRef<Value> rows) {
  int64_t size = rows.size();
  Type element = cast<VectorType>(rows.front().getType()).getElementType();
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  int64_t lane = std::min<int64_t>(size, 128 / bits);
  SmallVector<int64_t> low, high;
  auto take = [&](int64_t vector, int64_t from, int64_t count,
                  SmallVector<int64_t> &mask) {
    for (int64_t e = from; e < from + count; ++e)
      mask.push_back(vector * size + e);
  };
  for (int64_t step = 1; step < lane; step *= 2) {
    low.clear();
    high.clear();
    for (int64_t begin = 0; begin < size; begin += lane)
      for (int64_t at = begin; at < begin + lane / 2; at += step)
        for (int64_t vector : {0, 1}) {
          take(vector, at, step, low);
          take(vector, at + lane / 2, step, high);
        }
    shufflePairs(b, loc, rows, step, low, high);
  }
  // Row `r` of so many now has the column whose bits are those of `r` turned
  // round.
  SmallVector<Value> turned(rows);
  for (int64_t r = 0; r < size; ++r) {
    int64_t column = 0;
    for (int64_t bit = 1; bit < lane; bit *= 2)
      column = 2 * column + ((r & bit) != 0);
    rows[r / lane * lane + column] = turned[r];
  }
  for (int64_t step = lane; step < size; step *= 2) {
    low.clear();
    high.clear();
    for (int64_t vector : {0, 1})
      for (int64_t at = 0; at < size; at += 2 * lane) {
        take(vector, at, lane, low);
        take(vector, at + lane, lane, high);
      }
    shufflePairs(b, loc, rows, step, low, high);
  }
}
