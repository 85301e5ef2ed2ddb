//===- TensorBuffer.cpp - dense memory of a tensor ------------------------===//

#include "pyfront/native/TensorBuffer.h"
#include "pyfront/native/DLPack.h"
#include "pyfront/native/DeviceMemory.h"
#include "pyfront/native/HostMemory.h"

#include "runtime/cellgrad_abi.h"

#include <cstring>
#include <optional>
#include <utility>

namespace nb = nanobind;
using namespace cellgrad;
using namespace cellgrad::python;

static HostMemoryError tooLarge() {
  return HostMemoryError(
      "out of memory: the tensor has more bytes than a process can address");
}

static size_t countElements(llvm::ArrayRef<int64_t> shape) {
  size_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      throw nb::value_error("a shape cannot have a negative extent");
    if (__builtin_mul_overflow(count, static_cast<size_t>(extent), &count))
      throw tooLarge();
  }
  return count;
}

static size_t countBytes(const DTypeInfo &dtype,
                         llvm::ArrayRef<int64_t> shape) {
  size_t bytes;
  if (__builtin_mul_overflow(countElements(shape), size_t(dtype.bytes), &bytes))
    throw tooLarge();
  return bytes;
}

TensorBuffer::TensorBuffer(const DTypeInfo &dtype, Shape shape)
    : info(&dtype), extents(std::move(shape)),
      byteCount(countBytes(dtype, extents)) {
  memory = allocateHost(byteCount);
}

TensorBuffer::TensorBuffer(const DTypeInfo &dtype, Shape shape, void *borrowed,
                           nb::object owner, bool readOnly)
    : info(&dtype), extents(std::move(shape)), memory(borrowed),
      byteCount(countBytes(dtype, extents)), owner(std::move(owner)),
      isReadOnly(readOnly) {}

TensorBuffer::TensorBuffer(const DTypeInfo &dtype, Shape shape, Device &device)
    : info(&dtype), extents(std::move(shape)),
      byteCount(countBytes(dtype, extents)), hostIsValid(false),
      deviceIsValid(true), place(&device), onPlace(device.allocate(byteCount)) {
}

TensorBuffer::TensorBuffer(const DTypeInfo &dtype, Shape shape, Device &device,
                           uint64_t borrowed, nb::object owner, bool readOnly)
    : info(&dtype), extents(std::move(shape)),
      byteCount(countBytes(dtype, extents)), owner(std::move(owner)),
      isReadOnly(readOnly), borrowsOnDevice(true), hostIsValid(false),
      deviceIsValid(true), place(&device), onPlace(borrowed) {}

TensorBuffer::TensorBuffer(TensorBuffer &&other) noexcept
    : info(other.info), extents(std::move(other.extents)),
      memory(std::exchange(other.memory, nullptr)), byteCount(other.byteCount),
      owner(std::move(other.owner)), isReadOnly(other.isReadOnly),
      borrowsOnDevice(other.borrowsOnDevice), hostIsValid(other.hostIsValid),
      deviceIsValid(other.deviceIsValid), lent(other.lent),
      lentOnDevice(other.lentOnDevice),
      place(std::exchange(other.place, nullptr)), onPlace(other.onPlace) {}

TensorBuffer::~TensorBuffer() {
  if (place)
    dropDevice();
  if (!borrowsOnHost() && memory)
    releaseHost(memory, byteCount);
}

//===----------------------------------------------------------------------===//
// Host and device
//===----------------------------------------------------------------------===//

bool TensorBuffer::isSeenOnHost() const { return borrowsOnHost() || lent != 0; }

void TensorBuffer::dropDevice() const noexcept {
  if (!borrowsOnDevice)
    place->release(onPlace, byteCount);
  place = nullptr;
  deviceIsValid = false;
}

/// Copies to the host what only a device has.
const void *TensorBuffer::fetch() const {
  if (!memory)
    memory = allocateHost(byteCount);
  place->download(memory, onPlace, byteCount);
  hostIsValid = !sharedOn();
  return memory;
}

void *TensorBuffer::takeToHost() const {
  if (const Device *device = sharedOn())
    throw DeviceError("others share the tensor's memory on CUDA device " +
                      std::to_string(device->ordinal()) +
                      ": the host can only read a copy");
  read();
  deviceIsValid = false;
  return memory;
}

