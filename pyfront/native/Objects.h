//===- Objects.h - Python's own objects, with and without its stable ABI
//----===//
//
// A wheel for Python 3.12 and later is built against the stable ABI, where the
// macros that read tuples, lists, methods and cells do not exist. Everything
// that reads such objects does it by these names: nanobind's where it has them,
// those below otherwise. Each of them gives a borrowed reference.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PYFRONT_NATIVE_OBJECTS_H
#define CELLGRAD_PYFRONT_NATIVE_OBJECTS_H

#include <nanobind/nanobind.h>

#ifndef Py_LIMITED_API
#include <structmember.h> // PyMemberDef
#include <utility>
#endif

namespace cellgrad::python {

#ifdef Py_LIMITED_API

/// An attribute that its object holds for as long as it lives; null if there is
/// none.
inline PyObject *heldAttribute(PyObject *object, const char *name) {
  PyObject *found = PyObject_GetAttrString(object, name);
  if (!found)
    PyErr_Clear();
  Py_XDECREF(found);
  return found;
}

/// The type that the standard library's `types` knows by a name.
inline PyObject *typeNamed(const char *name) {
  nanobind::object module = nanobind::module_::import_("types");
  return nanobind::object(module.attr(name)).release().ptr();
}

inline bool isMethod(PyObject *object) {
  static PyObject *type = typeNamed("MethodType");
  return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type;
}

inline bool isCell(PyObject *object) {
  static PyObject *type = typeNamed("CellType");
  return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type;
}

inline PyObject *functionOf(PyObject *method) {
  return heldAttribute(method, "__func__");
}

inline PyObject *selfOf(PyObject *method) {
  return heldAttribute(method, "__self__");
}

/// What a closure's cell holds; null if it is empty.
inline PyObject *contentsOf(PyObject *cell) {
  return heldAttribute(cell, "cell_contents");
}

inline PyObject *referent(PyObject *weak) { return PyWeakref_GetObject(weak); }

/// A slot (`__slots__`) of a class, for its instances.
class Slot {
public:
  Slot() = default;
  Slot(PyObject *, const char *name) : name(PyUnicode_InternFromString(name)) {}
  /// Null if it is not set.
  PyObject *get(PyObject *object) const {
    PyObject *found = PyObject_GetAttr(object, name);
    if (!found)
      PyErr_Clear();
    Py_XDECREF(found);
    return found;
  }
  void set(PyObject *object, PyObject *value) const {
    if (PyObject_SetAttr(object, name, value) != 0)
      throw nanobind::python_error();
  }

private:
  PyObject *name = nullptr;
};

#else

inline bool isMethod(PyObject *object) { return PyMethod_Check(object); }

inline bool isCell(PyObject *object) { return PyCell_Check(object); }

inline PyObject *functionOf(PyObject *method) {
  return PyMethod_GET_FUNCTION(method);
}

inline PyObject *selfOf(PyObject *method) { return PyMethod_GET_SELF(method); }

inline PyObject *contentsOf(PyObject *cell) { return PyCell_GET(cell); }

inline PyObject *referent(PyObject *weak) { return PyWeakref_GET_OBJECT(weak); }

/// A slot (`__slots__`) of a class, for its instances.
class Slot {
public:
  Slot() = default;
  Slot(PyObject *type, const char *name) {
    nanobind::object found = nanobind::handle(type).attr(name);
    if (Py_TYPE(found.ptr()) != &PyMemberDescr_Type)
      throw nanobind::type_error("the class has no such slot");
    offset =
        reinterpret_cast<PyMemberDescrObject *>(found.ptr())->d_member->offset;
  }
  /// Null if it is not set.
  PyObject *get(PyObject *object) const { return place(object); }
  void set(PyObject *object, PyObject *value) const {
    PyObject *old = std::exchange(place(object), Py_NewRef(value));
    Py_XDECREF(old);
  }

private:
  PyObject *&place(PyObject *object) const {
    return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) +
                                          offset);
  }
  Py_ssize_t offset = 0;
};

#endif

} // namespace cellgrad::python

#endif // CELLGRAD_PYFRONT_NATIVE_OBJECTS_H
