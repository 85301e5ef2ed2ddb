//===- DeviceMemory.h - memory of CUDA devices ----------------------------===//

#ifndef CELLGRAD_PYFRONT_DEVICEMEMORY_H
#define CELLGRAD_PYFRONT_DEVICEMEMORY_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace cellgrad::python {

/// There is no driver or no such device, or it reported an error.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A CUDA device of this process: its primary context, and memory in it. All
/// work is enqueued on the legacy default stream, in order, so that memory that
/// is given back may be handed out again at once. With the GIL held.
class Device {
public:
  /// Device number `ordinal`, opened at its first use. Throws DeviceError.
  static Device &get(int32_t ordinal);

  int32_t ordinal() const { return number; }
  /// "NVIDIA H100 80GB HBM3".
  const std::string &name() const { return title; }
  /// 10 * major + minor version of its chip.
  uint32_t chip() const { return version; }

  /// At least `bytes` bytes, aligned to 256. Throws std::bad_alloc, with words.
  uint64_t allocate(size_t bytes);
  /// Gives back what allocate(bytes) returned.
  void release(uint64_t memory, size_t bytes) noexcept;
  /// Memory that one call computes with. Calls run one after another on the
  /// device; one that is made from the print hook of another has its own.
  class Scratch {
  public:
    Scratch(Device &device, size_t bytes);
    ~Scratch();
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

    uint64_t memory = 0;

  private:
    Device &device;
    size_t bytes;
    bool isShared;
  };
  /// Copies, and waits for it and all that was enqueued before.
  void upload(uint64_t to, const void *from, size_t bytes);
  void download(void *to, uint64_t from, size_t bytes);
  /// Copies on the device, in the order of the stream.
  void copy(uint64_t to, uint64_t from, size_t bytes);

  /// Has work that is enqueued on a stream of the caller's from now on wait for
  /// all that was enqueued here before.
  void orderBefore(uint64_t stream);
  /// Waits for all that was enqueued.
  void finish() noexcept;

  /// Calls `what` with the device's context current.
  void with(llvm::function_ref<void()> what);

  /// Copies between host and devices in this process so far.
  struct Transfers {
    uint64_t uploads = 0, uploadedBytes = 0, downloads = 0, downloadedBytes = 0;
  };
  static const Transfers &transfers();

  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

private:
  struct State;
  explicit Device(int32_t ordinal);

  std::unique_ptr<State> state;
  int32_t number;
  std::string title;
  uint32_t version = 0;
};

} // namespace cellgrad::python

#endif
