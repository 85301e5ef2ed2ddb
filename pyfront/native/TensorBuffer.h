//===- TensorBuffer.h - dense memory of a tensor --------------------------===//

#ifndef CELLGRAD_PYFRONT_TENSORBUFFER_H
#define CELLGRAD_PYFRONT_TENSORBUFFER_H

#include "passes/emit/Signature.h"

#include <nanobind/nanobind.h>

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cellgrad::python {

class Device;

/// Dense, row-major memory with a dtype and a shape: what a Tensor holds and
/// what a compiled entry takes. It owns 64-byte aligned memory of the host, or
/// borrows memory of another Python object, which it keeps alive.
///
/// What a CUDA device computes with has memory there, too. Elements are copied
/// when one side needs what the other has, and not before: results and
/// Parameters stay on the device. While others see the memory of one side (it
/// is borrowed, or lent), that side is the one that counts: what the other has
/// is never taken for valid. Memory of the host that others see is copied to
/// the device for each use there, and back if that wrote. Memory of a device
/// that others see is copied to the host for each look at it, and only what
/// computes on that device can write it. Others see one side at most.
class TensorBuffer {
public:
  using Shape = llvm::SmallVector<int64_t, 6>;

  /// Uninitialised memory. Throws std::bad_alloc.
  TensorBuffer(const DTypeInfo &dtype, Shape shape);

  /// Uninitialised memory of a device, none of the host. Throws std::bad_alloc
  /// and DeviceError.
  TensorBuffer(const DTypeInfo &dtype, Shape shape, Device &device);

  /// The memory of an object with the buffer protocol or DLPack, or of a DLPack
  /// capsule: borrowed where it is dense and aligned to its elements, else
  /// copied; `copy` true copies always, false never (throws nb::value_error).
  /// `dtype`, where given, reinterprets elements of its size. An object with
  /// both protocols is read by the first, unless `byDLPack`.
  static TensorBuffer import(nanobind::handle object, std::optional<bool> copy,
                             const DTypeInfo *dtype, bool byDLPack = false);

  /// The same elements in memory of its own, where they are.
  TensorBuffer copy() const;
  /// The same elements in memory of its own, of the host.
  TensorBuffer copyToHost() const;

  TensorBuffer(TensorBuffer &&other) noexcept;
  TensorBuffer(const TensorBuffer &) = delete;
  TensorBuffer &operator=(const TensorBuffer &) = delete;
  ~TensorBuffer();

  const DTypeInfo &dtype() const { return *info; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  /// Memory of the host, for reading and writing until the next use on a
  /// device. Throws DeviceError where a copy from the device fails, or others
  /// share the memory there.
  void *data() const {
    return hostIsValid && !deviceIsValid ? memory : takeToHost();
  }
  /// The same, for reading.
  const void *read() const { return hostIsValid ? memory : fetch(); }
  /// The same as data(), seen by others until release() is called as often.
  void *lend() const;
  void release() const { --lent; }

  /// Memory of the device with the elements, copied there if it has to be. Not
  /// for what others share on another device. Throws std::bad_alloc and
  /// DeviceError.
  uint64_t onDevice(Device &device) const;
  /// Has a device hold the elements, or the host where it is null. While others
  /// see memory of the host, that keeps them. Throws std::bad_alloc, and
  /// DeviceError also where others share the memory of another device.
  void moveTo(Device *device) const;
  /// Says that the device wrote to what onDevice gave.
  void writtenOnDevice() const;
  /// The device that has the elements as they are, or null.
  Device *device() const { return deviceIsValid ? place : nullptr; }
  /// The memory of device(), which is not null, seen by others until
  /// releaseOnDevice() is called as often.
  uint64_t lendOnDevice() const;
  void releaseOnDevice() const { --lentOnDevice; }
  /// The device on which others see the memory, or null.
  Device *sharedOn() const {
    return borrowsOnDevice || lentOnDevice ? place : nullptr;
  }
  /// The address of its elements that holds for all who share them: tensors
  /// that share memory overlap there.
  uint64_t address() const {
    return deviceIsValid ? onPlace : reinterpret_cast<uint64_t>(memory);
  }
  size_t bytes() const { return byteCount; }
  bool readOnly() const { return isReadOnly; }

  /// "float32[2, 3]".
  std::string describe() const;

private:
  TensorBuffer(const DTypeInfo &dtype, Shape shape, void *borrowed,
               nanobind::object owner, bool readOnly);
  TensorBuffer(const DTypeInfo &dtype, Shape shape, Device &device,
               uint64_t borrowed, nanobind::object owner, bool readOnly);
  friend struct BufferImporter;

  bool borrowsOnHost() const { return owner.is_valid() && !borrowsOnDevice; }
  /// Whether others see the memory of the host.
  bool isSeenOnHost() const;
  void dropDevice() const noexcept;
  const void *fetch() const;
  void *takeToHost() const;

  const DTypeInfo *info;
  Shape extents;
  mutable void *memory = nullptr; ///< of the host; null while only a device has
                                  ///< the elements
  size_t byteCount = 0;
  nanobind::object
      owner; ///< of borrowed memory; null when the memory is our own
  bool isReadOnly = false;
  bool borrowsOnDevice = false; ///< and not on the host
  /// The first is false while others see memory of the device, the second while
  /// they see that of the host.
  mutable bool hostIsValid = true, deviceIsValid = false;
  mutable unsigned lent = 0, lentOnDevice = 0;
  mutable Device *place = nullptr; ///< where `onPlace` is
  mutable uint64_t onPlace = 0;
};

/// "float32[2, 3]".
std::string describeTensor(const DTypeInfo &dtype,
                           llvm::ArrayRef<int64_t> shape);

/// The Python object of a buffer that moves into it.
nanobind::object wrapBuffer(TensorBuffer &&buffer);

} // namespace cellgrad::python

#endif
