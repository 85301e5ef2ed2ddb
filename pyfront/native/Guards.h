//===- Guards.h - whether names still have the values they had ------------===//

#ifndef CELLGRAD_PYFRONT_GUARDS_H
#define CELLGRAD_PYFRONT_GUARDS_H

#include <nanobind/nanobind.h>

namespace cellgrad::python {

/// The value of a name that is not there; also what there is where nothing was
/// found.
PyObject *absent();

/// The place of the first guard from `start` on whose value is another object;
/// -1 if there is none.
Py_ssize_t firstChanged(nanobind::list guards, Py_ssize_t start);

} // namespace cellgrad::python

#endif
