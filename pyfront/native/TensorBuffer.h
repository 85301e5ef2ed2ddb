//===- TensorBuffer.h - dense host memory of a tensor ---------------------===//

#ifndef CELLGRAD_PYFRONT_TENSORBUFFER_H
#define CELLGRAD_PYFRONT_TENSORBUFFER_H

#include "passes/emit/Signature.h"

#include <nanobind/nanobind.h>

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cellgrad::python {

/// Dense, row-major host memory with a dtype and a shape: what a Tensor holds
/// and what a compiled entry takes. It owns 64-byte aligned memory, or borrows
/// that of another Python object, which it keeps alive.
class TensorBuffer {
public:
  using Shape = llvm::SmallVector<int64_t, 6>;

  /// Uninitialised memory. Throws std::bad_alloc.
  TensorBuffer(const DTypeInfo &dtype, Shape shape);

  /// The memory of an object with the buffer protocol or DLPack: borrowed where
  /// it is dense and aligned to its elements, else copied; `copy` true copies
  /// always, false never (throws nb::value_error). `dtype`, where given,
  /// reinterprets elements of its size.
  static TensorBuffer import(nanobind::handle object, std::optional<bool> copy,
                             const DTypeInfo *dtype);

  TensorBuffer(TensorBuffer &&other) noexcept;
  TensorBuffer(const TensorBuffer &) = delete;
  TensorBuffer &operator=(const TensorBuffer &) = delete;
  ~TensorBuffer();

  const DTypeInfo &dtype() const { return *info; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  void *data() const { return memory; }
  size_t bytes() const { return byteCount; }
  bool readOnly() const { return isReadOnly; }

  /// "float32[2, 3]".
  std::string describe() const;

private:
  TensorBuffer(const DTypeInfo &dtype, Shape shape, void *borrowed,
               nanobind::object owner, bool readOnly);
  friend struct BufferImporter;

  const DTypeInfo *info;
  Shape extents;
  void *memory = nullptr;
  size_t byteCount = 0;
  nanobind::object
      owner; ///< of borrowed memory; null when the memory is our own
  bool isReadOnly = false;
};

/// "float32[2, 3]".
std::string describeTensor(const DTypeInfo &dtype,
                           llvm::ArrayRef<int64_t> shape);

/// The Python object of a buffer that moves into it.
nanobind::object wrapBuffer(TensorBuffer &&buffer);

} // namespace cellgrad::python

#endif
