//===- AbsentTargets.cpp - backends and plugins that are not linked in ----===//
//
// LLD's ELF driver initialises every backend LLVM was configured with, and its
// LTO support asks for Polly. Only the backends cellgrad emits code for are
// linked; empty functions stand for the rest. Wheels have fewer:
// pyfront/native/absent_backends.c.
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
CELL_ABSENT(SPIRV)
CELL_ABSENT(Sparc)
CELL_ABSENT(SystemZ)
CELL_ABSENT(VE)
CELL_ABSENT(XCore)
CELL_ABSENT(Xtensa)
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "absent", "", [](llvm::PassBuilder &) {}};
}
