//===- UnknownOps.cpp - what was meant by the name of no op ---------------===//

#include "passes/UnknownOps.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using llvm::StringRef;

/// The op that `text`, an error of MLIR's parser or verifier, does not know.
static StringRef unknownOp(StringRef text) {
  // Errors in an op that is known begin like those of the first kind.
  bool custom = text.consume_front("custom op '");
  if (!custom && !text.consume_front("unregistered operation '"))
    return "";
  StringRef name = text.take_until([](char c) { return c == '\''; });
  bool known =
      custom && !text.drop_front(name.size()).starts_with("' is unknown");
  return name.starts_with("cell.") && !known ? name : "";
}

/// Whether two names differ by two neighbours that have changed places.
static bool isSwapped(StringRef a, StringRef b) {
  size_t first =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  return a.size() == b.size() && first + 1 < a.size() &&
         a[first] == b[first + 1] && a[first + 1] == b[first] &&
         a.drop_front(first + 2) == b.drop_front(first + 2);
}

/// The op of the dialect whose name is nearest; empty if none is near.
static StringRef nearest(MLIRContext *context, StringRef name) {
  StringRef found;
  unsigned least = std::max<unsigned>(name.size() / 4, 2) + 1;
  for (RegisteredOperationName op :
       context->getRegisteredOperationsByDialect("cell")) {
    StringRef known = op.getStringRef();
    if (isSwapped(name, known))
      return known;
    unsigned distance =
        name.edit_distance(known, /*AllowReplacements=*/true, least);
    if (distance >= least)
      continue;
    least = distance;
    found = known;
  }
  return found;
}

void cellgrad::suggestOpNames(MLIRContext *context) {
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    std::string text = diagnostic.str();
    if (StringRef name = unknownOp(text); !name.empty()) {
      Diagnostic &note = diagnostic.attachNote();
      if (StringRef meant = nearest(context, name); !meant.empty())
        note << "did you mean '" << meant << "'?";
      else
        note << "docs/op-syntax.md lists the ops of this dialect";
    }
    // Who prints it comes next.
    return failure();
  });
}
