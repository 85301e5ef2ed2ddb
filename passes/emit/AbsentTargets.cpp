//===- AbsentTargets.cpp - backends and plugins that are not linked in ----===//
//
// LLD's ELF driver initialises every backend LLVM was configured with, and its
// LTO support asks for Polly. Only the backends cellgrad emits code for are
// linked; empty functions stand for the rest.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

#define CELL_ABSENT(target)                                                    \
  void LLVMInitialize##target##TargetInfo() {}                                 \
  void LLVMInitialize##target##Target() {}                                     \
  void LLVMInitialize##target##TargetMC() {}                                   \
  void LLVMInitialize##target##AsmPrinter() {}                                 \
  void LLVMInitialize##target##AsmParser() {}

extern "C" {
CELL_ABSENT(AArch64)
CELL_ABSENT(AMDGPU)
CELL_ABSENT(ARM)
CELL_ABSENT(AVR)
CELL_ABSENT(BPF)
CELL_ABSENT(Hexagon)
CELL_ABSENT(Lanai)
CELL_ABSENT(LoongArch)
CELL_ABSENT(M68k)
CELL_ABSENT(MSP430)
CELL_ABSENT(Mips)
CELL_ABSENT(PowerPC)
CELL_ABSENT(RISCV)
CELL_ABSENT(SPIRV)
CELL_ABSENT(Sparc)
CELL_ABSENT(SystemZ)
CELL_ABSENT(VE)
CELL_ABSENT(WebAssembly)
CELL_ABSENT(XCore)
CELL_ABSENT(Xtensa)
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "absent", "", [](llvm::PassBuilder &) {}};
}
