//===- Arguments.cpp - what the interpreter is called with ----------------===//

#include "tools/interp/Arguments.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;

namespace cellgrad::interp {

FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  SmallVector<func::FuncOp> found;
  for (func::FuncOp func : functions)
    if (name.empty() ? func.isPublic() : func.getName() == name)
      found.push_back(func);
  if (found.size() == 1)
    return found[0];

  InFlightDiagnostic error = module.emitError();
  if (!name.empty())
    error << "no function '" << name << "'";
  else
    error << found.size() << " public functions; name one with --entry";
  if (functions.empty())
    return error << "; the module has none";
  error << "; the module has ";
  llvm::interleaveComma(functions, error, [&](func::FuncOp func) {
    error << "'" << func.getName() << "'";
  });
  return error;
}

Tensor randomTensor(RankedTensorType type, uint64_t seed) {
  std::mt19937_64 engine(seed);
  Tensor tensor(type);
  for (int64_t i = 0, e = tensor.size(); i < e; ++i) {
    uint64_t bits = engine();
    if (tensor.isFloat())
      tensor.setFloat(i, static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    else
      tensor.setInt(i, static_cast<int64_t>(bits >> 60) - 8);
  }
  return tensor;
}

/// The tensor `attr` spells for argument `index` of `func`.
static FailureOr<Tensor> toTensor(func::FuncOp func, unsigned index,
                                  Attribute attr) {
  Type wanted = func.getArgumentTypes()[index];
  auto elements = dyn_cast<ElementsAttr>(attr);
  if (!elements || elements.getType() != wanted)
    return func.emitOpError("takes ") << wanted << " as argument " << index
                                      << ", but " << attr << " is given";
  FailureOr<Tensor> tensor = Tensor::fromAttribute(elements);
  if (failed(tensor))
    return func.emitOpError("cannot take ") << attr << " as argument " << index;
  return tensor;
}

static FailureOr<Tensor> readArgument(func::FuncOp func, unsigned index,
                                      ArrayRef<std::string> texts,
                                      std::optional<uint64_t> seed) {
  Type wanted = func.getArgumentTypes()[index];
  if (!Tensor::canHold(wanted))
    return func.emitOpError("takes ")
           << wanted << " as argument " << index
           << "; the interpreter takes tensors of static shape, of numbers of "
              "at most 64 bits, and of at most 2^28 elements";
  if (index < texts.size()) {
    // The parser reports its own errors.
    Attribute attr = parseAttribute(texts[index], func.getContext());
    if (!attr)
      return failure();
    return toTensor(func, index, attr);
  }
  if (Attribute example = func.getArgAttr(index, "cell.example"))
    return toTensor(func, index, example);
  if (seed)
    return randomTensor(cast<RankedTensorType>(wanted), *seed + index);
  return func.emitOpError("gets no value for argument ")
         << index << ", a " << wanted
         << "; give --arg, a cell.example attribute or --seed";
}

FailureOr<SmallVector<Tensor>> readArguments(func::FuncOp func,
                                             ArrayRef<std::string> texts,
                                             std::optional<uint64_t> seed) {
  if (texts.size() > func.getNumArguments())
    return func.emitOpError("takes ")
           << func.getNumArguments() << " arguments, but " << texts.size()
           << " are given";
  SmallVector<Tensor> args;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    FailureOr<Tensor> arg = readArgument(func, i, texts, seed);
    if (failed(arg))
      return failure();
    args.push_back(std::move(*arg));
  }
  return args;
}

} // namespace cellgrad::interp
