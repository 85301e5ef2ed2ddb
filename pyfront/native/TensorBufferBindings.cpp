//===- TensorBufferBindings.cpp - tensor memory in Python -----------------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/DLPack.h"
#include "pyfront/native/DeviceMemory.h"
#include "pyfront/native/TensorBuffer.h"

#include "runtime/cellgrad_abi.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;

namespace cellgrad::python {
namespace {

const DTypeInfo &requireDType(const std::string &name) {
  if (const DTypeInfo *dtype = lookupDType(name))
    return *dtype;
  throw nb::value_error(
      ("unknown dtype '" + name + "': expected " + knownDTypes()).c_str());
}

const char *formatOf(const DTypeInfo &dtype) {
  switch (dtype.code) {
  case CG_BOOL:
    return "?";
  case CG_INT8:
    return "b";
  case CG_INT16:
    return "h";
  case CG_INT32:
    return "i";
  case CG_INT64:
    return "q";
  case CG_UINT8:
    return "B";
  case CG_UINT16:
    return "H";
  case CG_UINT32:
    return "I";
  case CG_UINT64:
    return "Q";
  case CG_FLOAT16:
    return "e";
  case CG_BFLOAT16:
    return "H"; // the struct module knows no bfloat16: its bits
  case CG_FLOAT32:
    return "f";
  default:
    return "d";
  }
}

/// Shape and strides of an exported buffer.
struct Extents {
  llvm::SmallVector<Py_ssize_t, 12> values;

  Extents(const TensorBuffer &tensor, Py_ssize_t unit) {
    size_t rank = tensor.shape().size();
    values.resize(2 * rank);
    for (size_t i = rank; i-- > 0; unit *= tensor.shape()[i]) {
      values[i] = tensor.shape()[i];
      values[rank + i] = unit;
    }
  }
};

/// "memory of CUDA device 0".
std::string placeOf(const Device *device) {
  return device ? "memory of CUDA device " + std::to_string(device->ordinal())
                : "host memory";
}

int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto *tensor = nb::inst_ptr<TensorBuffer>(self);
  if ((flags & PyBUF_WRITABLE) && tensor->readOnly()) {
    PyErr_SetString(PyExc_BufferError, "the tensor's memory is read-only");
    return -1;
  }
  try {
    if (const Device *device = tensor->sharedOn())
      throw DeviceError("others share the tensor's " + placeOf(device) +
                        ": view() copies it");
    view->buf = tensor->lend();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_BufferError, error.what());
    return -1;
  }
  auto *extents = new Extents(*tensor, tensor->dtype().bytes);
  view->obj = self;
  Py_INCREF(self);
  view->len = tensor->bytes();
  view->itemsize = tensor->dtype().bytes;
  view->readonly = tensor->readOnly();
  view->ndim = tensor->shape().size();
  view->format = flags & PyBUF_FORMAT
                     ? const_cast<char *>(formatOf(tensor->dtype()))
                     : nullptr;
  view->shape = flags & PyBUF_ND ? extents->values.data() : nullptr;
  bool strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  view->strides = strides ? extents->values.data() + view->ndim : nullptr;
  view->suboffsets = nullptr;
  view->internal = extents;
  return 0;
}

void releaseBuffer(PyObject *self, Py_buffer *view) {
  nb::inst_ptr<TensorBuffer>(self)->release();
  delete static_cast<Extents *>(view->internal);
}

PyType_Slot slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
    {0, nullptr},
};

dlpack::DataType dlpackType(const DTypeInfo &dtype) {
  uint8_t bits = dtype.bytes * 8;
  switch (dtype.code) {
  case CG_BOOL:
    return {dlpack::Bool, bits, 1};
  case CG_UINT8:
  case CG_UINT16:
  case CG_UINT32:
  case CG_UINT64:
    return {dlpack::UInt, bits, 1};
  case CG_BFLOAT16:
    return {dlpack::Bfloat, bits, 1};
  case CG_FLOAT16:
  case CG_FLOAT32:
  case CG_FLOAT64:
    return {dlpack::Float, bits, 1};
  default:
    return {dlpack::Int, bits, 1};
  }
}

