//===- RuntimeImage.cpp - files the compiler carries inside itself --------===//

#include "passes/emit/RuntimeImage.h"

// The assembler reads the files; CMake passes their paths and tracks them.
#define CELL_IMAGE(symbol, path)                                               \
  __asm__(".section .rodata\n.balign 16\n.local " #symbol "_begin\n" #symbol   \
          "_begin:\n.incbin \"" path "\"\n.local " #symbol "_end\n" #symbol    \
          "_end:\n.byte 0\n.text\n");                                          \
  extern "C" __attribute__((visibility("hidden")))                             \
  const char symbol##_begin[],                                                 \
      symbol##_end[];

CELL_IMAGE(cell_image_abi, CELL_IMAGE_ABI)
CELL_IMAGE(cell_image_weights, CELL_IMAGE_BINDINGS "weights.h")
CELL_IMAGE(cell_image_cpp, CELL_IMAGE_BINDINGS "common.hpp")
CELL_IMAGE(cell_image_python, CELL_IMAGE_BINDINGS "model.py")
CELL_IMAGE(cell_image_rust, CELL_IMAGE_BINDINGS "model.rs")
CELL_IMAGE(cell_image_runtime, CELL_IMAGE_RUNTIME)
CELL_IMAGE(cell_image_runtime_cuda, CELL_IMAGE_RUNTIME_CUDA)
CELL_IMAGE(cell_image_libc, CELL_IMAGE_LIBC)
CELL_IMAGE(cell_image_libm, CELL_IMAGE_LIBM)

#define CELL_IMAGE_REF(symbol)                                                 \
  llvm::StringRef(symbol##_begin,                                              \
                  static_cast<size_t>(symbol##_end - symbol##_begin))

llvm::StringRef cellgrad::abiHeaderText() {
  return CELL_IMAGE_REF(cell_image_abi);
}
llvm::StringRef cellgrad::weightsHeaderText() {
  return CELL_IMAGE_REF(cell_image_weights);
}
llvm::StringRef cellgrad::cppText() { return CELL_IMAGE_REF(cell_image_cpp); }
llvm::StringRef cellgrad::pythonText() {
  return CELL_IMAGE_REF(cell_image_python);
}
llvm::StringRef cellgrad::rustText() { return CELL_IMAGE_REF(cell_image_rust); }
llvm::StringRef cellgrad::runtimeObject() {
  return CELL_IMAGE_REF(cell_image_runtime);
}
llvm::StringRef cellgrad::cudaRuntimeObject() {
  return CELL_IMAGE_REF(cell_image_runtime_cuda);
}
llvm::StringRef cellgrad::libcStub() { return CELL_IMAGE_REF(cell_image_libc); }
llvm::StringRef cellgrad::libmStub() { return CELL_IMAGE_REF(cell_image_libm); }
