//===- VectorTranspose.cpp - transposes in registers ----------------------===//

#include "passes/lower/cpu/VectorTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

/// Swaps the off-diagonal halves of blocks of 2, 4, 8, ... rows and columns.
void cellgrad::transposeSquare(OpBuilder &b, Location loc,
                               MutableArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  for (int64_t block = 1; block < lanes; block *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t e = 0; e < lanes; ++e) {
      bool upper = e & block;
      low.push_back(upper ? lanes + e - block : e);
      high.push_back(upper ? lanes + e : e + block);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & block)
        continue;
      Value x = rows[i], y = rows[i + block];
      rows[i] = vector::ShuffleOp::create(b, loc, x, y, low);
      rows[i + block] = vector::ShuffleOp::create(b, loc, x, y, high);
    }
  }
}