/// An exported tensor with what it points at.
template <typename ManagedT> struct Export {
  ManagedT managed;
  Extents extents;
  PyObject *owner;

  static void drop(ManagedT *managed) {
    auto *self = static_cast<Export *>(managed->context);
    if (nb::is_alive()) {
      nb::gil_scoped_acquire gil;
      const auto &tensor = *nb::inst_ptr<TensorBuffer>(self->owner);
      if (managed->tensor.deviceType == dlpack::kCUDA)
        tensor.releaseOnDevice();
      else
        tensor.release();
      Py_DECREF(self->owner);
    }
    delete self;
  }
};

template <typename ManagedT>
nb::object makeCapsule(nb::handle self, const TensorBuffer &tensor,
                       Device *device, const char *name) {
  void *data =
      device ? reinterpret_cast<void *>(tensor.lendOnDevice()) : tensor.lend();
  auto *out =
      new Export<ManagedT>{{}, Extents(tensor, 1), self.inc_ref().ptr()};
  size_t rank = tensor.shape().size();
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  auto *values = reinterpret_cast<int64_t *>(out->extents.values.data());
  out->managed.context = out;
  out->managed.deleter = Export<ManagedT>::drop;
  out->managed.tensor = {data,
                         device ? dlpack::kCUDA : dlpack::kCPU,
                         device ? device->ordinal() : 0,
                         static_cast<int32_t>(rank),
                         dlpackType(tensor.dtype()),
                         values,
                         values + rank,
                         0};
  PyObject *capsule = PyCapsule_New(&out->managed, name, [](PyObject *capsule) {
    // A consumer renames the capsule and calls the deleter itself.
    const char *current = PyCapsule_GetName(capsule);
    if (current && std::strncmp(current, "used_", 5) == 0)
      return;
    auto *managed =
        static_cast<ManagedT *>(PyCapsule_GetPointer(capsule, current));
    managed->deleter(managed);
  });
  if (!capsule) {
    Export<ManagedT>::drop(&out->managed);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

/// Has the consumer's stream wait for what is enqueued on a device, as DLPack
/// has it.
void orderConsumer(Device &device, nb::handle stream) {
  if (stream.is_none())
    return; // the legacy default stream, which the work is on
  int64_t number;
  if (!nb::try_cast(stream, number))
    throw nb::type_error("__dlpack__: stream: expected an int or None");
  if (number == dlpack::kNoStream || number == dlpack::kLegacyStream)
    return;
  if (number <= 0)
    throw nb::value_error(
        ("__dlpack__: stream " + std::to_string(number) +
         " is ambiguous: expected -1 for none, 1 for CUDA's legacy default "
         "stream, 2 for the default stream of the thread, or a handle")
            .c_str());
  device.orderBefore(static_cast<uint64_t>(number));
}

nb::object exportDLPack(nb::handle self, nb::handle stream,
                        nb::handle maxVersion,
                        const std::optional<std::pair<int, int>> &wanted,
                        std::optional<bool> copy) {
  const auto &tensor = *nb::inst_ptr<TensorBuffer>(self);
  Device *device = tensor.device(), *target = device;
  if (wanted && wanted->first == dlpack::kCPU)
    target = nullptr;
  else if (wanted && (!device || wanted->first != dlpack::kCUDA ||
                      wanted->second != device->ordinal()))
    throw nb::buffer_error(
        ("the tensor is in " + placeOf(device) +
         ": cannot export it to another device; copy it there first")
            .c_str());
  if (target != device && copy == false)
    throw nb::buffer_error(("the tensor is in " + placeOf(device) +
                            ": the host needs a copy, which copy=False forbids")
                               .c_str());
  nb::object source = nb::borrow(self);
  if (copy == true || (!target && tensor.sharedOn()))
    source = wrapBuffer(target ? tensor.copy() : tensor.copyToHost());
  const auto &exported = *nb::inst_ptr<TensorBuffer>(source);
  if (target)
    orderConsumer(*target, stream);
  if (!maxVersion.is_none() && nb::cast<int>(maxVersion[0]) >= 1) {
    nb::object capsule = makeCapsule<dlpack::ManagedVersioned>(
        source, exported, target, "dltensor_versioned");
    auto *managed = static_cast<dlpack::ManagedVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    managed->major = 1;
    managed->minor = 0;
    managed->flags = (exported.readOnly() ? dlpack::kReadOnly : 0) |
                     (source.is(self) ? 0 : dlpack::kIsCopied);
    return capsule;
  }
  if (exported.readOnly())
    throw nb::buffer_error(
        "the tensor is read-only, which DLPack before version 1 cannot "
        "express: export a copy");
  return makeCapsule<dlpack::Managed>(source, exported, target, "dltensor");
}
} // namespace

/// numpy.asarray, which is found once: that takes twice as long as its call.
static nb::handle numpyAsArray() {
  static PyObject *found = nullptr;
  if (!found)
    found = nb::object(nb::module_::import_("numpy").attr("asarray"))
                .release()
                .ptr();
  return found;
}

void bindTensorBuffer(nb::module_ &m) {
  nb::class_<TensorBuffer>(m, "TensorBuffer", nb::type_slots(slots),
                           "Dense memory with a dtype and a shape.")
      .def(
          "__init__",
          [](TensorBuffer *self, const std::string &dtype,
             const std::vector<int64_t> &shape) {
            new (self)
                TensorBuffer(requireDType(dtype),
                             TensorBuffer::Shape(shape.begin(), shape.end()));
          },
          "dtype"_a, "shape"_a, "Uninitialised memory of its own.")
      .def_static(
          "from_object",
          [](nb::handle object, std::optional<bool> copy,
             const std::optional<std::string> &dtype, bool dlpack) {
            return TensorBuffer::import(
                object, copy, dtype ? &requireDType(*dtype) : nullptr, dlpack);
          },
          "object"_a, nb::kw_only(), "copy"_a = nb::none(),
          "dtype"_a = nb::none(), "dlpack"_a = false,
          "The memory of an object with the buffer protocol or DLPack, or of a "
          "DLPack capsule: shared where it is contiguous and aligned, else "
          "copied. `copy` True copies always, "
          "False never "
          "(ValueError). `dtype` reinterprets elements of its size. `dlpack` "
          "says which of the two protocols an object with both is read by.")
      .def_prop_ro("dtype",
                   [](const TensorBuffer &t) { return t.dtype().name; })
      .def_prop_ro("shape",
                   [](const TensorBuffer &t) {
                     nb::list extents;
                     for (int64_t extent : t.shape())
                       extents.append(extent);
                     return nb::tuple(extents);
                   })
      .def_prop_ro("nbytes", &TensorBuffer::bytes)
      .def_prop_ro(
          "readonly",
          [](const TensorBuffer &t) { return t.readOnly() || t.sharedOn(); },
          "Whether the host can read the elements only.")
      .def_prop_ro("address",
                   [](const TensorBuffer &t) {
                     return reinterpret_cast<uintptr_t>(t.data());
                   })
      .def(
          "view",
          [](nb::handle self) {
            const auto &tensor = *nb::inst_ptr<TensorBuffer>(self);
            nb::handle asArray = numpyAsArray();
            if (tensor.sharedOn()) {
              nb::object array = asArray(wrapBuffer(tensor.copyToHost()));
              array.attr("flags").attr("writeable") = false;
              return array;
            }
            // numpy would make an array of one object of a buffer that fails.
            tensor.read();
            return asArray(self);
          },
          "A numpy array over the memory, which it keeps alive; bfloat16 "
          "appears as uint16. Read-only, and a copy, where others share the "
          "memory on a device.")
      .def("copy", &TensorBuffer::copy,
           "The same elements in memory of its own, where they are.")
      .def(
          "move",
          [](const TensorBuffer &t, std::optional<int32_t> ordinal) {
            t.moveTo(ordinal ? &Device::get(*ordinal) : nullptr);
          },
          "ordinal"_a.none(),
          "Has a CUDA device hold the elements, or the host for None, which "
          "keeps them while others see its memory. DeviceError where others "
          "share memory of another device.")
      .def_prop_ro(
          "device",
          [](const TensorBuffer &t) -> std::optional<int32_t> {
            if (Device *device = t.device())
              return device->ordinal();
            return std::nullopt;
          },
          "The number of the CUDA device that has the elements, or None.")
      .def("__dlpack__", exportDLPack, nb::kw_only(), "stream"_a = nb::none(),
           "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none())
      .def("__dlpack_device__",
           [](const TensorBuffer &t) {
             const Device *device = t.device();
             return device ? nb::make_tuple(dlpack::kCUDA, device->ordinal())
                           : nb::make_tuple(dlpack::kCPU, 0);
           })
      .def("__repr__", [](const TensorBuffer &t) {
        return "TensorBuffer(" + t.describe() + ")";
      });
}

} // namespace cellgrad::python
