//===- KnownCalls.cpp - calls of compiled code, without a look around -----===//
//
// Before compiled code is called, Python makes the signature of the arguments,
// looks up what was compiled for it, and compares what that was compiled for
// with what is there now (compile/program.py): three times what the smallest
// programs take. So a program keeps a list of the calls that it has seen where
// all arguments are tensors. This file finds the one that fits and calls it, or
// says that there is none: then Python looks, and its word counts.
//
// Each of the list is a tuple, which the garbage collector can see into:
//
//   (signature, compiled, entry, explain, guards, captures, written, build)
//
// `explain` raises the error for a check of the entry that failed, given the
// exception and the buffers, or is None.
//
// "Fits" means that signatures are the same objects, no guard has changed, no
// captured tensor has another signature, no argument is a Parameter that is
// written, and none has hooks. All is compared by identity. A guard may be of a
// property, whose code runs then: what is used behind that is owned. Who
// changes anything else that counts gives the program another list.
//
//===----------------------------------------------------------------------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Guards.h"
#include "pyfront/native/Model.h"
#include "pyfront/native/Objects.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace cellgrad::python;

namespace {

/// What Python has told of itself; kept for as long as the process lives.
struct {
  PyTypeObject *tensor = nullptr, *parameter = nullptr;
  Slot buffer, signature;
  PyObject *prefix = nullptr; ///< list: what signatures begin with
  PyObject *hooks = nullptr;  ///< dictionary: tensors that have some
} told;

nb::object makeTensor(PyObject *buffer, PyObject *signature) {
  nb::object tensor = nb::steal(PyType_GenericAlloc(told.tensor, 0));
  if (!tensor.is_valid())
    throw nb::python_error();
  told.buffer.set(tensor.ptr(), buffer);
  told.signature.set(tensor.ptr(), signature);
  return tensor;
}

/// How tensors are made of a call's results: one of them, or a tuple or list of
/// such. A function of the list of buffers.
class Made {
public:
  Made(size_t at, nb::object signature, nb::object ofBatch = {})
      : at(at), signature(std::move(signature)), ofBatch(std::move(ofBatch)) {}
  Made(bool isList, std::vector<Made> parts)
      : isList(isList), parts(std::move(parts)) {}

  nb::object make(PyObject *buffers) const {
    if (signature.is_valid()) {
      nb::object buffer = nb::steal(PySequence_GetItem(buffers, at));
      if (!buffer.is_valid())
        throw nb::python_error();
      if (!ofBatch.is_valid())
        return makeTensor(buffer.ptr(), signature.ptr());
      // Calls of one batch size mostly follow each other. What Python says may
      // be replaced while its code runs.
      int64_t batch = nb::inst_ptr<TensorBuffer>(buffer)->shape()[0];
      nb::object sized = batch == last ? lastSized : nb::object();
      if (!sized.is_valid()) {
        sized = ofBatch(signature, buffer);
        last = batch;
        lastSized = sized;
      }
      return makeTensor(buffer.ptr(), sized.ptr());
    }
    nb::object out = nb::steal(isList ? PyList_New(parts.size())
                                      : PyTuple_New(parts.size()));
    if (!out.is_valid())
      throw nb::python_error();
    for (size_t i = 0; i < parts.size(); ++i) {
      PyObject *part = parts[i].make(buffers).release().ptr();
      if (isList)
        NB_LIST_SET_ITEM(out.ptr(), i, part);
      else
        NB_TUPLE_SET_ITEM(out.ptr(), i, part);
    }
    return out;
  }

private:
  size_t at = 0;
  nb::object signature; ///< of a tensor; holds nothing that leads back here
  /// The signature for as many samples as a buffer has; null where it is one
  /// for all calls.
  nb::object ofBatch;
  mutable int64_t last = 0; ///< number of samples
  mutable nb::object lastSized;
  bool isList = false;
  std::vector<Made> parts;
};

PyObject *callMade(PyObject *self, PyObject *args, PyObject *kwargs) {
  return withErrors([&] {
    if (kwargs || NB_TUPLE_GET_SIZE(args) != 1)
      throw nb::type_error("expected the list of results");
    return nb::inst_ptr<Made>(self)->make(NB_TUPLE_GET_ITEM(args, 0));
  });
}

PyType_Slot madeSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callMade)},
                           {0, nullptr}};

/// What is known of a call, in the order of the tuple.
enum Part {
  Key,
  Compiled,
  Function,
  Explain,
  Guards,
  Captures,
  Written,
  Build
};

