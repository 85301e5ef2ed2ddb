//===- Artifact.h - whole and unaltered shared objects --------------------===//

#ifndef CELLGRAD_PASSES_EMIT_ARTIFACT_H
#define CELLGRAD_PASSES_EMIT_ARTIFACT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace cellgrad {

/// Appends a checksum to the shared object `contents`. Loaders of the system
/// ignore it.
void sealArtifact(std::string &contents);

/// Checks that `contents` is a complete shared object of this platform whose
/// checksum, where it has one, is right, and that mapping it cannot fault;
/// returns the name of the model in it. Errors say what is wrong with the file,
/// to follow "cannot load 'x.so': ".
llvm::Expected<std::string> checkArtifact(llvm::StringRef contents);

} // namespace cellgrad

#endif
