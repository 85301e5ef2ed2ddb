//===- Guards.cpp - whether names still have the values they had ----------===//
//
// A program was compiled for what its Python code read from around it: globals,
// closure variables, attributes, elements of lists. Each of these is a guard, a
// tuple (where it was found, its name, its value). For
//
//   def f(x):
//     return x * scale + bias[0]
//
// there are (globals of f, "scale", <object>), (globals of f, "bias", <object>)
// and (bias, 0, <object>). Every call looks all of them up again, and there may
// be hundreds: hence a loop in C++, about 10 ns a name.
//
// Three things make that safe:
//
// - Addresses are compared, never values: no `__eq__` runs. The tuple owns its
//   value, so that no other object can have come to the same address.
// - "Changed" may be wrong, "still" may not. What this file cannot decide is
//   reported as changed; core/guards.py then compares by type and bits, and
//   only a real change compiles again.
// - Looking a name up runs no code of the user's: attributes are guarded only
//   where reading them again is a plain lookup (capture/calls.py).
//
//===----------------------------------------------------------------------===//

#include "pyfront/native/Guards.h"

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Objects.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace cellgrad::python {

PyObject *absent() {
  static PyObject *object =
      PyObject_CallNoArgs(reinterpret_cast<PyObject *>(&PyBaseObject_Type));
  return object;
}

namespace {

/// Whether a list or dictionary holds the objects of a tuple (keys and values
/// in turn), in this order.
bool holdsStill(PyObject *container, PyObject *parts) {
  if (!PyTuple_CheckExact(parts))
    return false;
  Py_ssize_t size = NB_TUPLE_GET_SIZE(parts);
  if (PyList_Check(container)) {
    if (NB_LIST_GET_SIZE(container) != size)
      return false;
    for (Py_ssize_t i = 0; i < size; ++i)
      if (NB_LIST_GET_ITEM(container, i) != NB_TUPLE_GET_ITEM(parts, i))
        return false;
    return true;
  }
  if (!PyDict_Check(container) || 2 * NB_DICT_GET_SIZE(container) != size)
    return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0, i = 0; PyDict_Next(container, &at, &key, &value);
       i += 2)
    if (NB_TUPLE_GET_ITEM(parts, i) != key ||
        NB_TUPLE_GET_ITEM(parts, i + 1) != value)
      return false;
  return true;
}

/// Whether an attribute is the object `value`, or the same method of the same
/// object: methods are made anew each time.
bool attributeIsStill(PyObject *where, PyObject *name, PyObject *value) {
  PyObject *now = PyObject_GetAttr(where, name);
  if (!now) {
    PyErr_Clear();
    return value == absent();
  }
  bool still = now == value;
  if (!still && isMethod(now) && isMethod(value))
    still =
        functionOf(now) == functionOf(value) && selfOf(now) == selfOf(value);
  Py_DECREF(now); // only its address is compared: the attribute holds it
  return still;
}

/// Whether a guard's name still leads to its value. What cannot be told here
/// counts as changed.
bool isStill(PyObject *where, PyObject *name, PyObject *value) {
  if (PyWeakref_CheckRefExact(where)) {
    where = referent(where);
    if (where == Py_None)
      return true; // nothing leads to a function that is gone
  }
  PyObject *now = nullptr;
  if (isCell(where)) {
    now = contentsOf(where);
  } else if (name == Py_None) {
    return holdsStill(where, value);
  } else if (PyDict_CheckExact(where)) {
    now = PyDict_GetItemWithError(where, name);
    if (!now)
      PyErr_Clear();
  } else if (PyList_CheckExact(where)) {
    Py_ssize_t at = PyLong_AsSsize_t(name), size = NB_LIST_GET_SIZE(where);
    if (at == -1 && PyErr_Occurred())
      PyErr_Clear();
    at += at < 0 ? size : 0;
    if (at >= 0 && at < size)
      now = NB_LIST_GET_ITEM(where, at);
  } else {
    return attributeIsStill(where, name, value);
  }
  return now ? now == value : value == absent();
}

} // namespace

Py_ssize_t firstChanged(nb::list guards, Py_ssize_t start) {
  for (Py_ssize_t i = start, e = NB_LIST_GET_SIZE(guards.ptr()); i < e; ++i) {
    PyObject *guard = NB_LIST_GET_ITEM(guards.ptr(), i);
    if (!PyTuple_CheckExact(guard) || NB_TUPLE_GET_SIZE(guard) != 3)
      throw nb::type_error("a guard is a tuple (where, name, value)");
    if (!isStill(NB_TUPLE_GET_ITEM(guard, 0), NB_TUPLE_GET_ITEM(guard, 1),
                 NB_TUPLE_GET_ITEM(guard, 2)))
      return i;
  }
  return -1;
}

void bindGuards(nb::module_ &m) {
  m.attr("ABSENT") = nb::borrow(absent());
  m.def("first_changed", firstChanged, "guards"_a, "start"_a = 0,
        "The place of the first of the guards (where, name, value), from "
        "`start` on, whose name leads to another object than the value; -1 if "
        "there is none. `where` is a dict or list (name None: all of it, with "
        "its parts as a tuple), a closure cell (name None), an object with "
        "attributes, or a weak reference to one; the value ABSENT stands for "
        "a name that is not there.");
}

} // namespace cellgrad::python
