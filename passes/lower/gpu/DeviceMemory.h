//===- DeviceMemory.h - the memories of a GPU -----------------------------===//

#ifndef CELLGRAD_LOWER_GPU_DEVICEMEMORY_H
#define CELLGRAD_LOWER_GPU_DEVICEMEMORY_H

#include <cstdint>

namespace cellgrad {

/// Address spaces, as memref types and LLVM's pointers have them. With them
/// known, no access asks at run time which memory it is.
enum DeviceMemory : unsigned {
  kGlobalMemory = 1, ///< of all kernels: arguments, scratch, constants
  kSharedMemory = 3, ///< of the threads of a block, while it runs
};

/// What every chip has of shared memory for a block without asking for more.
constexpr int64_t kSharedBytes = 48 << 10;

/// Bytes that an instruction of a thread moves at most; buffers begin at a
/// multiple.
constexpr int64_t kWidestAccess = 16;

} // namespace cellgrad

#endif
