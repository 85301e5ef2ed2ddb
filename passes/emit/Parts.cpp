//===- Parts.cpp - machine code of a module, by several threads -----------===//

#include "passes/emit/Parts.h"
#include "passes/emit/Object.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <tuple>

using namespace cellgrad;

namespace {
/// A part with fewer instructions is not worth a thread: they take about 20
/// microseconds each, and a copy of the module a tenth of that.
constexpr size_t kLeastOfPart = 1500;

/// The part of each function with a body: the largest first, each to the part
/// that has the least so far.
llvm::DenseMap<const llvm::Function *, unsigned> share(llvm::Module &module,
                                                       unsigned threads) {
  // With places in the module, which decide between those of a size.
  std::vector<std::tuple<size_t, size_t, llvm::Function *>> functions;
  size_t all = 0;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    size_t size = function.getInstructionCount();
    functions.emplace_back(size, functions.size(), &function);
    all += size;
  }
  llvm::sort(functions, std::greater<>());
  // The largest function is whole: further parts share the rest.
  size_t largest = functions.empty() ? 0 : std::get<0>(functions.front());
  size_t useful = 1 + (all - largest) / kLeastOfPart;
  std::vector<size_t> sizes(std::clamp<size_t>(threads, 1, useful));
  llvm::DenseMap<const llvm::Function *, unsigned> parts;
  for (auto [size, place, function] : functions) {
    auto least = llvm::min_element(sizes);
    *least += size;
    parts[function] = least - sizes.begin();
  }
  return parts;
}

/// Parts refer to each other by names; nothing outside of the program does.
void nameLocals(llvm::Module &module) {
  unsigned unnamed = 0;
  for (llvm::GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage())
      continue;
    if (!value.hasName())
      value.setName("cell_unnamed_" + std::to_string(unnamed++));
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

/// The code of a part, made in a context of its own.
class Part {
public:
  Part(std::unique_ptr<llvm::Module> module,
       std::unique_ptr<llvm::TargetMachine> machine)
      : machine(std::move(machine)) {
    llvm::raw_svector_ostream os(bitcode);
    llvm::WriteBitcodeToFile(*module, os);
  }

  void start() {
    thread = std::thread([this] { run(); });
  }

  llvm::Expected<llvm::SmallString<0>> finish() {
    thread.join();
    if (!errors.empty())
      return llvm::createStringError(errors);
    return std::move(object);
  }

private:
  void run() {
    llvm::LLVMContext context;
    // LLVM ends the process where nobody takes its errors.
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) {
          if (info->getSeverity() != llvm::DS_Error)
            return;
          llvm::raw_string_ostream os(static_cast<Part *>(self)->errors);
          llvm::DiagnosticPrinterRawOStream printer(os);
          info->print(printer);
        },
        this);
    auto module = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(bitcode.str(), "model"), context);
    llvm::Error error =
        module ? generate(**module, *machine, llvm::CodeGenFileType::ObjectFile,
                          object)
               : module.takeError();
    if (error)
      errors += llvm::toString(std::move(error));
  }

  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::SmallString<0> bitcode, object;
  std::string errors;
  std::thread thread;
};
} // namespace

llvm::Expected<std::vector<llvm::SmallString<0>>> cellgrad::generateParts(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::Expected<std::unique_ptr<llvm::TargetMachine>>()>
        makeMachine,
    unsigned threads) {
  auto parts = share(module, threads);
  unsigned count = 0;
  for (auto [function, part] : parts)
    count = std::max(count, part);
  // Data are with the first part, which this thread takes.
  std::vector<std::unique_ptr<Part>> others;
  if (count > 0)
    nameLocals(module);
  for (unsigned number = 1; number <= count; ++number) {
    auto other = makeMachine();
    if (!other)
      return other.takeError();
    llvm::ValueToValueMapTy map;
    auto copy =
        llvm::CloneModule(module, map, [&](const llvm::GlobalValue *value) {
          auto *function = llvm::dyn_cast<llvm::Function>(value);
          return function && parts.lookup(function) == number;
        });
    others.push_back(
        std::make_unique<Part>(std::move(copy), std::move(*other)));
  }
  for (auto &part : others)
    part->start();
  for (auto [function, part] : parts)
    if (part > 0)
      const_cast<llvm::Function *>(function)->deleteBody();
  std::vector<llvm::SmallString<0>> objects(1);
  llvm::Error error = generate(
      module, machine, llvm::CodeGenFileType::ObjectFile, objects.front());
  for (auto &part : others) {
    auto object = part->finish();
    if (object)
      objects.push_back(std::move(*object));
    else
      error = llvm::joinErrors(std::move(error), object.takeError());
  }
  if (error)
    return std::move(error);
  return objects;
}
