/* Of wheels: back ends that they have no room for, all but that of the machine.
 * Who asks for one is told to build from source (Platform.cpp). */
#define CELL_ABSENT(target)                                                    \
  void LLVMInitialize##target##TargetInfo(void) {}                             \
  void LLVMInitialize##target##Target(void) {}                                 \
  void LLVMInitialize##target##TargetMC(void) {}                               \
  void LLVMInitialize##target##AsmPrinter(void) {}                             \
  void LLVMInitialize##target##AsmParser(void) {}
#ifdef __aarch64__
CELL_ABSENT(X86)
#else
CELL_ABSENT(AArch64)
#endif
CELL_ABSENT(RISCV)
CELL_ABSENT(WebAssembly)
