//===- Types.h - dtypes, diagnostics and op arity for the native module ---===//

#ifndef CELLGRAD_PYFRONT_TYPES_H
#define CELLGRAD_PYFRONT_TYPES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"

#include <string>
#include <vector>

namespace cellgrad::python {

/// Element type of the dtype called `name` ("float32"); throws GraphError for
/// others.
mlir::Type elementType(mlir::MLIRContext *context, const std::string &name);

/// The Python name of an element type.
std::string elementName(mlir::Type type);

/// Bytes of one element in memory; a bool takes one.
size_t elementBytes(mlir::Type type);

/// What an op must be given before its types can be inferred.
struct OpSignature {
  int operands; // -1 where the number varies
  std::vector<const char *> attributes;
};

/// Signature of the cell op called `name`, or null.
const OpSignature *lookupSignature(const std::string &name);

/// Collects the diagnostics of its lifetime as text, instead of printing them.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);
  const std::string &text() const { return collected; }

private:
  std::string collected;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace cellgrad::python

#endif
