//===- Module.cpp - the ES module of a model in WebAssembly ---------------===//

#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;

namespace {
/// `text` as a string of JavaScript, which JSON's are, too.
llvm::json::Value quoted(llvm::StringRef text) {
  return llvm::json::Value(llvm::json::fixUTF8(text));
}

void describe(llvm::raw_ostream &os, const TensorSpec &spec) {
  os << "//   " << quoted(spec.name) << ": " << spec.dtype->name << "["
     << llvm::join(llvm::map_range(spec.shape,
                                   [](int64_t n) {
                                     return n == kBatchExtent
                                                ? std::string("batch")
                                                : std::to_string(n);
                                   }),
                   ", ")
     << "], " << spec.role << (spec.donate ? ", updated in place" : "") << "\n";
}
} // namespace

std::string cellgrad::makeModule(const ModelSpec &model, llvm::StringRef wasm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// The model " << quoted(model.name)
     << " in WebAssembly, compiled by cellgrad " CELLGRAD_VERSION
        "; do not edit.\n//\n"
     << "//   const model = await load();\n"
     << "//   const results = model.entries." << model.entries.front().name
     << "({ name: array, ... });\n";
  for (const EntrySpec &entry : model.entries) {
    os << "//\n// Entry " << quoted(entry.name) << ":\n";
    for (const TensorSpec &arg : entry.args)
      if (!arg.isBatch())
        describe(os, arg);
    for (const TensorSpec &result : entry.results)
      if (!result.donatedArg)
        describe(os, result);
  }
  os << "\nconst modelName = " << quoted(model.name) << ";\n"
     << "const wasmFile = " << quoted(wasm) << ";\n"
     << moduleText();
  return text;
}
