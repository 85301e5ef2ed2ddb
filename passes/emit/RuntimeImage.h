//===- RuntimeImage.h - files the compiler carries inside itself ----------===//

#ifndef CELLGRAD_PASSES_EMIT_RUNTIMEIMAGE_H
#define CELLGRAD_PASSES_EMIT_RUNTIMEIMAGE_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad {
/// runtime/cellgrad_abi.h.
llvm::StringRef abiHeaderText();
/// The common parts of bindings: runtime/bindings.
llvm::StringRef weightsHeaderText();
llvm::StringRef cppText();
llvm::StringRef pythonText();
llvm::StringRef rustText();
/// The runtime as one relocatable ELF object.
llvm::StringRef runtimeObject();
/// What models with CUDA kernels need besides, as another.
llvm::StringRef cudaRuntimeObject();
/// Shared objects that name the functions of libc.so.6 and libm.so.6 a model
/// may use.
llvm::StringRef libcStub();
llvm::StringRef libmStub();
} // namespace cellgrad

#endif
