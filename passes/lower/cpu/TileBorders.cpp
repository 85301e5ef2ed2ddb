//===- TileBorders.cpp - where a tile meets zeros around an image ---------===//

#include "passes/lower/cpu/TileBorders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

TileOffset TileOffset::moved(const ProductDim &dim, int64_t stride,
                             int64_t from, int64_t elements) const {
  TileOffset next = *this;
  next.operand += from * stride;
  next.c += from * dim.c;
  next.active = elements;
  for (auto [border, range] : llvm::enumerate(next.across)) {
    int64_t step = dim.across(border);
    int64_t reach = step * (elements - 1);
    range.first += from * step + std::min<int64_t>(reach, 0);
    range.second += from * step + std::max<int64_t>(reach, 0);
  }
  return next;
}

bool isOutside(ArrayRef<ProductBorder> borders, const TilePosition &at,
               const TileOffset &row, const TileOffset &vector) {
  for (auto [k, border] : llvm::enumerate(borders)) {
    FlatIndex start = at.across[k];
    if (start.var)
      continue;
    auto [rowLeast, rowMost] = row.across[k];
    auto [vectorLeast, vectorMost] = vector.across[k];
    if (start.constant + rowMost + vectorMost < border.low ||
        start.constant + rowLeast + vectorLeast >= border.high)
      return true;
  }
  return false;
}

/// Across border `k`, of the least and the greatest element of a tile.
static std::pair<int64_t, int64_t> reach(unsigned k, ArrayRef<TileOffset> rows,
                                         ArrayRef<TileOffset> vectors) {
  int64_t least = 0, most = 0;
  for (ArrayRef<TileOffset> offsets : {rows, vectors}) {
    auto [first, last] = offsets.front().across[k];
    for (const TileOffset &offset : offsets) {
      first = std::min(first, offset.across[k].first);
      last = std::max(last, offset.across[k].second);
    }
    least += first;
    most += last;
  }
  return {least, most};
}

TripsInside tripsInside(OpBuilder &b, Location loc, FlatMemory &mem,
                        ArrayRef<ProductBorder> borders,
                        ArrayRef<ProductDim> depth, unsigned dim,
                        const TilePosition &at, ArrayRef<TileOffset> rows,
                        ArrayRef<TileOffset> vectors) {
  TripsInside trips{0, depth[dim].size, Value(), Value()};
  for (auto [k, border] : llvm::enumerate(borders)) {
    int64_t step = depth[dim].across(k);
    auto moves = [k = k](const ProductDim &later) {
      return later.across(k) != 0;
    };
    if (step <= 0 || llvm::any_of(depth.drop_front(dim + 1), moves))
      continue;
    auto [least, most] = reach(k, rows, vectors);
    FlatIndex start = at.across[k];
    // The first trip in which the last element is inside, and the trip after
    // the last one in which the first element is.
    int64_t from = border.low - start.constant - most + step - 1;
    int64_t to = border.high - 1 - start.constant - least + step;
    if (!start.var) {
      trips.first = std::max(trips.first, llvm::divideFloorSigned(from, step));
      trips.end = std::min(trips.end, llvm::divideFloorSigned(to, step));
      continue;
    }
    auto bound = [&](int64_t most) {
      Value left = arith::SubIOp::create(b, loc, mem.constant(most), start.var);
      left = arith::MaxSIOp::create(b, loc, left, mem.constant(0));
      if (step == 1)
        return left;
      return arith::DivUIOp::create(b, loc, left, mem.constant(step))
          .getResult();
    };
    Value first = bound(from), end = bound(to);
    trips.from =
        trips.from ? arith::MaxSIOp::create(b, loc, trips.from, first) : first;
    trips.to = trips.to ? arith::MinSIOp::create(b, loc, trips.to, end) : end;
  }
  if (trips.from) {
    trips.from =
        arith::MaxSIOp::create(b, loc, trips.from, mem.constant(trips.first));
    trips.to =
        arith::MinSIOp::create(b, loc, trips.to, mem.constant(trips.end));
  }
  return trips;
}

} // namespace cellgrad