/// With room for the arguments and captures of most programs.
using Objects = llvm::SmallVector<nb::object, 64>;

/// Whether a tensor has hooks. Those of captured tensors are guarded.
bool hasHooks(PyObject *tensor) {
  nb::object at = nb::steal(PyLong_FromVoidPtr(tensor));
  int found = at.is_valid() ? PyDict_Contains(told.hooks, at.ptr()) : -1;
  if (found < 0)
    throw nb::python_error();
  return found;
}

/// Whether a key is the prefix, then these signatures.
bool isKey(PyObject *key, llvm::ArrayRef<PyObject *> signatures) {
  size_t before = NB_LIST_GET_SIZE(told.prefix);
  if (size_t(NB_TUPLE_GET_SIZE(key)) != before + signatures.size())
    return false;
  for (size_t i = 0; i < before; ++i)
    if (NB_TUPLE_GET_ITEM(key, i) != NB_LIST_GET_ITEM(told.prefix, i))
      return false;
  for (size_t i = 0; i < signatures.size(); ++i)
    if (NB_TUPLE_GET_ITEM(key, before + i) != signatures[i])
      return false;
  return true;
}

/// Whether what was compiled is still what a call with these buffers needs;
/// appends those of captured tensors.
bool fits(PyObject *known, Objects &buffers) {
  PyObject *guards = NB_TUPLE_GET_ITEM(known, Guards);
  PyObject *captures = NB_TUPLE_GET_ITEM(known, Captures);
  PyObject *written = NB_TUPLE_GET_ITEM(known, Written);
  if (firstChanged(nb::borrow<nb::list>(guards), 0) >= 0)
    return false;
  for (size_t i = 0, e = NB_LIST_GET_SIZE(written); i < e; ++i)
    if (PyObject *own = told.buffer.get(NB_LIST_GET_ITEM(written, i));
        llvm::any_of(buffers, [&](auto &b) { return b.ptr() == own; }))
      return false;
  for (size_t i = 0, e = NB_LIST_GET_SIZE(captures); i < e; ++i) {
    PyObject *pair = NB_LIST_GET_ITEM(captures, i);
    PyObject *tensor = NB_TUPLE_GET_ITEM(pair, 0);
    if (told.signature.get(tensor) != NB_TUPLE_GET_ITEM(pair, 1))
      return false;
    PyObject *buffer = told.buffer.get(tensor);
    if (!buffer)
      return false;
    buffers.push_back(nb::borrow(buffer));
  }
  return true;
}

nb::object callWith(PyObject *known, Objects buffers) {
  static PyObject *used = PyUnicode_InternFromString("used");
  if (PyObject_SetAttr(NB_TUPLE_GET_ITEM(known, Compiled), used, Py_True) != 0)
    throw nb::python_error();
  nb::object given = nb::steal(PyTuple_New(buffers.size()));
  if (!given.is_valid())
    throw nb::python_error();
  for (size_t i = 0; i < buffers.size(); ++i)
    NB_TUPLE_SET_ITEM(given.ptr(), i, buffers[i].release().ptr());
  nb::object results;
  try {
    results = nb::inst_ptr<Entry>(NB_TUPLE_GET_ITEM(known, Function))
                  ->call(given, nb::none());
  } catch (const nb::builtin_exception &error) {
    nb::handle explain = NB_TUPLE_GET_ITEM(known, Explain);
    if (explain.is_none() || error.type() != nb::exception_type::index_error)
      throw;
    explain(nb::handle(PyExc_IndexError)(error.what()), given);
    throw; // as it does not
  }
  nb::handle build = NB_TUPLE_GET_ITEM(known, Build);
  if (nb::isinstance<Made>(build))
    return nb::inst_ptr<Made>(build)->make(results.ptr());
  return build(results);
}

