//===- Processor.cpp - the machine a model is compiled for ----------------===//

#include "passes/emit/Processor.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>

using namespace cellgrad;

namespace {
const llvm::StringMap<bool> &hostFeatures() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

/// Those other than x86-64's, which are LLVM's.
constexpr llvm::StringLiteral kOthers[] = {"aarch64", "aarch64+sve", "riscv64",
                                           "riscv64+v", "wasm32"};

std::string withFeature(llvm::StringRef features, llvm::StringRef feature) {
  return (features + (features.empty() ? "+" : ",+") + feature).str();
}

/// The processor called `name`; "native" is looked up on this machine.
llvm::Expected<Processor> describe(llvm::StringRef name) {
  Processor processor;
  processor.name = name.str();
  if (name == "native") {
    processor.platform = &hostPlatform();
    processor.cpu = llvm::sys::getHostCPUName().str();
    llvm::SmallVector<std::string> features;
    for (const auto &feature : hostFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(features);
    processor.features = llvm::join(features, ",");
  } else if (const Target *other = llvm::is_contained(kOthers, name)
                                       ? findTarget(name)
                                       : nullptr) {
    auto [base, feature] = name.split('+');
    processor.platform = &platformOf(other->arch);
    processor.cpu = processor.platform->cpu.str();
    processor.features =
        feature.empty() ? processor.platform->features.str()
                        : withFeature(processor.platform->features, feature);
  } else {
    llvm::SmallVector<llvm::StringRef, 64> known;
    llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
    if (!llvm::is_contained(known, name))
      return llvm::createStringError("unknown target '" + name +
                                     "': expected native, " +
                                     llvm::join(llvm::ArrayRef(kOthers), ", ") +
                                     " or one of " + llvm::join(known, ", "));
    processor.platform = &platformOf(Arch::X86);
    processor.cpu = processor.name;
  }
  auto machine = createTargetMachine(processor, 0);
  if (!machine)
    return machine.takeError();
  const llvm::MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
  processor.target =
      &targetWith(processor.platform->arch, [&](llvm::StringRef features) {
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

llvm::SmallVector<llvm::StringRef>
cellgrad::targetNames(llvm::StringRef target) {
  llvm::SmallVector<llvm::StringRef> names;
  target.split(names, ',');
  return names;
}

llvm::Expected<std::string> cellgrad::orderLevels(llvm::StringRef target) {
  auto names = targetNames(target);
  if (names.size() < 2)
    return target.str();
  std::vector<std::pair<size_t, std::string>> levels;
  for (llvm::StringRef name : names) {
    auto processor = resolveTarget(name);
    if (!processor)
      return processor.takeError();
    if (name.empty() || name == "native" ||
        processor->platform->arch != Arch::X86)
      return llvm::createStringError(
          "'" + name +
          "' is no level of x86-64: several targets, as in "
          "x86-64-v2,x86-64-v3, make one artifact that looks which of them a "
          "machine has");
    auto machine = createTargetMachine(*processor, 0);
    if (!machine)
      return machine.takeError();
    size_t needs = requiredFeatures(*processor->platform, **machine).size();
    if (llvm::is_contained(levels, std::pair(needs, name.str())))
      return llvm::createStringError("target '" + name + "' is given twice");
    levels.emplace_back(needs, name.str());
  }
  llvm::sort(levels, std::greater<>());
  return llvm::join(llvm::make_second_range(levels), ",");
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
cellgrad::createTargetMachine(const Processor &processor, unsigned optLevel) {
  const Platform &platform = *processor.platform;
  const llvm::Target *backend = backEnd(platform);
  if (!backend)
    return llvm::createStringError(
        "this build of cellgrad has no back end for " + platform.name +
        ": wheels have that of their machine only; build cellgrad from source "
        "for target '" +
        processor.name + "'");
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  options.MCOptions.ABIName = platform.abi.str();
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      llvm::Triple(platform.triple), processor.cpu, processor.features, options,
      llvm::Reloc::PIC_, std::nullopt,
      optLevel == 0 ? llvm::CodeGenOptLevel::None
                    : llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no code generator for target '" +
                                   processor.name + "'");
  return machine;
}

std::vector<std::string>
cellgrad::requiredFeatures(const Platform &platform,
                           const llvm::TargetMachine &machine) {
  std::vector<std::string> required;
  for (const CheckedFeature &feature : platform.checked)
    if (machine.getMCSubtargetInfo()->checkFeatures("+" + feature.name.str()))
      required.push_back(feature.name.str());
  std::sort(required.begin(), required.end());
  return required;
}

uint64_t cellgrad::featureMask(const Platform &platform,
                               const std::vector<std::string> &features) {
  uint64_t mask = 0;
  for (const CheckedFeature &feature : platform.checked)
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
