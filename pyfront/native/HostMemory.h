//===- HostMemory.h - aligned memory with reuse of large blocks -----------===//

#ifndef CELLGRAD_PYFRONT_HOSTMEMORY_H
#define CELLGRAD_PYFRONT_HOSTMEMORY_H

#include <cstddef>

namespace cellgrad::python {

/// At least `bytes` bytes aligned to 64. Throws std::bad_alloc. Large blocks
/// come from those released before: the system's fresh pages cost more than
/// most entries.
void *allocateHost(size_t bytes);

/// Gives back what allocateHost(bytes) returned.
void releaseHost(void *memory, size_t bytes) noexcept;

} // namespace cellgrad::python

#endif
