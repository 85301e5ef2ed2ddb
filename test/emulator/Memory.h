//===- Memory.h - memory that knows who wrote it --------------------------===//
//
// Each allocation has its exact size, and a shadow that says who wrote, who
// read and who updated each of its bytes last. An entry of a shadow is a tag:
//
//     epoch << 11 | who
//
// Epochs count upwards over all launches: one begins with each block and each
// barrier. So "since the last barrier", "by an earlier block" and "in this
// launch" are comparisons with three bounds, and nothing is ever cleared.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_MEMORY_H
#define CELLGRAD_TEST_EMULATOR_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ptx {

using Tag = uint32_t;
constexpr unsigned kWhoBits = 11;
constexpr Tag kWhoMask = (1u << kWhoBits) - 1;
constexpr uint32_t kMaxEpoch = (1u << (32 - kWhoBits)) - 2;

/// Who else than thread 0 to 1023.
constexpr Tag kSomeOfWarp = 1024; // and the number of the warp
constexpr Tag kAtomic = 2044;     // several, each by an atomic access
constexpr Tag kPending = 2045;    // a cp.async that nobody has waited for
constexpr Tag kReadOnly = 2046;   // read as ld.global.nc
constexpr Tag kSeveral = 2047;

/// Tags of bytes that nothing wrote, and that the host wrote.
constexpr Tag kNever = 0, kHost = 1;

/// Pages of tags that cost nothing until they are used.
class Tags {
public:
  Tags() = default;
  explicit Tags(uint64_t count);
  ~Tags();
  Tags(Tags &&other) noexcept;
  Tags &operator=(Tags &&other) noexcept;
  Tag &operator[](uint64_t n) { return data[n]; }

private:
  Tag *data = nullptr;
};

/// Tags of the bytes of an allocation, one for four bytes until something
/// smaller is accessed.
class Shadow {
public:
  Shadow() = default;
  explicit Shadow(uint64_t bytes);

  /// Called before an access: splits tags if they are too coarse for it.
  void allow(uint64_t offset, uint64_t bytes) {
    if (shift != 0 && ((offset | bytes) & 3) != 0)
      split();
  }
  void setWriter(uint64_t offset, uint64_t bytes, Tag tag);
  /// Whether all these bytes have been written.
  bool isWritten(uint64_t offset, uint64_t bytes);
  /// Forgets who and when, but not whether: epochs begin anew. What is older
  /// than `bound` counts as never written, the rest as written by `tag`.
  void rebase(Tag bound, Tag tag);

  unsigned shift = 2;
  uint64_t size = 0;
  Tags writer, reader;
  Tags updater; ///< who made the atomic accesses; of use where `writer` is one

private:
  void split();
};

struct Allocation {
  uint64_t base = 0, bytes = 0;
  int device = 0;
  enum class Kind : uint8_t { Device, Host, Variable } kind = Kind::Device;
  Shadow shadow;
};

/// All memory that kernels may touch, and the clock of epochs.
class Memory {
public:
  /// Registers memory; what it holds counts as never written unless `written`.
  Allocation &add(uint64_t base, uint64_t bytes, int device,
                  Allocation::Kind kind, bool written);
  void remove(uint64_t base);
  /// The allocation that holds the byte at `address`, or null.
  Allocation *find(uint64_t address);
  /// The one that holds all these bytes, or null.
  Allocation *find(uint64_t address, uint64_t bytes);
  /// The one that begins nearest before `address`, for messages.
  Allocation *nearest(uint64_t address);

  /// A new epoch. The first of a launch may start the count anew.
  uint32_t nextEpoch() { return ++epoch; }
  uint32_t beginLaunch();
  bool isClockFull() const { return epoch >= kMaxEpoch; }

  size_t count() const { return allocations.size(); }

private:
  std::map<uint64_t, Allocation> allocations;
  uint32_t epoch = 0;
};

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_MEMORY_H
