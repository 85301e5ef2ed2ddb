//===- Types.cpp - dtypes, diagnostics and op arity -----------------------===//

#include "pyfront/native/Types.h"
#include "pyfront/native/Graph.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace cellgrad::python {

Type elementType(MLIRContext *context, const std::string &name) {
  Builder b(context);
  if (name == "bool")
    return b.getI1Type();
  if (name == "int8")
    return b.getI8Type();
  if (name == "int16")
    return b.getI16Type();
  if (name == "int32")
    return b.getI32Type();
  if (name == "int64")
    return b.getI64Type();
  for (unsigned width : {8, 16, 32, 64})
    if (name == "uint" + std::to_string(width))
      return b.getIntegerType(width, /*isSigned=*/false);
  if (name == "float16")
    return b.getF16Type();
  if (name == "bfloat16")
    return b.getBF16Type();
  if (name == "float32")
    return b.getF32Type();
  if (name == "float64")
    return b.getF64Type();
  throw GraphError(
      "dtype '" + name +
      "' is not supported; use bool, int8 to int64, uint8 to uint64, float16, "
      "bfloat16, float32 or float64");
}

std::string elementName(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (type.isBF16())
    return "bfloat16";
  return (isa<FloatType>(type)       ? "float"
          : type.isUnsignedInteger() ? "uint"
                                     : "int") +
         std::to_string(type.getIntOrFloatBitWidth());
}

size_t elementBytes(Type type) {
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

const OpSignature *lookupSignature(const std::string &name) {
  static const llvm::StringMap<OpSignature> table = {
#include "dialect/Signatures.inc"
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (!collected.empty())
          collected += "\n";
        collected += diagnostic.str();
        for (Diagnostic &note : diagnostic.getNotes())
          if (!StringRef(note.str()).starts_with("see current operation"))
            collected += "\n  note: " + note.str();
        return success();
      }) {}

} // namespace cellgrad::python
