//===- Expr.h - the expression language of op records ---------------------===//
//
//   expr := number | name | name '(' [arg {',' arg}] ')' | '{' C++ '}'
//   arg  := [name '='] expr
//
// Names may contain "::". The same language writes derivative rules (functions
// are cell ops) and scalar payloads (functions are C++ op classes of upstream
// dialects).
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TBLGEN_EXPR_H
#define CELLGRAD_TBLGEN_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace llvm {
class Record;
}

namespace cellgrad::tblgen {

struct Expr {
  enum Kind { Number, Name, Call, Cpp };
  Kind kind;
  /// The number, name, function or C++ text.
  std::string text;
  /// The attribute this argument is passed as; empty for a positional argument.
  std::string key;
  std::vector<Expr> args;

  /// Adds the names of all values that are read to `names`.
  void collectNames(llvm::StringSet<> &names) const;
};

/// Parses `text`, found in field `field` of `def`; a syntax error is fatal and
/// points at the record.
Expr parseExpr(llvm::StringRef text, const llvm::Record &def,
               llvm::StringRef field);

} // namespace cellgrad::tblgen

#endif
