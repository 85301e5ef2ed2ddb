//===- Guards.cpp - whether names still have the values they had ----------===//

#include "pyfront/native/Bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace cellgrad::python {
namespace {

/// Whether looking up `name` in `where` gives the object `value`: `where` is a
/// dictionary, a closure cell (with no name), or an object with attributes.
bool isStill(PyObject *where, PyObject *name, PyObject *value) {
  if (PyCell_Check(where))
    return PyCell_GET(where) == value;
  if (PyDict_CheckExact(where)) {
    PyObject *now = PyDict_GetItemWithError(where, name);
    if (!now)
      PyErr_Clear();
    return now == value;
  }
  PyObject *now = PyObject_GetAttr(where, name);
  if (!now)
    PyErr_Clear();
  Py_XDECREF(now); // only its address is compared: the attribute holds it
  return now == value;
}

/// The place of the first guard from `start` on whose value is another object;
/// -1 if there is none.
Py_ssize_t firstChanged(nb::list guards, Py_ssize_t start) {
  for (Py_ssize_t i = start, e = PyList_GET_SIZE(guards.ptr()); i < e; ++i) {
    PyObject *guard = PyList_GET_ITEM(guards.ptr(), i);
    if (!PyTuple_CheckExact(guard) || PyTuple_GET_SIZE(guard) != 3)
      throw nb::type_error("a guard is a tuple (where, name, value)");
    if (!isStill(PyTuple_GET_ITEM(guard, 0), PyTuple_GET_ITEM(guard, 1),
                 PyTuple_GET_ITEM(guard, 2)))
      return i;
  }
  return -1;
}
} // namespace

void bindGuards(nb::module_ &m) {
  m.def("first_changed", firstChanged, "guards"_a, "start"_a = 0,
        "The place of the first of the guards (where, name, value), from "
        "`start` on, whose name leads to another object than the value; -1 if "
        "there is none. `where` is a dict, a closure cell (name None) or an "
        "object with attributes.");
}

} // namespace cellgrad::python
