//===- MemoryReport.cpp - what is in memory when most is ------------------===//

#include "passes/MemoryReport.h"

#include "passes/emit/Signature.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/PeakMemory.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

namespace {

std::string dtypeOf(Type element) {
  if (element.isInteger(1))
    return "bool";
  if (element.isBF16())
    return "bfloat16";
  std::string width = std::to_string(element.getIntOrFloatBitWidth());
  if (isa<FloatType>(element))
    return "float" + width;
  return (element.isUnsignedInteger() ? "uint" : "int") + width;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

/// The report of one entry.
class Writer {
public:
  Writer(func::FuncOp function, const EntrySpec &entry)
      : function(function), entry(entry) {}

  llvm::json::Object write() {
    int64_t arguments = 0, parameters = 0, results = 0;
    for (const TensorSpec &arg : entry.args)
      (arg.role == "input" ? arguments : parameters) += arg.bytes();
    for (const TensorSpec &result : entry.results)
      results += result.donatedArg ? 0 : result.bytes();
    int64_t arena = bytesOf("cell.arena_bytes"), thread = bytesOf(kWorkerBytes);
    auto memory = function->getAttrOfType<DictionaryAttr>(kMemory);
    int64_t alive = memory.getAs<IntegerAttr>("peak").getInt();
    bool grows =
        function.walk([](StashEmptyOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    int64_t peak = arguments + parameters + results + arena;
    text << llvm::formatv("@{0}: {1} bytes at the peak, on one thread\n",
                          entry.name, peak);
    line(arguments, "arguments");
    line(parameters, "Parameters and states");
    line(results, "results that are not written in place");
    line(arena, "arena, of which " + std::to_string(alive) +
                    " bytes are needed at the same time");
    if (thread != 0)
      line(thread, "arena, for each further thread");
    if (grows)
      text << "  and what loops of unknown length keep for their gradient\n";
    auto values = memory.getAs<ArrayAttr>("alive");
    if (!values.empty())
      text << "In the arena then:\n";
    llvm::json::Array described;
    for (auto value : values.getAsRange<DictionaryAttr>())
      described.push_back(describe(value));
    text.flush();
    return llvm::json::Object{
        {"name", entry.name},
        {"peak", peak},
        {"arguments", arguments},
        {"parameters", parameters},
        {"results", results},
        {"arena", arena},
        {"thread", thread},
        {"alive", alive},
        {"temporaries", memory.getAs<IntegerAttr>("temporaries").getInt()},
        {"grows", grows},
        {"values", std::move(described)},
        {"text", words}};
  }

private:
  int64_t bytesOf(llvm::StringRef name) {
    auto bytes = function->getAttrOfType<IntegerAttr>(name);
    return bytes ? bytes.getInt() : 0;
  }

  void line(int64_t bytes, const std::string &what) {
    text << llvm::format("%14lld", static_cast<long long>(bytes)) << "  "
         << what << "\n";
  }

  llvm::json::Object describe(DictionaryAttr value) {
    auto place = value.getAs<DictionaryAttr>("place");
    auto word = [&](llvm::StringRef key) {
      return place.getAs<StringAttr>(key).getValue();
    };
    auto type = cast<MemRefType>(value.getAs<TypeAttr>("type").getValue());
    // What functions of several ops need has no type of the program's.
    bool isScratch = type.getElementType().isInteger(8) && word("op").empty();
    std::string dtype = dtypeOf(type.getElementType());
    int64_t bytes = value.getAs<IntegerAttr>("bytes").getInt();
    int64_t lineNumber = place.getAs<IntegerAttr>("line").getInt();
    std::string what =
        isScratch ? "scratch of kernels" : dtype + shapeText(type.getShape());
    if (!word("op").empty())
      what += llvm::formatv(
          "  {0}{1}", word("op"),
          word("phase") == "forward" ? "" : " (" + word("phase").str() + ")");
    if (!word("file").empty())
      what += llvm::formatv(
          "  {0}:{1}", llvm::sys::path::filename(word("file")), lineNumber);
    if (!word("cell").empty())
      what += "  " + word("cell").str();
    line(bytes, what);
    return llvm::json::Object{
        {"bytes", bytes},
        {"offset", value.getAs<IntegerAttr>("offset").getInt()},
        {"dtype", dtype},
        {"shape", llvm::json::Array(type.getShape())},
        {"op", word("op")},
        {"phase", word("phase")},
        {"file", word("file")},
        {"line", lineNumber},
        {"cell", word("cell")}};
  }

  func::FuncOp function;
  const EntrySpec &entry;
  std::string words;
  llvm::raw_string_ostream text{words};
};
} // namespace

llvm::StringMap<Work> cellgrad::workOfEntries(ModuleOp module) {
  llvm::StringMap<Work> sums;
  for (auto entry : module.getOps<func::FuncOp>()) {
    if (entry.isPrivate() || entry.isDeclaration())
      continue;
    Work &sum = sums[entry.getSymName()];
    for (const Kernel &kernel : kernelsOf(entry)) {
      sum.bytes += kernel.times * kernel.work.bytes;
      sum.operations += kernel.times * kernel.work.operations;
      sum.nanoseconds += kernel.times * kernel.work.nanoseconds;
    }
  }
  return sums;
}

FailureOr<llvm::json::Value>
cellgrad::reportMemory(ModuleOp module, const llvm::StringMap<Work> &work) {
  llvm::json::Array entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || !function->hasAttr(kMemory))
      continue;
    auto entry = readEntry(function, function.getSymName());
    if (failed(entry))
      return failure();
    llvm::json::Object report = Writer(function, *entry).write();
    Work sum = work.lookup(function.getSymName());
    report["operations"] = int64_t(sum.operations);
    report["nanoseconds"] = int64_t(sum.nanoseconds);
    entries.push_back(std::move(report));
  }
  return llvm::json::Value(llvm::json::Object{{"entries", std::move(entries)}});
}

std::string cellgrad::textOf(const llvm::json::Value &report) {
  std::string text;
  for (const llvm::json::Value &entry :
       *report.getAsObject()->getArray("entries"))
    text += entry.getAsObject()->getString("text")->str();
  return text;
}
