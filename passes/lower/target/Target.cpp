//===- Target.cpp - what plans know of a machine --------------------------===//

#include "passes/lower/target/Target.h"

#include "runtime/cellgrad_abi.h"

#include "llvm/ADT/STLExtras.h"

using namespace cellgrad;

namespace {

/// Temporaries lie as the arena that callers give does.
constexpr MemorySpace kHost[] = {{"host", 0, CG_ARENA_ALIGNMENT}};

/// Processors have 32 to 48 KiB, and 256 KiB to 2 MiB.
constexpr int64_t kL1 = 32 << 10, kL2 = 512 << 10;

// clang-format off
constexpr Target kTargets[] = {
    //            name              features       bits regs   fma  scale  masks    f16   bf16 lat. fma  L1   L2 line rows  memory
    // 12 ways in the first level, where the others have 8. Rounds half precision as all do.
    {Arch::X86,     "sapphirerapids", "+avx512fp16", 512, 32,  true,  true,  true, false, false, 4,  2,  kL1, kL2, 64, 16, kHost},
    // Computes 512 bits in two halves. clzero is a feature of AMD's processors alone.
    {Arch::X86,     "znver4",         "+avx512f,+clzero", 512, 32, true, true, true, false, false, 4,  1,  kL1, kL2, 64,  4, kHost},
    {Arch::X86,     "x86-64-v4",      "+avx512f",    512, 32,  true,  true,  true, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::X86,     "x86-64-v3",      "+avx,+fma",   256, 16,  true, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::X86,     "x86-64-avx",     "+avx",        256, 16, false, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::X86,     "x86-64-v2",      "+sse4.2",     128, 16, false, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::X86,     "x86-64",         "",            128, 16, false, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    // Vectors are of fixed size: SVE has instructions for those of 128 bits on every processor.
    {Arch::AArch64, "aarch64+sve",    "+sve",        128, 32,  true, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::AArch64, "aarch64",        "",            128, 32,  true, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::RISCV,   "riscv64+v",      "+v",          128, 32,  true, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    // Four of its 32 registers are a vector.
    {Arch::RISCV,   "riscv64",        "",            128,  8,  true, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
    {Arch::Wasm,    "wasm32",         "",            128, 16, false, false, false, false, false, 4,  2,  kL1, kL2, 64,  4, kHost},
};
// clang-format on

} // namespace

llvm::ArrayRef<Target> cellgrad::allTargets() { return kTargets; }

const Target *cellgrad::findTarget(llvm::StringRef name) {
  const Target *found = llvm::find_if(
      kTargets, [&](const Target &target) { return target.name == name; });
  return found == std::end(kTargets) ? nullptr : found;
}

const Target &
cellgrad::targetWith(Arch arch,
                     llvm::function_ref<bool(llvm::StringRef)> hasFeatures) {
  // The last row of each asks for nothing.
  return *llvm::find_if(kTargets, [&](const Target &target) {
    return target.arch == arch &&
           (target.features.empty() || hasFeatures(target.features));
  });
}
