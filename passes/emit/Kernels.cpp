//===- Kernels.cpp - the kernels of an entry in its signature -------------===//

#include "passes/emit/Signature.h"

#include "dialect/Refusal.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace cellgrad;

static std::string textOf(DictionaryAttr dict, StringRef key) {
  auto text = dict.getAs<StringAttr>(key);
  return text ? text.str() : std::string();
}

static int64_t numberOf(DictionaryAttr dict, StringRef key) {
  auto number = dict.getAs<IntegerAttr>(key);
  return number ? number.getInt() : 0;
}

FailureOr<std::vector<KernelSpec>> cellgrad::readKernels(Operation *function) {
  std::vector<KernelSpec> kernels;
  auto described = function->getAttrOfType<ArrayAttr>("cell.kernels");
  if (!described)
    return kernels;
  for (Attribute attr : described) {
    auto dict = dyn_cast<DictionaryAttr>(attr);
    auto places = dict ? dict.getAs<ArrayAttr>("places") : nullptr;
    if (!places || !llvm::all_of(places, llvm::IsaPred<DictionaryAttr>))
      return refuse(function, Blame::Form)
             << "cell.kernels: expected dictionaries, each with the array "
                "'places' of dictionaries";
    KernelSpec kernel;
    kernel.kernel = textOf(dict, "kernel");
    kernel.bytes = numberOf(dict, "bytes");
    kernel.operations = numberOf(dict, "operations");
    kernel.estimate = numberOf(dict, "estimate");
    auto isDouble = dict.getAs<BoolAttr>("double");
    kernel.isDouble = isDouble && isDouble.getValue();
    for (auto place : places.getAsRange<DictionaryAttr>())
      kernel.origins.push_back({textOf(place, "op"), textOf(place, "phase"),
                                textOf(place, "file"), textOf(place, "cell"),
                                numberOf(place, "line")});
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

llvm::json::Array cellgrad::toJSON(const std::vector<KernelSpec> &kernels) {
  llvm::json::Array array;
  for (const KernelSpec &kernel : kernels) {
    llvm::json::Array origins;
    for (const KernelSpec::Origin &origin : kernel.origins)
      origins.push_back(llvm::json::Object{{"op", origin.op},
                                           {"phase", origin.phase},
                                           {"file", origin.file},
                                           {"line", origin.line},
                                           {"cell", origin.cell}});
    array.push_back(llvm::json::Object{{"kernel", kernel.kernel},
                                       {"bytes", kernel.bytes},
                                       {"operations", kernel.operations},
                                       {"estimate", kernel.estimate},
                                       {"double", kernel.isDouble},
                                       {"origins", std::move(origins)}});
  }
  return array;
}
