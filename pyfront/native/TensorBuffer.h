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
/// borrows that of another Python object, which it keeps alive.
///
/// What a CUDA device computes with has memory there, too. Elements are copied
/// when one side needs what the other has, and not before: results and
/// Parameters stay on the device. While others see the memory of the host (it
/// is borrowed, or lent to numpy), that side is the one that counts: each use
/// on the device begins with a copy to it, and ends with one back if it wrote.
class TensorBuffer {
public:
  using Shape = llvm::SmallVector<int64_t, 6>;

  /// Uninitialised memory. Throws std::bad_alloc.
  TensorBuffer(const DTypeInfo &dtype, Shape shape);

  /// Uninitialised memory of a device, none of the host. Throws std::bad_alloc
  /// and DeviceError.
  TensorBuffer(const DTypeInfo &dtype, Shape shape, Device &device);

  /// The memory of an object with the buffer protocol or DLPack: borrowed where
  /// it is dense and aligned to its elements, else copied; `copy` true copies
  /// always, false never (throws nb::value_error). `dtype`, where given,
  /// reinterprets elements of its size.
  static TensorBuffer import(nanobind::handle object, std::optional<bool> copy,
                             const DTypeInfo *dtype);

  /// The same elements in memory of its own, where they are.
  TensorBuffer copy() const;

  TensorBuffer(TensorBuffer &&other) noexcept;
  TensorBuffer(const TensorBuffer &) = delete;
  TensorBuffer &operator=(const TensorBuffer &) = delete;
  ~TensorBuffer();

  const DTypeInfo &dtype() const { return *info; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  /// Memory of the host, for reading and writing until the next use on a
  /// device. Throws DeviceError where a copy from the device fails.
  void *data() const;
  /// The same, for reading.
  const void *read() const;
  /// The same, seen by others until release() is called as often.
  void *lend() const;
  void release() const { --lent; }

  /// Memory of the device with the elements, copied there if it has to be.
  /// Throws std::bad_alloc and DeviceError.
  uint64_t onDevice(Device &device) const;
  /// Says that the device wrote to what onDevice gave.
  void writtenOnDevice() const;
  /// The device that has the elements as they are, or null.
  Device *device() const { return deviceIsValid ? place : nullptr; }
  size_t bytes() const { return byteCount; }
  bool readOnly() const { return isReadOnly; }

  /// "float32[2, 3]".
  std::string describe() const;

private:
  TensorBuffer(const DTypeInfo &dtype, Shape shape, void *borrowed,
               nanobind::object owner, bool readOnly);
  friend struct BufferImporter;

  bool isSeen() const { return owner.is_valid() || lent != 0; }
  void dropDevice() const noexcept;

  const DTypeInfo *info;
  Shape extents;
  mutable void *memory = nullptr; ///< of the host; null while only a device has
                                  ///< the elements
  size_t byteCount = 0;
  nanobind::object
      owner; ///< of borrowed memory; null when the memory is our own
  bool isReadOnly = false;
  mutable bool hostIsValid = true, deviceIsValid = false;
  mutable unsigned lent = 0;
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
