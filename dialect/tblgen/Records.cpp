//===- Records.cpp - the op records cell-tblgen reads ---------------------===//

#include "dialect/tblgen/Records.h"

#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace cellgrad::tblgen {

OpRecord::OpRecord(const Record &def) : def(def), op(def) {
  if (def.isValueUnset("derivative"))
    PrintFatalError(
        def.getLoc(),
        "cell." + op.getOperationName().substr(5) +
            " says nothing about its derivative; set 'derivative' to VJP, "
            "Linear, Multilinear, Custom, ZeroDerivative or "
            "NotDifferentiable");
  const Record *d = def.getValueAsDef("derivative");
  kind = d->getValueAsString("kind");
  vjp = d->getValueAsListOfStrings("vjp");
  jvp = d->getValueAsString("jvp");
  why = d->getValueAsString("why");
  reads = d->getValueAsListOfStrings("reads");
  subgradient = def.getValueAsString("subgradient");
  const Record *b = def.getValueAsDef("batch");
  batch = b->getValueAsString("kind");
  batchDims = b->getValueAsListOfStrings("dims");
  const Record *s = def.getValueAsDef("scalar");
  eval = s->getValueAsString("eval");
  floats = s->getValueAsString("floats");
  ints = s->getValueAsString("ints");
  const Record *p = def.getValueAsDef("python");
  function = p->getValueAsString("function");
  className = p->getValueAsString("className");
  pythonArgs = p->getValueAsListOfStrings("args");
  forms = def.getValueAsListOfStrings("forms");
  const Record *e = def.getValueAsDef("example");
  given = e->getValueAsListOfStrings("given");
  shown = e->getValueAsString("shown");

  bool hasTerms = kind == "vjp" || kind == "linear" || kind == "multilinear";
  if (hasTerms && static_cast<int>(vjp.size()) != op.getNumOperands())
    PrintFatalError(def.getLoc(), "the derivative has " + Twine(vjp.size()) +
                                      " expressions for " +
                                      Twine(op.getNumOperands()) + " operands");
  if (kind == "vjp" && jvp.empty() && !isElementwise())
    PrintFatalError(def.getLoc(),
                    "an op that is not elementwise gives its JVP");
  auto isNamed = [](StringRef name) {
    return [name](const auto &value) { return value.name == name; };
  };
  for (StringRef name : reads)
    if (llvm::none_of(op.getOperands(), isNamed(name)) &&
        llvm::none_of(op.getResults(), isNamed(name)))
      PrintFatalError(def.getLoc(), "the derivative reads '" + name +
                                        "', which is no operand or result");
  if (isElementwise() && floats.empty() && ints.empty())
    PrintFatalError(def.getLoc(), "an elementwise op gives its scalar body");
  if (!function.empty() &&
      static_cast<int>(pythonArgs.size()) != op.getNumOperands())
    PrintFatalError(def.getLoc(), "python names " + Twine(pythonArgs.size()) +
                                      " arguments for " +
                                      Twine(op.getNumOperands()) + " operands");
  if (function.empty() && !forms.empty())
    PrintFatalError(def.getLoc(), "forms of no function; name it in 'python'");
  if (!function.empty() && given.size() != pythonArgs.size())
    PrintFatalError(def.getLoc(), "an op with a function of Python gives an "
                                  "example with " +
                                      Twine(pythonArgs.size()) + " arguments");
}

bool OpRecord::isElementwise() const {
  return op.getTrait("::mlir::OpTrait::Elementwise") != nullptr;
}

bool OpRecord::isStructured() const {
  return !op.getTrait("::cellgrad::ScalarOpInterface::Trait") &&
         !op.getTrait("::mlir::OpTrait::ConstantLike") &&
         !op.getTrait("::cellgrad::Collective") && op.getNumResults() > 0;
}

StringRef OpRecord::mnemonic() const { return def.getValueAsString("opName"); }

std::vector<OpRecord> readOps(const RecordKeeper &records) {
  std::vector<const Record *> defs =
      records.getAllDerivedDefinitions("Cell_Op");
  llvm::sort(defs, [](const Record *a, const Record *b) {
    return a->getValueAsString("opName") < b->getValueAsString("opName");
  });
  std::vector<OpRecord> ops;
  ops.reserve(defs.size());
  for (const Record *def : defs)
    ops.emplace_back(*def);
  return ops;
}

} // namespace cellgrad::tblgen
