//===- InterpretBindings.cpp - the reference interpreter in Python --------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Graph.h"
#include "pyfront/native/TensorBuffer.h"
#include "pyfront/native/Types.h"

#include "passes/autodiff/Passes.h"
#include "tools/interp/Interpreter.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace mlir;
using namespace nb::literals;

namespace cellgrad::python {
namespace {

/// The bits of element `i`, which has `bytes` bytes.
uint64_t loadBits(const void *data, int64_t i, unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + i * bytes, bytes);
  return bits;
}

void storeBits(void *data, int64_t i, unsigned bytes, uint64_t bits) {
  std::memcpy(static_cast<char *>(data) + i * bytes, &bits, bytes);
}

interp::Tensor toInterpreter(const TensorBuffer &buffer, Graph &graph) {
  interp::Tensor tensor(
      graph.type({buffer.dtype().name, buffer.shape().vec()}));
  unsigned bytes = buffer.dtype().bytes;
  const void *data = buffer.read();
  auto type = dyn_cast<FloatType>(tensor.getElementType());
  for (int64_t i = 0, n = tensor.size(); i < n; ++i) {
    uint64_t bits = loadBits(data, i, bytes);
    if (!type) {
      tensor.setInt(i, static_cast<int64_t>(bits)); // wraps and extends
      continue;
    }
    llvm::APFloat value(type.getFloatSemantics(),
                        llvm::APInt(type.getWidth(), bits));
    bool lost;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
    tensor.setFloat(i, value.convertToDouble());
  }
  return tensor;
}

TensorBuffer fromInterpreter(const interp::Tensor &tensor) {
  const DTypeInfo *dtype = lookupDType(elementName(tensor.getElementType()));
  TensorBuffer buffer(*dtype, TensorBuffer::Shape(tensor.getShape()));
  auto type = dyn_cast<FloatType>(tensor.getElementType());
  for (int64_t i = 0, n = tensor.size(); i < n; ++i) {
    uint64_t bits;
    if (type) {
      llvm::APFloat value(tensor.getFloat(i));
      bool lost;
      value.convert(type.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &lost);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      bits = static_cast<uint64_t>(tensor.getInt(i));
    }
    storeBits(buffer.data(), i, dtype->bytes, bits);
  }
  return buffer;
}

nb::list interpretGraph(std::shared_ptr<Graph> graph, const std::string &entry,
                        const nb::list &args, double rounding,
                        bool skipPadding) {
  SmallVector<interp::Tensor> values;
  for (nb::handle arg : args)
    values.push_back(
        toInterpreter(nb::cast<const TensorBuffer &>(arg), *graph));
  DiagnosticText diagnostics(graph->context());
  OwningOpRef<ModuleOp> module(graph->module().clone());
  PassManager passes(graph->context(), ModuleOp::getOperationName());
  passes.addPass(createDifferentiatePass());
  if (failed(passes.run(*module)))
    throw GraphError(diagnostics.text());
  auto func = module->lookupSymbol<func::FuncOp>(entry);
  if (!func)
    throw GraphError("the graph has no function '" + entry + "'");
  std::string printed;
  llvm::raw_string_ostream os(printed);
  auto results = interp::interpret(func, values, os, {rounding, skipPadding});
  if (failed(results))
    throw GraphError(diagnostics.text());
  nb::list out;
  for (const interp::Tensor &result : *results)
    out.append(wrapBuffer(fromInterpreter(result)));
  return out;
}

} // namespace

void bindInterpret(nb::module_ &m) {
  m.def(
      "interpret", interpretGraph, "graph"_a, "entry"_a, "args"_a,
      "rounding"_a = 0.0, "skip_padding"_a = false,
      "Results of function `entry` by the reference interpreter, which shares "
      "nothing with the compiled path: the oracle of the fuzzer. `args` and "
      "the results are TensorBuffers. `rounding` moves what each op rounds by "
      "up to that much, relatively; with `skip_padding` convolutions do not "
      "multiply the zeros of a padding. Raises GraphError.");
}

} // namespace cellgrad::python