nb::object call(PyObject *known, PyObject *args) {
  nb::object none = nb::borrow(absent());
  size_t count = NB_TUPLE_GET_SIZE(args);
  if (!told.tensor)
    return none;
  bool hooks = PyDict_Size(told.hooks) != 0;
  llvm::SmallVector<PyObject *, 16> signatures;
  Objects buffers;
  for (size_t i = 0; i < count; ++i) {
    PyObject *arg = NB_TUPLE_GET_ITEM(args, i);
    if (Py_TYPE(arg) != told.tensor && Py_TYPE(arg) != told.parameter)
      return none;
    if (hooks && hasHooks(arg))
      return none;
    PyObject *buffer = told.buffer.get(arg);
    if (!buffer)
      return none;
    signatures.push_back(told.signature.get(arg));
    buffers.push_back(nb::borrow(buffer));
  }
  for (size_t i = 0, e = NB_LIST_GET_SIZE(known); i < e; ++i) {
    PyObject *one = NB_LIST_GET_ITEM(known, i);
    if (!isKey(NB_TUPLE_GET_ITEM(one, Key), signatures))
      continue;
    // The list may lose it while guards are read, or while its code runs.
    nb::object keep = nb::borrow(one);
    return fits(one, buffers) ? callWith(one, std::move(buffers)) : none;
  }
  return none;
}

PyObject *callKnown(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !PyList_CheckExact(args[0]) ||
      !PyTuple_CheckExact(args[1])) {
    PyErr_SetString(PyExc_TypeError,
                    "expected a list of known calls and a tuple of arguments");
    return nullptr;
  }
  return withErrors([&] { return call(args[0], args[1]); });
}

PyMethodDef callKnownMethod = {
    "call_known",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callKnown)),
    METH_FASTCALL,
    "What the known call that fits the arguments returns, of a list of tuples "
    "(signature, compiled, entry, explain, guards, captures, written, build); "
    "ABSENT if there is none."};

/// Appends what is known of a call, with all that `call` relies on checked.
void addKnown(nb::list known, nb::tuple key, nb::object compiled,
              nb::object entry, nb::object explain, nb::list guards,
              nb::list captures, nb::list written, nb::object build) {
  if (!nb::isinstance<Entry>(entry))
    throw nb::type_error("an entry is one of a model");
  for (nb::handle pair : captures)
    if (!PyTuple_CheckExact(pair.ptr()) || nb::len(pair) != 2 ||
        !PyObject_TypeCheck(NB_TUPLE_GET_ITEM(pair.ptr(), 0), told.tensor))
      throw nb::type_error("a capture is a tuple (tensor, signature)");
  for (nb::handle parameter : written)
    if (!PyObject_TypeCheck(parameter.ptr(), told.tensor))
      throw nb::type_error("what is written is a tensor");
  known.append(nb::make_tuple(key, compiled, entry, explain, guards, captures,
                              written, build));
}
} // namespace

void cellgrad::python::bindKnownCalls(nb::module_ &m) {
  nb::class_<Made>(m, "Made", nb::type_slots(madeSlots),
                   "made(buffers): the Tensor of one result, or a tuple or "
                   "list of such.")
      .def_static(
          "tensor",
          [](size_t at, nb::object signature) {
            return Made(at, std::move(signature));
          },
          "at"_a, "signature"_a)
      .def_static(
          "of_batch",
          [](size_t at, nb::object signature, nb::object ofBatch) {
            return Made(at, std::move(signature), std::move(ofBatch));
          },
          "at"_a, "signature"_a, "of_batch"_a)
      .def_static(
          "sequence",
          [](nb::sequence parts, bool isList) {
            std::vector<Made> made;
            for (nb::handle part : parts)
              made.push_back(nb::cast<const Made &>(part));
            return Made(isList, std::move(made));
          },
          "parts"_a, "is_list"_a);
  m.def(
      "set_tensor_types",
      [](nb::type_object tensor, nb::type_object parameter) {
        told.buffer = Slot(tensor.ptr(), "_buf");
        told.signature = Slot(tensor.ptr(), "_sig");
        told.parameter =
            reinterpret_cast<PyTypeObject *>(parameter.release().ptr());
        told.tensor = reinterpret_cast<PyTypeObject *>(tensor.release().ptr());
      },
      "tensor"_a, "parameter"_a, "Once: the classes of tensors.");
  m.def(
      "set_call_context",
      [](nb::list prefix, nb::dict hooks) {
        told.prefix = prefix.release().ptr();
        told.hooks = hooks.release().ptr();
      },
      "prefix"_a, "hooks"_a,
      "Once: the list of what signatures begin with, and the dictionary of "
      "tensors with hooks.");
  m.def("add_known", addKnown, "known"_a, "signature"_a, "compiled"_a,
        "entry"_a, "explain"_a.none(), "guards"_a, "captures"_a, "written"_a,
        "build"_a, "Appends a call to a list of known ones.");
  m.attr("call_known") = nb::steal(PyCFunction_New(&callKnownMethod, nullptr));
}
