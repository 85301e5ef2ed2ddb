//===- TilePlan.h - how a product of strided tensors is computed ----------===//
//
// A convolution is a matrix product whose operands are views: element (row, k)
// of A and (k, column) of B lie at sums of constant multiples of several loop
// variables, and views of windows overlap. Nothing of that hinders a register
// tile: it broadcasts elements of A from wherever they are, and loads vectors
// of B. This file chooses the tile and which operand plays A, as a pure
// function of sizes, strides and target.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_TILEPLAN_H
#define CELLGRAD_LOWER_CPU_TILEPLAN_H

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/cpu/GemmPlan.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace cellgrad {

/// A dimension cut into tiles.
struct TiledDim {
  ProductDim dim;
  /// Elements of the dimension in one tile; 1 for a plain loop.
  int64_t tile = 1;
};

struct TilePlan {
  int64_t lanes = 0;
  /// Vector registers that there are.
  int64_t registers = 0;
  /// A and B, rows and columns have changed places.
  bool exchange = false;
  /// B is copied to memory where the vectorised dimension is contiguous.
  bool packB = false;
  /// Results go to a buffer where the vectorised dimension is contiguous, and
  /// from there to C.
  bool bufferC = false;
  /// Loops around a buffer of C.
  llvm::SmallVector<ProductDim> outer;
  llvm::SmallVector<TiledDim> rows;
  /// The vectorised dimension is the last one.
  llvm::SmallVector<TiledDim> columns;
  /// Blocks of the sum that are added to C one by one, and the sum in
  /// registers.
  llvm::SmallVector<ProductDim> outerDepth, depth;
  /// Terms outside of these are left out where that is known for a tile.
  llvm::SmallVector<ProductBorder> borders;

  int64_t tileRows() const;
  int64_t tileVectors() const;
  /// Where the rows of a tile have their elements of A.
  llvm::SmallVector<int64_t> tilePlaces() const;
  /// Whether the innermost loop of a tile's sum disappears: it is short, and
  /// steps next to each other do not take more elements of A for different
  /// rows, as windows do, than the registers hold. LLVM keeps what it has
  /// loaded once, and would spill the sums for it.
  bool unrolls(const ProductDim &innermost, llvm::ArrayRef<int64_t> places,
               int64_t vectors) const;
};

/// Nothing where plain loops do better.
std::optional<TilePlan> planTiles(const StridedProduct &product,
                                  const Target &target);

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const TilePlan &plan);

} // namespace cellgrad

#endif
