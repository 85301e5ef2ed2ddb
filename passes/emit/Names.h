//===- Names.h - C names for entries and buffers --------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_NAMES_H
#define CELLGRAD_PASSES_EMIT_NAMES_H

#include "passes/emit/Signature.h"

namespace cellgrad {

/// Makes a part of C and C++ identifiers of `name`: runs of other characters
/// become '_' (none at the ends), leading digits follow an 'x'.
std::string sanitizeIdentifier(llvm::StringRef name);

/// Gives every entry of `model` its symbol and macros, and every buffer its
/// field and macro. Names that would be taken get a number: "f_2".
void assignNames(ModelSpec &model);

} // namespace cellgrad

#endif
