//===- Bindings.h - the parts of the native module ------------------------===//

#ifndef CELLGRAD_PYFRONT_BINDINGS_H
#define CELLGRAD_PYFRONT_BINDINGS_H

#include <nanobind/nanobind.h>

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
} // namespace cellgrad::python

#endif
