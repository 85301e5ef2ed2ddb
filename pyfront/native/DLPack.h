//===- DLPack.h - the tensor exchange structures --------------------------===//
//
// Layouts fixed by the DLPack standard (dmlc/dlpack), 0.x ("dltensor") and 1.x
// ("dltensor_versioned").
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PYFRONT_DLPACK_H
#define CELLGRAD_PYFRONT_DLPACK_H

#include <cstdint>

namespace cellgrad::python::dlpack {

enum TypeCode : uint8_t { Int = 0, UInt = 1, Float = 2, Bfloat = 4, Bool = 6 };
constexpr int32_t kCPU = 1, kCUDA = 2; // types of devices
/// Numbers of CUDA's default streams, where others are handles.
constexpr int64_t kLegacyStream = 1, kPerThreadStream = 2;
/// For a producer: nothing is to wait.
constexpr int64_t kNoStream = -1;
constexpr uint64_t kReadOnly = 1, kIsCopied = 2; // flags

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  DataType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *);
};

struct ManagedVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedVersioned *);
  uint64_t flags;
  Tensor tensor;
};

} // namespace cellgrad::python::dlpack

#endif
