//===- HostMemory.cpp - aligned memory with reuse of large blocks ---------===//

#include "pyfront/native/HostMemory.h"
#include "pyfront/native/MemoryPool.h"

#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

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
/// A page of the larger kind that x86-64 and ARM have, and from how many bytes
/// on blocks ask for them. Reading a large block is limited by the table of
/// pages otherwise: 16 Mi floats take 1.7 ms instead of 3.
constexpr size_t kHugePage = 2 << 20;
constexpr size_t kHuge = 2 * kHugePage;

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

/// Blocks of this thread, for results of a few elements: malloc takes a tenth
/// of the shortest call to align them.
class SmallBlocks {
public:
  static constexpr size_t kMostBytes = 256;

  ~SmallBlocks() {
    isClosed = true;
    for (Class &kept : classes)
      for (size_t i = 0; i < kept.count; ++i)
        std::free(kept.blocks[i]);
  }

  void *take(size_t size) {
    Class &kept = classes[size / kAlignment - 1];
    return kept.count ? kept.blocks[--kept.count] : nullptr;
  }

  /// False where there are enough.
  bool keep(void *block, size_t size) {
    Class &kept = classes[size / kAlignment - 1];
    if (kept.count == kMost)
      return false;
    kept.blocks[kept.count++] = block;
    return true;
  }

  /// Buffers may outlive what is of their thread.
  static thread_local bool isClosed;

private:
  static constexpr size_t kMost = 16;
  struct Class {
    size_t count = 0;
    void *blocks[kMost];
  };
  Class classes[kMostBytes / kAlignment];
};

thread_local bool SmallBlocks::isClosed = false;
thread_local SmallBlocks smallBlocks;

/// The small blocks of this thread if they have some of such a size, or null.
SmallBlocks *smallBlocksOf(size_t size) {
  bool isSmall = size > 0 && size <= SmallBlocks::kMostBytes;
  return isSmall && !SmallBlocks::isClosed ? &smallBlocks : nullptr;
}

/// Null if there is no memory.
void *allocate(size_t size) {
  if (size < kHuge)
    return std::aligned_alloc(kAlignment, size);
  void *memory = nullptr;
  if (posix_memalign(&memory, kHugePage, size) != 0)
    return nullptr;
#ifdef MADV_HUGEPAGE
  // A wish: where it is not granted, pages are small.
  (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

/// Frees all kept blocks; false if there were none.
bool dropKept() {
  std::lock_guard<std::mutex> lock(poolMutex);
  return pool().drop([](void *block) { std::free(block); });
}
} // namespace

void *cellgrad::python::allocateHost(size_t bytes) {
  size_t size = Pool::sizeFor(bytes);
  if (SmallBlocks *small = smallBlocksOf(size))
    if (void *block = small->take(size))
      return lend(block, bytes, size);
  if (size >= kLarge) {
    std::lock_guard<std::mutex> lock(poolMutex);
    if (std::optional<void *> block = pool().take(size))
      return lend(*block, bytes, size);
  }
  void *memory = allocate(size);
  if (!memory && dropKept())
    memory = allocate(size);
  if (!memory)
    throw HostMemoryError("out of memory: " + std::to_string(bytes) +
                          " bytes could not be allocated");
  return lend(memory, bytes, size);
}

void cellgrad::python::releaseHost(void *memory, size_t bytes) noexcept {
  size_t size = Pool::sizeFor(bytes);
  if (SmallBlocks *small = smallBlocksOf(size);
      small && small->keep(memory, size)) {
    lend(memory, 0, size);
    return;
  }
  if (size >= kLarge) {
    std::lock_guard<std::mutex> lock(poolMutex);
    if (pool().keep(memory, size)) {
      lend(memory, 0, size);
      return;
    }
  }
  std::free(memory);
}
