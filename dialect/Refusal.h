//===- Refusal.h - errors that whoever wrote the program can mend ---------===//
//
// A pass that finds a mistake of the program says so with `refuse`. Every other
// error on the way down, of our passes, of MLIR's and of the verifier between
// them, is a failure of the compiler, and is reported as one (see Compile.h).
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_DIALECT_REFUSAL_H
#define CELLGRAD_DIALECT_REFUSAL_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace cellgrad {

/// Whose mistake an error is.
enum class Blame : unsigned {
  Program = 1, ///< of the program's author
  Form = 2,    ///< of who wrote linalg or memref ops in a form that is not
               ///< taken; ours where those came from cell ops
};

namespace detail {
inline mlir::InFlightDiagnostic blame(mlir::InFlightDiagnostic error,
                                      Blame blame) {
  if (mlir::Diagnostic *diagnostic = error.getUnderlyingDiagnostic())
    diagnostic->getMetadata().push_back(
        mlir::DiagnosticArgument(static_cast<unsigned>(blame)));
  return error;
}
} // namespace detail

/// An error at `op`, after its name, that its author can mend.
inline mlir::InFlightDiagnostic refuse(mlir::Operation *op,
                                       Blame blame = Blame::Program) {
  return detail::blame(op->emitOpError(), blame);
}

/// An error at `location` that its author can mend.
inline mlir::InFlightDiagnostic refuse(mlir::Location location,
                                       Blame blame = Blame::Program) {
  return detail::blame(mlir::emitError(location), blame);
}

/// Whether `error` was made by `refuse` with this blame.
inline bool isRefusal(mlir::Diagnostic &error, Blame blame) {
  return llvm::any_of(
      error.getMetadata(), [&](const mlir::DiagnosticArgument &note) {
        return note.getKind() ==
                   mlir::DiagnosticArgument::DiagnosticArgumentKind::Unsigned &&
               note.getAsUnsigned() == static_cast<unsigned>(blame);
      });
}

} // namespace cellgrad

#endif
