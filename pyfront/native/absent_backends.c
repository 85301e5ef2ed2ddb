/* Of wheels: back ends that they have no room for. Who asks for one is told to
 * build from source (Platform.cpp). */
#define CELL_ABSENT(target)                                                    \
  void LLVMInitialize##target##TargetInfo(void) {}                             \
  void LLVMInitialize##target##Target(void) {}                                 \
  void LLVMInitialize##target##TargetMC(void) {}                               \
  void LLVMInitialize##target##AsmPrinter(void) {}                             \
  void LLVMInitialize##target##AsmParser(void) {}
CELL_ABSENT(AArch64)
CELL_ABSENT(RISCV)
CELL_ABSENT(WebAssembly)
