//===- HostMemory.cpp - aligned memory with reuse of large blocks ---------===//

#include "pyfront/native/HostMemory.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

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

struct Pool {
  std::mutex mutex;
  std::unordered_map<size_t, std::vector<void *>> blocks;
  size_t kept = 0;
};

/// Never destroyed: buffers may outlive static destruction.
Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

/// Sizes that share blocks: steps of an eighth of the next lower power of two.
size_t sizeClass(size_t bytes) {
  size_t step = kAlignment;
  while (bytes >= 16 * step)
    step *= 2;
  return (bytes + step - 1) / step * step;
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
  Pool &p = pool();
  std::lock_guard<std::mutex> lock(p.mutex);
  bool any = p.kept != 0;
  for (auto &[size, blocks] : p.blocks)
    for (void *block : blocks)
      std::free(block);
  p.blocks.clear();
  p.kept = 0;
  return any;
}
} // namespace

void *cellgrad::python::allocateHost(size_t bytes) {
  size_t size = sizeClass(bytes ? bytes : 1);
  if (size >= kLarge) {
    Pool &p = pool();
    std::lock_guard<std::mutex> lock(p.mutex);
    auto found = p.blocks.find(size);
    if (found != p.blocks.end() && !found->second.empty()) {
      void *block = found->second.back();
      found->second.pop_back();
      p.kept -= size;
      return lend(block, bytes, size);
    }
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
  size_t size = sizeClass(bytes ? bytes : 1);
  if (size >= kLarge) {
    Pool &p = pool();
    std::lock_guard<std::mutex> lock(p.mutex);
    if (p.kept + size <= kKeepAtMost) {
      try {
        p.blocks[size].push_back(memory);
        p.kept += size;
        lend(memory, 0, size);
        return;
      } catch (const std::bad_alloc &) {
        std::free(memory); // no room to remember it
        return;
      }
    }
  }
  std::free(memory);
}