void *TensorBuffer::lend() const {
  data();
  ++lent;
  return memory;
}

uint64_t TensorBuffer::lendOnDevice() const {
  hostIsValid = false;
  ++lentOnDevice;
  return onPlace;
}

uint64_t TensorBuffer::onDevice(Device &device) const {
  if (place != &device) {
    read();
    if (place)
      dropDevice();
    onPlace = device.allocate(byteCount);
    place = &device;
  }
  if (!deviceIsValid) {
    device.upload(onPlace, memory, byteCount);
    deviceIsValid = !isSeenOnHost();
  }
  return onPlace;
}

void TensorBuffer::moveTo(Device *device) const {
  if (const Device *shared = sharedOn(); shared && shared != device)
    throw DeviceError("others share the tensor's memory on CUDA device " +
                      std::to_string(shared->ordinal()) + ": move a copy");
  if (!device)
    takeToHost();
  else if (!isSeenOnHost())
    onDevice(*device);
}

void TensorBuffer::writtenOnDevice() const {
  hostIsValid = false;
  deviceIsValid = true;
  if (isSeenOnHost()) {
    read();
    deviceIsValid = false;
  }
}

TensorBuffer TensorBuffer::copy() const {
  if (!deviceIsValid)
    return copyToHost();
  TensorBuffer made(*info, extents, *place);
  place->copy(made.onPlace, onPlace, byteCount);
  return made;
}

TensorBuffer TensorBuffer::copyToHost() const {
  TensorBuffer made(*info, extents);
  std::memcpy(made.memory, read(), byteCount);
  return made;
}

