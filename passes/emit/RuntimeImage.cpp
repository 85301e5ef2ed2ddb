//===- RuntimeImage.cpp - files the compiler carries inside itself --------===//

#include "passes/emit/RuntimeImage.h"

#include "llvm/Support/ErrorHandling.h"

// The assembler reads the files; CMake passes their paths and tracks them.
#define CELL_IMAGE(symbol, path)                                               \
  __asm__(".section .rodata\n.balign 16\n.local " #symbol "_begin\n" #symbol   \
          "_begin:\n.incbin \"" path "\"\n.local " #symbol "_end\n" #symbol    \
          "_end:\n.byte 0\n.text\n");                                          \
  extern "C" __attribute__((visibility("hidden")))                             \
  const char symbol##_begin[],                                                 \
      symbol##_end[];

CELL_IMAGE(cell_image_abi, CELL_SOURCES "/cellgrad_abi.h")
CELL_IMAGE(cell_image_runtime_cuda, CELL_IMAGES "/cellrt-cuda.o")

#define CELL_PLATFORM(arch)                                                    \
  CELL_IMAGE(cell_image_runtime_##arch, CELL_IMAGES "/" #arch "/cellrt.o")     \
  CELL_IMAGE(cell_image_libc_##arch, CELL_IMAGES "/" #arch "/libc.so.6")       \
  CELL_IMAGE(cell_image_libm_##arch, CELL_IMAGES "/" #arch "/libm.so.6")
CELL_PLATFORM(x86_64)
CELL_PLATFORM(aarch64)
CELL_PLATFORM(riscv64)
CELL_IMAGE(cell_image_runtime_wasm32, CELL_IMAGES "/wasm32/cellrt.o")
CELL_IMAGE(cell_image_module, CELL_EMIT "/module.mjs")

#define CELL_IMAGE_REF(symbol)                                                 \
  llvm::StringRef(symbol##_begin,                                              \
                  static_cast<size_t>(symbol##_end - symbol##_begin))

llvm::StringRef cellgrad::abiHeaderText() {
  return CELL_IMAGE_REF(cell_image_abi);
}
llvm::StringRef cellgrad::cudaRuntimeObject() {
  return CELL_IMAGE_REF(cell_image_runtime_cuda);
}

#define CELL_IMAGES_OF(arch)                                                   \
  {CELL_IMAGE_REF(cell_image_runtime_##arch),                                  \
   CELL_IMAGE_REF(cell_image_libc_##arch),                                     \
   CELL_IMAGE_REF(cell_image_libm_##arch)}

cellgrad::RuntimeImages cellgrad::runtimeImages(Arch arch) {
  switch (arch) {
  case Arch::X86:
    return CELL_IMAGES_OF(x86_64);
  case Arch::AArch64:
    return CELL_IMAGES_OF(aarch64);
  case Arch::RISCV:
    return CELL_IMAGES_OF(riscv64);
  case Arch::Wasm:
    return {CELL_IMAGE_REF(cell_image_runtime_wasm32), {}, {}};
  }
  llvm_unreachable("every instruction set has a case");
}

llvm::StringRef cellgrad::moduleText() {
  return CELL_IMAGE_REF(cell_image_module);
}
