//===- Bindings.h - the parts of the native module ------------------------===//

#ifndef CELLGRAD_PYFRONT_BINDINGS_H
#define CELLGRAD_PYFRONT_BINDINGS_H

#include <nanobind/nanobind.h>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cellgrad::python {
/// Graph, FunctionBuilder, Value, Loc, GraphError.
void bindGraph(nanobind::module_ &m);
/// TensorBuffer.
void bindTensorBuffer(nanobind::module_ &m);
/// compile_text, compile_graph, CompileError.
void bindCompile(nanobind::module_ &m);
/// interpret.
void bindInterpret(nanobind::module_ &m);
/// Model, Entry, ModelError, the print hook.
void bindModel(nanobind::module_ &m);
/// Communicator, set_communicator.
void bindComm(nanobind::module_ &m);
/// first_changed, ABSENT.
void bindGuards(nanobind::module_ &m);
/// Made, call_known and what it needs to know.
void bindKnownCalls(nanobind::module_ &m);

/// What `body` gives, or null and Python's error where it throws: for functions
/// that Python calls without nanobind.
PyObject *withErrors(llvm::function_ref<nanobind::object()> body);
} // namespace cellgrad::python

#endif
