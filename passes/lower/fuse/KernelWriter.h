//===- KernelWriter.h - the loops of a group of ops -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_FUSE_KERNELWRITER_H
#define CELLGRAD_LOWER_FUSE_KERNELWRITER_H

#include "passes/lower/fuse/KernelGroup.h"

namespace cellgrad {

/// What limits tiles and items.
struct KernelLimits {
  int64_t tileBytes, items, itemNanoseconds;
  JoinLimits joining;
  /// Most bytes of an item with products of its own.
  int64_t itemBytes = 0;
  /// A row that is larger than a tile is cut again, and what is written over
  /// stays in its tile.
  bool innerTiles = false;
  /// In a part of a batch: what is added up within a sample is added up alike
  /// in all parts, whether they have many samples or few.
  bool isOfPart = false;
  /// Within a tile of another kernel: a loop over tiles, no items.
  bool isWithin = false;
};

/// About how long one core takes for all ops of a group.
double nanosecondsOf(const KernelGroup &group);

/// Writes the loops of a group in the place of its last op. With `printPlan` a
/// remark says how it is cut, and how many ops that were among its own come
/// after it. Returns where the ops of a tile are, if one row has more bytes
/// than a tile should.
mlir::Block *writeKernel(const KernelGroup &group, const KernelLimits &limits,
                         bool printPlan, unsigned deferred);

} // namespace cellgrad

#endif
