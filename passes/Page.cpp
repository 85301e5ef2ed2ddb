//===- Page.cpp - a program through all stages, to look at ----------------===//

#include "passes/Page.h"

#include "passes/PageText.h"
#include "passes/lower/buffers/KernelWork.h"
#include "passes/lower/buffers/PeakMemory.h"
#include "passes/lower/buffers/Places.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace cellgrad;
using llvm::StringRef;

namespace {
constexpr size_t kMostLetters = 400;    ///< of a line
constexpr size_t kMostLines = 4000;     ///< of a stage, for a browser's sake
constexpr size_t kMostOps = 400;        ///< of a graph
constexpr size_t kMostSource = 4 << 20; ///< bytes of a file of the user's

/// What a stage is called that a pass ends; empty for the others.
StringRef stageAfter(StringRef pass) {
  return llvm::StringSwitch<StringRef>(pass)
      .Case("cell-name-ops", "differentiated")
      .Case("cell-to-linalg", "linalg on tensors")
      .Case("cell-fuse-linalg", "fused")
      .Case("one-shot-bufferize", "buffers")
      .Case("cell-join-ops", "kernels")
      .Case("cell-emit-loops", "loops over vectors")
      .Case("cell-plan-memory", "memory placed")
      .Default("");
}

std::string text(Type type) {
  std::string out;
  llvm::raw_string_ostream(out) << type;
  return out;
}

/// JSON needs UTF-8, and names of the user's may be anything.
std::string clean(StringRef given) { return llvm::json::fixUTF8(given); }
} // namespace

/// Notes stages, kernels and memory as passes end.
class cellgrad::PageWatcher : public PassInstrumentation {
public:
  explicit PageWatcher(PageNotes &notes) : notes(notes) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "cell-outline-kernels")
      notes.addKernels(cast<ModuleOp>(op));
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    StringRef stage = stageAfter(name);
    auto module = dyn_cast<ModuleOp>(op);
    if (!module) // a pass on functions: what the last of them leaves is shown
      module = op->getParentOfType<ModuleOp>();
    if (stage.empty())
      return;
    notes.addStage(stage, module);
    if (name == "cell-name-ops")
      notes.addGraph(module);
    if (name == "cell-plan-memory")
      notes.addMemory(module);
  }

private:
  PageNotes &notes;
};

PageNotes::PageNotes(ModuleOp module) { addStage("captured", module); }

std::unique_ptr<PassInstrumentation> PageNotes::watch() {
  return std::make_unique<PageWatcher>(*this);
}

/// The number of a place in `places`, -1 where a location names no file.
int64_t PageNotes::numberOf(Location location) {
  auto found = placesOf(location);
  if (found.empty())
    return -1;
  const Place &place = found.front();
  std::string key = place.file + "\n" + std::to_string(place.line) + "\n" +
                    place.phase + "\n" + place.op + "\n" + place.cell;
  auto [at, isNew] = numbers.try_emplace(key, places.size());
  if (isNew) {
    places.push_back(llvm::json::Object{{"file", clean(place.file)},
                                        {"line", place.line},
                                        {"phase", place.phase},
                                        {"op", place.op},
                                        {"cell", clean(place.cell)}});
    if (!sources.get(clean(place.file))) {
      auto buffer = llvm::MemoryBuffer::getFile(place.file, /*IsText=*/true);
      bool shown = buffer && (*buffer)->getBufferSize() <= kMostSource;
      sources[clean(place.file)] =
          shown ? clean((*buffer)->getBuffer()) : std::string();
    }
  }
  return at->second;
}

void PageNotes::addStage(StringRef name, ModuleOp module) {
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).useLocalScope();
  AsmState::LocationMap where;
  AsmState state(module, flags, &where);
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os, state);
  llvm::DenseMap<unsigned, int64_t> byLine;
  for (auto [op, at] : where)
    if (!isa<ModuleOp, func::FuncOp>(op))
      byLine.try_emplace(at.first, numberOf(op->getLoc()));
  llvm::SmallVector<StringRef> lines;
  StringRef(printed).split(lines, '\n');
  llvm::json::Array shown;
  for (auto [i, line] : llvm::enumerate(lines)) {
    if (i == kMostLines) {
      shown.push_back(llvm::json::Array{
          "... " + std::to_string(lines.size() - i) + " more lines", -1});
      break;
    }
    auto place = byLine.find(i + 1);
    shown.push_back(
        llvm::json::Array{clean(line.take_front(kMostLetters)) +
                              (line.size() > kMostLetters ? " ..." : ""),
                          place == byLine.end() ? -1 : place->second});
  }
  if (!stages.empty() && stages.back().getAsObject()->getString("name") == name)
    stages.pop_back();
  stages.push_back(
      llvm::json::Object{{"name", name}, {"lines", std::move(shown)}});
}

