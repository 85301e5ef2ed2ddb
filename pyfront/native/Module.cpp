//===- Module.cpp - the native module cellgrad._native --------------------===//

#include "pyfront/native/Bindings.h"

NB_MODULE(_native, m) {
  m.doc() = "Graph builder, compiler and loader of cellgrad.";
  cellgrad::python::bindGraph(m);
  cellgrad::python::bindTensorBuffer(m);
  cellgrad::python::bindCompile(m);
  cellgrad::python::bindInterpret(m);
  cellgrad::python::bindModel(m);
  cellgrad::python::bindGuards(m);
  cellgrad::python::bindKnownCalls(m);
  cellgrad::python::bindComm(m);
}