std::string cellgrad::python::describeTensor(const DTypeInfo &dtype,
                                             llvm::ArrayRef<int64_t> shape) {
  std::string text = dtype.name;
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string TensorBuffer::describe() const {
  return describeTensor(*info, extents);
}

nb::object cellgrad::python::wrapBuffer(TensorBuffer &&buffer) {
  return nb::cast(std::move(buffer), nb::rv_policy::move);
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// Reads the buffer protocol and DLPack.
struct cellgrad::python::BufferImporter {
  const DTypeInfo *wanted;
  std::optional<bool> copy;
  std::string type; ///< of the object, for messages

  /// What either protocol says about a tensor.
  struct View {
    const DTypeInfo *dtype;
    TensorBuffer::Shape shape;
    llvm::SmallVector<int64_t, 6> byteStrides;
    char *data;
    bool readOnly;
    Device *device = nullptr; ///< whose memory it is; null: the host's
  };

  TensorBuffer fromView(View view, nb::object owner);
  TensorBuffer fromBuffer(nb::handle object);
  TensorBuffer fromDLPack(nb::handle object);
  TensorBuffer fromCapsule(nb::handle capsule);
  /// The device that DLPack names so; null: the host.
  Device *deviceOf(int32_t type, int32_t number) const;
  template <typename ManagedT>
  TensorBuffer fromManaged(ManagedT *managed, bool readOnly);

  [[noreturn]] void fail(const std::string &problem) const {
    throw nb::value_error(("a " + type + " " + problem).c_str());
  }
};

static bool isDense(const BufferImporter::View &view) {
  int64_t stride = view.dtype->bytes;
  for (size_t i = view.shape.size(); i-- > 0; stride *= view.shape[i])
    if (view.shape[i] != 1 && view.byteStrides[i] != stride)
      return false;
  return true;
}

/// Copies `count` elements that are `stride` bytes apart.
template <typename T>
static void copyLine(const char *from, int64_t stride, char *to,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * sizeof(T), from + i * stride, sizeof(T));
}

/// Copies a strided tensor into dense memory, dimension `dim` on. Dimensions
/// from `dense` on lie together, `block` bytes of them.
static char *copyStrided(const BufferImporter::View &view, const char *from,
                         char *to, size_t dim, size_t dense, size_t block) {
  if (dim == dense) {
    std::memcpy(to, from, block);
    return to + block;
  }
  int64_t count = view.shape[dim], stride = view.byteStrides[dim];
  if (dim + 1 == dense && block == size_t(view.dtype->bytes)) {
    switch (block) {
    case 1:
      copyLine<uint8_t>(from, stride, to, count);
      break;
    case 2:
      copyLine<uint16_t>(from, stride, to, count);
      break;
    case 4:
      copyLine<uint32_t>(from, stride, to, count);
      break;
    default:
      copyLine<uint64_t>(from, stride, to, count);
    }
    return to + count * block;
  }
  for (int64_t i = 0; i < count; ++i)
    to = copyStrided(view, from + i * stride, to, dim + 1, dense, block);
  return to;
}

static void copyElements(const BufferImporter::View &view, char *to) {
  size_t dense = view.shape.size(), block = view.dtype->bytes;
  while (dense > 0 && (view.shape[dense - 1] == 1 ||
                       view.byteStrides[dense - 1] == int64_t(block)))
    block *= view.shape[--dense];
  copyStrided(view, view.data, to, 0, dense, block);
}

TensorBuffer BufferImporter::fromView(View view, nb::object owner) {
  size_t elements = countElements(view.shape);
  bool dense = elements == 0 || isDense(view);
  // Kernels access several elements at once.
  size_t alignment = view.device ? CG_CUDA_ALIGNMENT : view.dtype->bytes;
  bool aligned = reinterpret_cast<uintptr_t>(view.data) % alignment == 0;
  if (wanted && wanted->bytes != view.dtype->bytes)
    fail(std::string("of dtype ") + view.dtype->name + " cannot be read as " +
         wanted->name);
  const DTypeInfo &dtype = wanted ? *wanted : *view.dtype;
  auto place = reinterpret_cast<uint64_t>(view.data);
  if (view.device && elements == 0)
    return TensorBuffer(dtype, view.shape, *view.device);
  if (dense && aligned && copy != true)
    return view.device ? TensorBuffer(dtype, view.shape, *view.device, place,
                                      std::move(owner), view.readOnly)
                       : TensorBuffer(dtype, view.shape, view.data,
                                      std::move(owner), view.readOnly);
  if (copy == false || (view.device && !dense))
    fail(!dense ? std::string("is not contiguous: pass a contiguous copy") +
                      (view.device ? "" : " (numpy.ascontiguousarray)")
                : "is not aligned to " + std::to_string(alignment) +
                      " bytes: pass a copy");
  if (view.device) {
    TensorBuffer result(dtype, view.shape, *view.device);
    view.device->copy(result.onPlace, place, result.bytes());
    return result;
  }
  TensorBuffer result(dtype, view.shape);
  if (elements != 0)
    copyElements(view, static_cast<char *>(result.data()));
  return result;
}

/// The dtype of a struct-module format, or null.
static const DTypeInfo *dtypeOfFormat(const char *format, size_t itemSize) {
  if (!format)
    format = "B";
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (format[0] == 0 || format[1] != 0)
    return nullptr;
  std::string bits = std::to_string(itemSize * 8);
  switch (*format) {
  case '?':
    return lookupDType("bool");
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return lookupDType("int" + bits);
  case 'e':
  case 'f':
  case 'd':
    return lookupDType("float" + bits);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return lookupDType("uint" + bits);
  default:
    return nullptr;
  }
}

TensorBuffer BufferImporter::fromBuffer(nb::handle object) {
  auto *buffer = new Py_buffer;
  if (PyObject_GetBuffer(object.ptr(), buffer, PyBUF_FULL_RO) != 0) {
    delete buffer;
    throw nb::python_error();
  }
  // The capsule keeps the exporter's memory in place until the tensor is gone.
  nb::object owner = nb::capsule(buffer, [](void *p) noexcept {
    auto *held = static_cast<Py_buffer *>(p);
    PyBuffer_Release(held);
    delete held;
  });
  View view;
  std::string format = buffer->format ? buffer->format : "B";
  view.dtype = dtypeOfFormat(format.c_str(), buffer->itemsize);
  if (!view.dtype)
    fail("has elements of format '" + format + "': expected one of " +
         knownDTypes() + " in native byte order");
  view.data = static_cast<char *>(buffer->buf);
  view.readOnly = buffer->readonly;
  for (int i = 0; i < buffer->ndim; ++i) {
    view.shape.push_back(buffer->shape[i]);
    view.byteStrides.push_back(buffer->strides[i]);
  }
  return fromView(std::move(view), std::move(owner));
}

static const DTypeInfo *dtypeOfDLPack(dlpack::DataType type) {
  if (type.lanes != 1)
    return nullptr;
  std::string bits = std::to_string(type.bits);
  switch (type.code) {
  case dlpack::Bool:
    return type.bits == 8 ? lookupDType("bool") : nullptr;
  case dlpack::Int:
    return lookupDType("int" + bits);
  case dlpack::UInt:
    return lookupDType("uint" + bits);
  case dlpack::Float:
    return lookupDType("float" + bits);
  case dlpack::Bfloat:
    return lookupDType("bfloat" + bits);
  default:
    return nullptr;
  }
}

Device *BufferImporter::deviceOf(int32_t type, int32_t number) const {
  if (type == dlpack::kCUDA)
    return &Device::get(number);
  if (type != dlpack::kCPU)
    fail("lives on a device of another kind (DLPack device type " +
         std::to_string(type) + "): copy it to the CPU first");
  return nullptr;
}

TensorBuffer BufferImporter::fromDLPack(nb::handle object) {
  using namespace nb::literals;
  nb::object place = object.attr("__dlpack_device__")();
  nb::dict options;
  // Where the elements are made on other streams, the one of all our work is to
  // wait: the legacy default stream.
  if (deviceOf(nb::cast<int>(place[0]), nb::cast<int>(place[1])))
    options["stream"] = dlpack::kLegacyStream;
  nb::object exported = object.attr("__dlpack__");
  nb::object capsule;
  try {
    capsule = exported("max_version"_a = nb::make_tuple(1, 0), **options);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    capsule = exported(**options); // a producer from before version 1
  }
  return fromCapsule(capsule);
}

TensorBuffer BufferImporter::fromCapsule(nb::handle capsule) {
  if (auto *managed = static_cast<dlpack::ManagedVersioned *>(
          PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"))) {
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    return fromManaged(managed, managed->flags & dlpack::kReadOnly);
  }
  PyErr_Clear();
  auto *managed = static_cast<dlpack::Managed *>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed)
    throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return fromManaged(managed, false);
}

/// What DLPack gave, until it is given back.
template <typename ManagedT> struct Borrowed {
  ManagedT *managed;
  Device *device;

  ~Borrowed() {
    // The producer may use the memory on other streams then.
    if (device)
      device->finish();
    if (managed->deleter)
      managed->deleter(managed);
  }
};

template <typename ManagedT>
TensorBuffer BufferImporter::fromManaged(ManagedT *managed, bool readOnly) {
  auto *held = new Borrowed<ManagedT>{managed, nullptr};
  nb::object owner = nb::capsule(held, [](void *p) noexcept {
    delete static_cast<Borrowed<ManagedT> *>(p);
  });
  const dlpack::Tensor &t = managed->tensor;
  View view;
  view.device = held->device = deviceOf(t.deviceType, t.deviceId);
  view.dtype = dtypeOfDLPack(t.dtype);
  if (!view.dtype)
    fail("has elements of DLPack type " + std::to_string(t.dtype.code) +
         " with " + std::to_string(t.dtype.bits) + " bits: expected one of " +
         knownDTypes());
  view.data = static_cast<char *>(t.data) + t.byteOffset;
  view.readOnly = readOnly;
  int64_t stride = view.dtype->bytes;
  view.shape.assign(t.shape, t.shape + t.ndim);
  view.byteStrides.resize(t.ndim);
  for (int i = t.ndim - 1; i >= 0; stride *= t.shape[i--])
    view.byteStrides[i] = t.strides ? t.strides[i] * view.dtype->bytes : stride;
  return fromView(std::move(view), std::move(owner));
}

TensorBuffer TensorBuffer::import(nb::handle object, std::optional<bool> copy,
                                  const DTypeInfo *dtype, bool byDLPack) {
  BufferImporter importer{dtype, copy, nb::inst_name(object).c_str()};
  if (!byDLPack && PyObject_CheckBuffer(object.ptr()))
    return importer.fromBuffer(object);
  if (nb::hasattr(object, "__dlpack__"))
    return importer.fromDLPack(object);
  if (PyCapsule_CheckExact(object.ptr()))
    return importer.fromCapsule(object);
  throw nb::type_error(
      ("expected a tensor (an object with the buffer protocol or __dlpack__, "
       "or a DLPack capsule), got " +
       importer.type)
          .c_str());
}
