//===- StraightenProducts.cpp - weights that a loop reads transposed ------===//
//
// A layer's weights are stored by output, and a product reads them by input:
// it packs them in panels, all of them for a few rows. Where a loop does that
// in each trip, the weights are transposed once before it.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/fuse/Passes.h"
#include "passes/lower/fuse/RowProduct.h"

#include "passes/lower/buffers/OpCost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {
#define GEN_PASS_DEF_STRAIGHTENPRODUCTS
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// With more rows, packing takes a small part of a product's time.
constexpr int64_t kMostRows = 64;
/// From so many trips on, the copy is worth its memory.
constexpr double kFewestTrips = 4;

/// The transposed matrix of a product of a few rows, as an operand.
OpOperand *transposedMatrix(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (std::optional<RowProduct> product = rowProduct(op, dim))
      return product->isTransposed && ranges[dim] <= kMostRows ? product->b
                                                               : nullptr;
  return nullptr;
}

class StraightenProductsPass
    : public cellgrad::impl::StraightenProductsBase<StraightenProductsPass> {
  void runOnOperation() override {
    // Of each matrix in a loop; null where it stays as it is.
    DenseMap<std::pair<Operation *, Value>, Value> copies;
    getOperation().walk([&](linalg::GenericOp op) {
      OpOperand *matrix = transposedMatrix(op);
      if (!matrix)
        return;
      Operation *loop = op->getParentOp();
      auto [entry, isNew] = copies.try_emplace({loop, matrix->get()});
      if (isNew && isFixedIn(loop, matrix->get()) &&
          tripsOf(loop) >= kFewestTrips)
        entry->second = transposedCopy(op, matrix->get());
      if (Value copy = entry->second)
        readStraight(op, matrix->getOperandNumber(), copy);
    });
  }
};

} // namespace
