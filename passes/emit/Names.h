//===- Names.h - C names for entries and buffers --------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_NAMES_H
#define CELLGRAD_PASSES_EMIT_NAMES_H

#include "passes/emit/Signature.h"

namespace cellgrad {

/// Makes a part of C and C++ identifiers of `name`: runs of other characters
/// become '_' (none at the ends), leading digits follow an 'x'.
std::string sanitizeIdentifier(llvm::StringRef name);

/// `identifier`, or with an underscore behind it where it is a word of C or C++
/// or may be a macro.
std::string fieldName(llvm::StringRef identifier);

/// Gives every entry of `model` its symbol and macros, and every buffer its
/// field and macro. Names that would be taken get a number: "f_2".
void assignNames(ModelSpec &model);

/// What programs with the header link the function `symbol` of `model` by:
/// "cg_a.b_c" for the entry "b_c" of "a", as the entry "c" of "a_b" has the
/// same name in C. Empty where there is one model that `symbol` can be of.
std::string linkName(const ModelSpec &model, llvm::StringRef symbol);

} // namespace cellgrad

#endif
