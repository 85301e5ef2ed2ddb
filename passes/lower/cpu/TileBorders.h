//===- TileBorders.h - where a tile meets zeros around an image -----------===//
//
// Products with what padding holds add nothing to a sum. Where a tile lies is
// known when it is emitted or when it runs; either way its sum leaves out what
// is zero for all of its rows and vectors, and, where constants say so, for one
// of them.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_TILEBORDERS_H
#define CELLGRAD_LOWER_CPU_TILEBORDERS_H

#include "passes/lower/buffers/FlatMemory.h"
#include "passes/lower/cpu/TilePlan.h"

namespace cellgrad {

/// Where a tile is: in the operands, and across the plan's borders.
struct TilePosition {
  FlatIndex a, b, c;
  llvm::SmallVector<FlatIndex> across;
};

/// A row or a vector of a tile: its distance from the tile's start.
struct TileOffset {
  int64_t operand = 0, c = 0;
  /// Elements of a vector that exist.
  int64_t active = 0;
  /// Across each border, of the least and of the greatest element.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> across;

  /// `elements` of them from `from` on along `dim`, where the operand's
  /// elements are `stride` apart.
  TileOffset moved(const ProductDim &dim, int64_t stride, int64_t from,
                   int64_t elements = 1) const;
};

/// Whether all products of a row with a vector are known to be zero.
bool isOutside(llvm::ArrayRef<ProductBorder> borders, const TilePosition &at,
               const TileOffset &row, const TileOffset &vector);

/// The trips of a loop outside of which all products of a tile are zero.
struct TripsInside {
  int64_t first = 0, end = 0;
  /// Bounds within these that are known when the tile runs, or null.
  mlir::Value from, to;
};

/// For the loop over `depth[dim]`, the dimensions before it being in `at`.
TripsInside tripsInside(mlir::OpBuilder &b, mlir::Location loc, FlatMemory &mem,
                        llvm::ArrayRef<ProductBorder> borders,
                        llvm::ArrayRef<ProductDim> depth, unsigned dim,
                        const TilePosition &at, llvm::ArrayRef<TileOffset> rows,
                        llvm::ArrayRef<TileOffset> vectors);

} // namespace cellgrad

#endif
