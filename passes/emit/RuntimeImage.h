//===- RuntimeImage.h - files the compiler carries inside itself ----------===//

#ifndef CELLGRAD_PASSES_EMIT_RUNTIMEIMAGE_H
#define CELLGRAD_PASSES_EMIT_RUNTIMEIMAGE_H

#include "passes/lower/target/Target.h"

#include "llvm/ADT/StringRef.h"

namespace cellgrad {
/// runtime/cellgrad_abi.h.
llvm::StringRef abiHeaderText();
/// What models with CUDA kernels need besides, as another.
llvm::StringRef cudaRuntimeObject();
/// What models of one instruction set are linked with.
struct RuntimeImages {
  llvm::StringRef object; ///< the runtime, relocatable
  /// Shared objects that name the functions of libc.so.6 and libm.so.6 a model
  /// may use; empty where there are no such.
  llvm::StringRef libc, libm;
};
RuntimeImages runtimeImages(Arch arch);
/// passes/emit/module.mjs.
llvm::StringRef moduleText();
} // namespace cellgrad

#endif
