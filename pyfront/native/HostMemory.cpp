//===- HostMemory.cpp - aligned memory with reuse of large blocks ---------===//

#include "pyfront/native/HostMemory.h"
#include "pyfront/native/MemoryPool.h"

#include <cstdlib>
#include <mutex>

using namespace cellgrad::python;

// AddressSanitizer's, where the process runs with it.
// NOLINTBEGIN(bugprone-reserved-identifier): so are the names.
extern "C" {
void __asan_poison_memory_region(const volatile void *, size_t)
    __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *, size_t)
    __attribute__((weak));
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {
constexpr size_t kAlignment = 64;
constexpr size_t kLarge = 32
                          << 10; // below, malloc reuses well enough by itself
constexpr size_t kKeepAtMost = 256 << 20; // bytes kept for reuse

using Pool = MemoryPool<void *, kAlignment>;
std::mutex poolMutex;

/// Guarded by poolMutex. Never destroyed: buffers may outlive static
/// destruction.
Pool &pool() {
  static auto *instance = new Pool(kKeepAtMost);
  return *instance;
}

/// Of a block, only the first bytes are anyone's.
void *lend(void *block, size_t bytes, size_t size) {
  if (__asan_poison_memory_region) {
    __asan_unpoison_memory_region(block, bytes);
    __asan_poison_memory_region(static_cast<char *>(block) + bytes,
                                size - bytes);
  }
  return block;
}

/// Frees all kept blocks; false if there were none.
bool dropKept() {
  std::lock_guard<std::mutex> lock(poolMutex);
  return pool().drop([](void *block) { std::free(block); });
}
} // namespace

void *cellgrad::python::allocateHost(size_t bytes) {
  size_t size = Pool::sizeFor(bytes);
  if (size >= kLarge) {
    std::lock_guard<std::mutex> lock(poolMutex);
    if (std::optional<void *> block = pool().take(size))
      return lend(*block, bytes, size);
  }
  void *memory = std::aligned_alloc(kAlignment, size);
  if (!memory && dropKept())
    memory = std::aligned_alloc(kAlignment, size);
  if (!memory)
    throw HostMemoryError("out of memory: " + std::to_string(bytes) +
                          " bytes could not be allocated");
  return lend(memory, bytes, size);
}

void cellgrad::python::releaseHost(void *memory, size_t bytes) noexcept {
  size_t size = Pool::sizeFor(bytes);
  if (size >= kLarge) {
    std::lock_guard<std::mutex> lock(poolMutex);
    if (pool().keep(memory, size)) {
      lend(memory, 0, size);
      return;
    }
  }
  std::free(memory);
}
