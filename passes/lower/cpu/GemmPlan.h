//===- GemmPlan.h - how one matrix product is computed --------------------===//
//
// The choice of register tile, cache blocks and packing, apart from the code
// that emits them: a pure function of shape, layout and target.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_GEMMPLAN_H
#define CELLGRAD_LOWER_CPU_GEMMPLAN_H

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/target/Target.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdint>

namespace cellgrad {

/// C[m, n] += A[m, k] * B[k, n], with C contiguous along n.
struct GemmShape {
  int64_t m = 1, n = 1, k = 1;
  /// Strides in elements: along m and k of A, along k and n of B.
  int64_t aRow = 0, aColumn = 0, bRow = 0, bColumn = 0;
  unsigned elementBits = 32;
  /// How many rows there are is known when the code runs; m is a usual number.
  bool rowsAreOpen = false;
};

/// The loop nest, from outside: blocks of columns, blocks of the reduction,
/// blocks of rows, panels of columns, panels of rows; inside a register tile.
struct GemmPlan {
  int64_t lanes = 0;       ///< elements in a vector
  int64_t tileRows = 0;    ///< rows of the register tile
  int64_t tileVectors = 0; ///< columns of the register tile, in vectors
  int64_t rowBlock = 0;    ///< a multiple of tileRows
  int64_t columnBlock = 0; ///< a multiple of the tile's columns
  int64_t depthBlock = 0;  ///< a multiple of lanes, or all of k
  bool packA = false;      ///< copy blocks of A to contiguous panels
  bool packB = false;      ///< copy blocks of B to contiguous panels
  int64_t cacheLine = 0;   ///< bytes that are asked for at a time
  bool prefetchB = false;  ///< ask for rows of B some steps of k ahead
  bool prefetchC = false;  ///< ask for a tile of C before it is added to
  bool transposeB = false; ///< B is contiguous along k: packing transposes it
  int64_t rowItems = 0;    ///< parts of the rows that threads share
  /// Each of these runs through all of the sum, without waiting for the others
  /// after a block of it.
  bool rowsFirst = false;
  int64_t columnItems = 0; ///< parts of the columns that threads share
  int64_t depthItems = 0;  ///< parts of the sum that threads share

  int64_t tileColumns() const { return tileVectors * lanes; }
  bool operator==(const GemmPlan &other) const;
};

/// What `contraction` is as one product, without its batch.
GemmShape shapeOf(const Contraction &contraction);

GemmPlan planGemm(const GemmShape &shape, const Target &target);

/// About how long one core takes for the product: as long as its arithmetic or,
/// with few rows or columns, its memory traffic.
double estimateNanoseconds(const GemmShape &shape, mlir::Type element);

/// True when a tile of C is complete after the last block of the reduction: no
/// block of C is summed in other memory.
bool completesTiles(const GemmShape &shape, const GemmPlan &plan);

/// Cuts a product that is shared into items. Blocks of columns are items where
/// each worker can keep all of A in its cache: an item packs its part of B
/// itself and waits for nobody until it is done. Else blocks of rows are items:
/// of all of the sum where B is read from a cache as it is, of one block after
/// the other where panels of B are packed for all. Where the result is small,
/// the blocks of a long sum are (planSum).
void shareGemm(const GemmShape &shape, const Target &target, GemmPlan &plan);

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const GemmPlan &plan);

} // namespace cellgrad

#endif
