//===- Processor.cpp - the machine a model is compiled for ----------------===//

#include "passes/emit/Processor.h"
#include "runtime/cpu.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#include <mutex>

using namespace cellgrad;

namespace {
constexpr const char *kTriple = "x86_64-unknown-linux-gnu";

/// The registered x86-64 backend.
const llvm::Target *x86Backend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
}

/// A feature the loader and the model itself ask the processor about. What only
/// an operating system or an intrinsic uses (sgx, clwb) is no reason to refuse
/// a machine, and SSE2 is part of x86-64.
struct CheckedFeature {
  const char *name;
  unsigned bit;
};
constexpr CheckedFeature kChecked[] = {
#define FEATURE(bit, name, leaf, subleaf, reg, shift, state) {name, bit},
    CELL_CPU_FEATURES(FEATURE)
#undef FEATURE
};

const llvm::StringMap<bool> &hostFeatures() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

/// The processor called `name`; "native" is looked up on this machine.
llvm::Expected<Processor> describe(llvm::StringRef name) {
  Processor processor;
  processor.name = name.str();
  processor.triple = kTriple;
  if (name == "native") {
    processor.cpu = llvm::sys::getHostCPUName().str();
    llvm::SmallVector<std::string> features;
    for (const auto &feature : hostFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(features);
    processor.features = llvm::join(features, ",");
  } else {
    llvm::SmallVector<llvm::StringRef, 64> known;
    llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
    if (!llvm::is_contained(known, name))
      return llvm::createStringError("unknown target '" + name +
                                     "': expected native or one of " +
                                     llvm::join(known, ", "));
    processor.cpu = processor.name;
  }
  auto machine = createTargetMachine(processor, 0);
  if (!machine)
    return machine.takeError();
  const llvm::MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
  processor.target = &targetWith([&](llvm::StringRef features) {
    return info.checkFeatures(features.str());
  });
  return processor;
}
} // namespace

llvm::Expected<Processor> cellgrad::resolveTarget(llvm::StringRef name) {
  if (!name.empty() && name != "native")
    return describe(name);
  // Asked once: in a virtual machine the questions take a millisecond.
  static const Processor native = llvm::cantFail(describe("native"));
  return native;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
cellgrad::createTargetMachine(const Processor &processor, unsigned optLevel) {
  const llvm::Target *backend = x86Backend();
  if (!backend)
    return llvm::createStringError(
        "the x86-64 backend is missing from this build");
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      llvm::Triple(processor.triple), processor.cpu, processor.features,
      options, llvm::Reloc::PIC_, std::nullopt,
      optLevel == 0 ? llvm::CodeGenOptLevel::None
                    : llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no code generator for target '" +
                                   processor.name + "'");
  return machine;
}

std::vector<std::string>
cellgrad::requiredFeatures(const llvm::TargetMachine &machine) {
  std::vector<std::string> required;
  for (const CheckedFeature &feature : kChecked)
    if (machine.getMCSubtargetInfo()->checkFeatures(std::string("+") +
                                                    feature.name))
      required.push_back(feature.name);
  std::sort(required.begin(), required.end());
  return required;
}

uint64_t cellgrad::featureMask(const std::vector<std::string> &features) {
  uint64_t mask = 0;
  for (const CheckedFeature &feature : kChecked)
    if (llvm::is_contained(features, feature.name))
      mask |= uint64_t(1) << feature.bit;
  return mask;
}

std::vector<std::string>
cellgrad::missingFeatures(const std::vector<std::string> &features) {
  std::vector<std::string> missing;
  for (const std::string &feature : features)
    if (!hostFeatures().lookup(feature))
      missing.push_back(feature);
  return missing;
}
