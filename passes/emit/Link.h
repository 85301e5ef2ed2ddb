//===- Link.h - objects to shared objects, in process ---------------------===//

#ifndef CELLGRAD_PASSES_EMIT_LINK_H
#define CELLGRAD_PASSES_EMIT_LINK_H

#include "passes/emit/Platform.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace cellgrad {

/// The linker refused what the compiler made.
struct LinkFailure : llvm::ErrorInfo<LinkFailure, llvm::StringError> {
  using ErrorInfo::ErrorInfo;
  static char ID;
};

/// Whether `name` is a function or object of libc or libm that a model may
/// refer to on a platform.
bool isLibrarySymbol(llvm::StringRef name, Arch arch);

/// Links `objects` with what they need of the runtime into a shared object
/// called `soname`; returns its bytes. No file of the system is read; a symbol
/// neither in the runtime nor in libc/libm is an error. Safe to call from
/// several threads: one links at a time. Unless `bound`, the process that loads
/// it may define further symbols, and those of functions stay. With `cuda`, the
/// runtime of models with CUDA kernels is part of it. With `lines`, names of
/// functions and tables of lines stay.
llvm::Expected<std::string>
linkSharedObject(llvm::ArrayRef<llvm::SmallString<0>> objects,
                 llvm::StringRef soname, const Platform &platform,
                 bool bound = true, bool cuda = false, bool lines = false);

/// Links `object` with the runtime into a relocatable object in which only cg_*
/// is global, so that objects of several models go into one program; returns
/// its bytes.
llvm::Expected<std::string> linkRelocatable(llvm::StringRef object,
                                            const Platform &platform,
                                            bool cuda = false);

/// Links `object` with the runtime into a WebAssembly module that exports cg_*
/// and its memory, and imports functions of JavaScript (module.mjs).
llvm::Expected<std::string> linkWasm(llvm::StringRef object);

/// A static library with the one relocatable object, under the name `member`.
llvm::Expected<std::string> makeArchive(llvm::StringRef object,
                                        llvm::StringRef member);

} // namespace cellgrad

#endif
