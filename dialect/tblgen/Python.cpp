//===- Python.cpp - Python wrappers of the elementwise ops ----------------===//

#include "dialect/tblgen/Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace cellgrad::tblgen;

namespace {

bool takesOnly(const OpRecord &r, StringRef constraint) {
  return llvm::all_of(r.op.getOperands(), [&](auto &operand) {
    return operand.constraint.getDefName() == constraint;
  });
}

/// The helper of cellgrad.ops._elementwise that promotes, broadcasts and
/// records.
StringRef helperOf(const OpRecord &r) {
  bool unary = r.op.getNumOperands() == 1;
  if (takesOnly(r, "Cell_BoolTensor"))
    return "logical";
  if (r.op.getResult(0).constraint.getDefName() == "Cell_BoolTensor")
    return unary ? "predicate" : "compare";
  return unary ? "unary" : "binary";
}

void emitExample(const OpRecord &r, StringRef indent, raw_ostream &os) {
  os << "\n" << indent << ">>> print(ops." << r.function << "(";
  llvm::interleaveComma(r.given, os, [&](StringRef elements) {
    os << "Tensor(" << elements << ")";
  });
  os << "))\n" << indent << r.shown << "\n";
}

void emitDocstring(const OpRecord &r, StringRef indent, raw_ostream &os) {
  os << indent << "\"\"\"" << r.op.getSummary() << ".\n\n"
     << indent << "Args:\n";
  bool floats = takesOnly(r, "Cell_FloatTensor");
  bool bools = takesOnly(r, "Cell_BoolTensor");
  for (StringRef arg : r.pythonArgs)
    os << indent << "    " << arg << ": Tensor or number of any shape, "
       << (bools    ? "bool"
           : floats ? "floating point (integers are converted to float32)"
                    : "any dtype")
       << (r.pythonArgs.size() > 1 ? "; broadcast with the other.\n" : ".\n");
  os << "\n"
     << indent << "Returns:\n"
     << indent << "    Tensor of the "
     << (r.pythonArgs.size() > 1 ? "broadcast shape" : "same shape")
     << (r.op.getResult(0).constraint.getDefName() == "Cell_BoolTensor"
             ? ", dtype bool.\n"
             : ".\n");
  if (!r.subgradient.empty())
    os << "\n" << indent << "The derivative is " << r.subgradient << ".\n";
  os << "\n"
     << indent << "Raises:\n"
     << indent
     << "    TypeError: if an argument is neither Tensor nor number, or has an "
        "unsupported dtype.\n";
  if (r.pythonArgs.size() > 1)
    os << indent << "    ValueError: if the shapes cannot be broadcast.\n";
  emitExample(r, indent, os);
  os << indent << "\"\"\"\n";
}

/// The row of the function: its class form and the others.
void emitForms(const OpRecord &r, raw_ostream &os) {
  SmallVector<std::string> forms;
  if (!r.className.empty())
    forms.push_back("ops." + r.className.str());
  for (StringRef form : r.forms)
    forms.push_back(form.str());
  os << "@public(";
  llvm::interleaveComma(forms, os, [&](StringRef form) {
    os << '"';
    llvm::printEscapedString(form, os);
    os << '"';
  });
  os << ")\n";
}

bool emitModule(const RecordKeeper &records, raw_ostream &os) {
  os << "\"\"\"Elementwise operations, made from the op records; do not "
        "edit.\"\"\"\n\n"
     << "from cellgrad.core.tensor import Tensor\n"
     << "from cellgrad.ops import _elementwise\n"
     << "from cellgrad.ops._elementwise import TensorLike\n"
     << "from cellgrad.ops._public import public\n";
  for (const OpRecord &r : readOps(records)) {
    if (r.function.empty())
      continue;
    std::string params, args;
    for (StringRef arg : r.pythonArgs) {
      params += (params.empty() ? "" : ", ") + arg.str() + ": TensorLike";
      args += ", " + arg.str();
    }
    StringRef helper = helperOf(r);
    os << "\n\n";
    emitForms(r, os);
    os << "def " << r.function << "(" << params << ") -> Tensor:\n";
    emitDocstring(r, "    ", os);
    os << "    return _elementwise." << helper << "(\""
       << r.op.getOperationName() << "\"" << args;
    if ((helper == "unary" || helper == "binary") &&
        takesOnly(r, "Cell_FloatTensor"))
      os << ", floating=True";
    os << ")\n";
  }
  return false;
}

mlir::GenRegistration python("gen-cell-python",
                             "Python module of elementwise functions",
                             emitModule);

} // namespace
