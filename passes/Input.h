//===- Input.h - what tools read ------------------------------------------===//

#ifndef CELLGRAD_PASSES_INPUT_H
#define CELLGRAD_PASSES_INPUT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace cellgrad {

/// The contents of the file or pipe `path`; "-" is standard input. What never
/// ends is an error, as are devices: all but terminals. Errors are whole
/// sentences.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(llvm::StringRef path);

} // namespace cellgrad

#endif
