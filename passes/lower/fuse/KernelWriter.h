//===- KernelWriter.h - the loops of a group of ops -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_FUSE_KERNELWRITER_H
#define CELLGRAD_LOWER_FUSE_KERNELWRITER_H

#include "passes/lower/fuse/KernelGroup.h"

namespace cellgrad {

/// What limits tiles and items.
struct KernelLimits {
  int64_t tileBytes, items, itemNanoseconds;
  JoinLimits joining;
};

/// About how long one core takes for all ops of a group.
double nanosecondsOf(const KernelGroup &group);

/// Writes the loops of a group in the place of its last op. With `printPlan` a
/// remark says how it is cut, and how many ops that were among its own come
/// after it.
void writeKernel(const KernelGroup &group, const KernelLimits &limits,
                 bool printPlan, unsigned deferred);

} // namespace cellgrad

#endif
