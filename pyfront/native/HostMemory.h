//===- HostMemory.h - aligned memory with reuse of large blocks -----------===//

#ifndef CELLGRAD_PYFRONT_HOSTMEMORY_H
#define CELLGRAD_PYFRONT_HOSTMEMORY_H

#include <cstddef>
#include <new>
#include <string>

namespace cellgrad::python {

/// Memory that could not be had, in words.
class HostMemoryError : public std::bad_alloc {
public:
  explicit HostMemoryError(std::string text) : text(std::move(text)) {}
  const char *what() const noexcept override { return text.c_str(); }

private:
  std::string text;
};

/// At least `bytes` bytes aligned to 64. Throws HostMemoryError. Large blocks
/// come from those released before: the system's fresh pages cost more than
/// most entries.
void *allocateHost(size_t bytes);

/// Gives back what allocateHost(bytes) returned.
void releaseHost(void *memory, size_t bytes) noexcept;

} // namespace cellgrad::python

#endif
