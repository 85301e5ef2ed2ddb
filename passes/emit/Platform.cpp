//===- Platform.cpp - the systems that models are made for ----------------===//

#include "passes/emit/Platform.h"
#include "runtime/cpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace cellgrad;

namespace {
/// What only an operating system or an intrinsic uses (sgx, clwb) is no reason
/// to refuse a machine, and SSE2 is part of x86-64.
constexpr CheckedFeature kX86[] = {
#define FEATURE(bit, name, leaf, subleaf, reg, shift, state) {name, bit},
    CELL_CPU_FEATURES(FEATURE)
#undef FEATURE
};
constexpr CheckedFeature kAArch64[] = {{"sve", CELL_HWCAP_AARCH64_SVE}};
constexpr CheckedFeature kRISCV[] = {{"v", CELL_HWCAP_RISCV_V}};

constexpr Platform kPlatforms[] = {
    {Arch::X86, "x86-64", "x86_64-unknown-linux-gnu", "x86-64", "", "",
     llvm::ELF::EM_X86_64, 4096, kX86},
    {Arch::AArch64, "aarch64", "aarch64-unknown-linux-gnu", "generic", "", "",
     llvm::ELF::EM_AARCH64, 65536, kAArch64},
    {Arch::RISCV, "riscv64", "riscv64-unknown-linux-gnu", "generic-rv64",
     "+m,+a,+f,+d,+c", "lp64d", llvm::ELF::EM_RISCV, 4096, kRISCV},
    {Arch::Wasm,
     "wasm32",
     "wasm32-unknown-unknown",
     "generic",
     "+simd128,+bulk-memory,+bulk-memory-opt,+sign-ext,+nontrapping-fptoint,"
     "+mutable-globals",
     "",
     0,
     65536,
     {}}};
} // namespace

const Platform &cellgrad::platformOf(Arch arch) {
  return *llvm::find_if(kPlatforms, [&](const Platform &platform) {
    return platform.arch == arch;
  });
}

const Platform *cellgrad::platformOfElf(uint16_t machine) {
  for (const Platform &platform : kPlatforms)
    if (platform.elfMachine == machine && machine != 0)
      return &platform;
  return nullptr;
}

const Platform &cellgrad::hostPlatform() {
#if defined(__aarch64__)
  return platformOf(Arch::AArch64);
#elif defined(__riscv)
  return platformOf(Arch::RISCV);
#else
  return platformOf(Arch::X86);
#endif
}

const llvm::Target *cellgrad::backEnd(const Platform &platform) {
  // Back ends that are not linked are empty functions (AbsentTargets.cpp).
#define INITIALIZE(name)                                                       \
  LLVMInitialize##name##TargetInfo();                                          \
  LLVMInitialize##name##Target();                                              \
  LLVMInitialize##name##TargetMC();                                            \
  LLVMInitialize##name##AsmPrinter();
  static std::once_flag once;
  std::call_once(once, [] {
    INITIALIZE(X86)
    INITIALIZE(AArch64)
    INITIALIZE(RISCV)
    INITIALIZE(WebAssembly)
    // Its floating-point state is reached by assembly (FloatState.cpp).
    LLVMInitializeRISCVAsmParser();
  });
#undef INITIALIZE
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(platform.triple),
                                            error);
}
