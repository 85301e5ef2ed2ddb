//===- FlatMemory.h - flat, constant-stride memory accesses ---------------===//
//
// Shared by the emitters: a memref seen as one flat array, and positions in it
// that are a loop-dependent value plus a constant.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_FLATMEMORY_H
#define CELLGRAD_LOWER_BUFFERS_FLATMEMORY_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace cellgrad {

/// A position: `var + constant`, where a null `var` stands for 0.
struct FlatIndex {
  mlir::Value var;
  int64_t constant = 0;

  FlatIndex plus(int64_t delta) const { return {var, constant + delta}; }
};

/// Emits index arithmetic and loads and stores on flat memrefs.
class FlatMemory {
public:
  /// Constants are placed where the builder stands now.
  FlatMemory(mlir::OpBuilder &b, mlir::Location loc);

  /// `memref` as a 1-D array from its allocated start, and the position of its
  /// first element there. The memref's strides must be static. A boolean takes
  /// one byte in memory: memrefs of `i1` become arrays of `i8`, and the loads
  /// and stores below convert. Unsigned elements become signless ones.
  std::pair<mlir::Value, FlatIndex> flatten(mlir::Value memref);

  /// `index + iv * stride`.
  FlatIndex advance(FlatIndex index, FlatIndex iv, int64_t stride);
  mlir::Value materialize(FlatIndex index);
  mlir::Value constant(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);

  /// `type` is the element type of the value: `i1` for memory of booleans.
  mlir::Value loadScalar(mlir::Type type, mlir::Value flat, FlatIndex index);
  void storeScalar(mlir::Value value, mlir::Value flat, FlatIndex index);

  /// Up to this stride, elements are picked from whole vectors by shuffles; a
  /// gather takes a step for each lane. Further apart, most of each vector
  /// would be read for nothing.
  static constexpr int64_t kWidestShuffled = 4;

  /// Loads `lanes` elements `stride` apart. With `active < lanes`, the lanes
  /// from `active` on are not read and hold zero. `alignment`, in bytes, is
  /// that of neighbours; 0 for that of an element.
  mlir::Value loadVector(mlir::Type type, mlir::Value flat, FlatIndex index,
                         int64_t stride, int64_t lanes, int64_t active,
                         int64_t alignment = 0);
  /// Loads the elements that are `offsets` further.
  mlir::Value gather(mlir::Type type, mlir::Value flat, FlatIndex index,
                     mlir::Value offsets, int64_t active);
  void storeVector(mlir::Value value, mlir::Value flat, FlatIndex index,
                   int64_t stride, int64_t active, int64_t alignment = 0);

  /// A constant mask of the first `active` of `lanes` lanes.
  mlir::Value mask(int64_t lanes, int64_t active);
  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);

private:
  mlir::Value fromStorage(mlir::Type type, mlir::Value value);
  mlir::Value toStorage(mlir::Value flat, mlir::Value value);
  mlir::Value loadBackwards(mlir::Value flat, FlatIndex index, int64_t lanes,
                            int64_t active);
  mlir::Value loadShuffled(mlir::Value flat, FlatIndex index, int64_t stride,
                           int64_t lanes, int64_t active);
  mlir::Value laneOffsets(int64_t lanes, int64_t stride);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *lastConstant;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

} // namespace cellgrad

#endif