/// The ops of the entries in order, each with those whose results it takes; the
/// arguments come first.
void PageNotes::addGraph(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    llvm::json::Array nodes;
    llvm::DenseMap<Value, int64_t> made;
    for (auto [i, arg] : llvm::enumerate(function.getArguments())) {
      auto name = function.getArgAttrOfType<StringAttr>(i, "cell.name");
      made[arg] = nodes.size();
      nodes.push_back(
          llvm::json::Object{{"op", name ? clean(name.getValue()) : "argument"},
                             {"type", text(arg.getType())},
                             {"place", -1},
                             {"of", llvm::json::Array{}}});
    }
    for (Operation &op : function.getBody().front()) {
      if (nodes.size() >= kMostOps)
        break;
      llvm::json::Array of;
      llvm::SmallVector<Value> taken(op.getOperands());
      for (Region &region : op.getRegions())
        region.walk([&](Operation *inner) {
          llvm::append_range(taken, inner->getOperands());
        });
      for (Value value : taken)
        if (auto from = made.find(value);
            from != made.end() && !llvm::is_contained(of, from->second))
          of.push_back(from->second);
      for (Value result : op.getResults())
        made[result] = nodes.size();
      nodes.push_back(llvm::json::Object{
          {"op", op.getName().stripDialect()},
          {"type", op.getNumResults() == 0 ? std::string()
                                           : text(op.getResult(0).getType())},
          {"place", numberOf(op.getLoc())},
          {"of", std::move(of)}});
    }
    int64_t count = llvm::range_size(function.getBody().front()) +
                    function.getNumArguments();
    graphs.push_back(llvm::json::Object{{"name", function.getSymName()},
                                        {"count", count},
                                        {"nodes", std::move(nodes)}});
  }
}

void PageNotes::addKernels(ModuleOp module) {
  for (auto entry : module.getOps<func::FuncOp>()) {
    if (entry.isPrivate() || entry.isExternal())
      continue;
    for (const Kernel &kernel : kernelsOf(entry))
      kernels.push_back(
          llvm::json::Object{{"entry", entry.getSymName()},
                             {"what", kernel.what},
                             {"runs", kernel.times},
                             {"bytes", kernel.work.bytes},
                             {"flops", kernel.work.operations},
                             {"nanoseconds", kernel.work.nanoseconds},
                             {"place", numberOf(kernel.op->getLoc())}});
  }
}

void PageNotes::addMemory(ModuleOp module) {
  for (auto entry : module.getOps<func::FuncOp>()) {
    auto told = entry->getAttrOfType<DictionaryAttr>(kMemory);
    if (!told)
      continue;
    llvm::json::Array buffers;
    for (auto buffer :
         told.getAs<ArrayAttr>("buffers").getAsRange<DictionaryAttr>()) {
      auto number = [&](StringRef key) {
        return buffer.getAs<IntegerAttr>(key).getInt();
      };
      auto place = buffer.getAs<LocationAttr>("location");
      buffers.push_back(llvm::json::Object{
          {"first", number("first")},
          {"last", number("last")},
          {"bytes", number("bytes")},
          {"offset", number("offset")},
          {"type", text(buffer.getAs<TypeAttr>("type").getValue())},
          {"place", numberOf(Location(place))}});
    }
    memory.push_back(
        llvm::json::Object{{"name", entry.getSymName()},
                           {"peak", told.getAs<IntegerAttr>("peak").getInt()},
                           {"buffers", std::move(buffers)}});
  }
}

std::string PageNotes::html() const {
  llvm::json::Object all{
      {"stages", llvm::json::Array(stages)},
      {"places", llvm::json::Array(places)},
      {"graphs", llvm::json::Array(graphs)},
      {"kernels", llvm::json::Array(kernels)},
      {"memory", llvm::json::Array(memory)},
      {"sources", llvm::json::Object(sources)},
      {"times", nullptr},
  };
  std::string data;
  llvm::raw_string_ostream(data) << llvm::json::Value(std::move(all));
  // No text of the program's may end the script that holds it.
  std::string safe;
  for (char c : data)
    safe += c == '<' ? "\\u003c" : std::string(1, c);
  auto [before, after] = StringRef(kPageText).split("@DATA@");
  return (before + safe + after).str();
}
