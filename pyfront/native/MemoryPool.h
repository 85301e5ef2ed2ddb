//===- MemoryPool.h - blocks of memory that are used again ----------------===//

#ifndef CELLGRAD_PYFRONT_MEMORYPOOL_H
#define CELLGRAD_PYFRONT_MEMORYPOOL_H

#include <cstddef>
#include <new>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cellgrad::python {

/// Blocks that were given back, by size, which is a multiple of `unit`, a power
/// of two; up to so many bytes of them. Of one thread at a time.
template <typename Block, size_t unit> class MemoryPool {
public:
  explicit MemoryPool(size_t keepAtMost) : keepAtMost(keepAtMost) {}

  /// The size of the blocks that hold so many bytes, in steps of an eighth of
  /// the next lower power of two.
  static size_t sizeFor(size_t bytes) {
    size_t step = unit;
    while (bytes >= 16 * step)
      step *= 2;
    return bytes ? (bytes + step - 1) / step * step : unit;
  }

  std::optional<Block> take(size_t size) {
    auto found = blocks.find(size);
    if (found == blocks.end() || found->second.empty())
      return std::nullopt;
    Block block = found->second.back();
    found->second.pop_back();
    kept -= size;
    return block;
  }

  /// False if there is no room for the block: it is the caller's to free.
  bool keep(Block block, size_t size) noexcept {
    if (kept + size > keepAtMost)
      return false;
    try {
      blocks[size].push_back(block);
    } catch (const std::bad_alloc &) {
      return false;
    }
    kept += size;
    return true;
  }

  /// Frees all blocks; false if there were none.
  template <typename Free> bool drop(Free free) {
    bool any = kept != 0;
    for (auto &[size, of] : blocks)
      for (Block block : of)
        free(block);
    blocks.clear();
    kept = 0;
    return any;
  }

private:
  size_t keepAtMost, kept = 0;
  std::unordered_map<size_t, std::vector<Block>> blocks;
};

} // namespace cellgrad::python

#endif
