//===- Text.h - pieces of the source files that go with a model -----------===//

#ifndef CELLGRAD_PASSES_EMIT_TEXT_H
#define CELLGRAD_PASSES_EMIT_TEXT_H

#include "passes/emit/Signature.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace cellgrad {

/// Text that may stand inside a C comment: on one line, in UTF-8, and without
/// characters that change how the rest of the line is shown.
std::string commentSafe(llvm::StringRef text);

/// "float32[batch, 10]".
std::string typeText(const TensorSpec &spec);

/// A string literal of C that is `text`, in ASCII.
std::string quoted(llvm::StringRef text);

/// The version of the compiler: "0.9.0".
llvm::StringRef compilerVersion();

} // namespace cellgrad

#endif
