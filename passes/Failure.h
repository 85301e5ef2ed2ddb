//===- Failure.h - what a user is told when the compiler fails ------------===//
//
// An error that is no refusal (dialect/Refusal.h) is a mistake of the compiler.
// Its words are for those who mend it: they go into a file, the reproducer,
// with the program. The user learns which construct of the program, at which
// place, could not be compiled, and where that file is.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_FAILURE_H
#define CELLGRAD_PASSES_FAILURE_H

#include "passes/Compile.h"

#include "mlir/IR/Diagnostics.h"

#include <vector>

namespace mlir {
class PassManager;
}

namespace cellgrad {

/// The first position in a file that `location` names, or null.
mlir::FileLineColLoc findPosition(mlir::Location location);

/// Holds back what is said while a program is compiled, until it is known
/// whose mistake it is.
class FailureReport {
public:
  /// `program` is the module as it was given; it must not change.
  FailureReport(mlir::ModuleOp program, const CompileOptions &options);
  ~FailureReport();

  /// Notes which of the passes runs.
  void watch(mlir::PassManager &pm);
  /// Notes what runs when no pass does.
  void enter(llvm::StringRef stage) { this->stage = stage.str(); }

  /// Says what was held back. Where that is a failure of the compiler, writes
  /// the reproducer and says so instead; `failure`, if any, tells of it.
  mlir::LogicalResult finish(mlir::LogicalResult result,
                             std::optional<InternalFailure> *failure);

  /// For an error that LLVM ends the process with.
  void tellBeforeTheEnd(const char *words);

private:
  bool isRefused();
  InternalFailure describe(llvm::StringRef words, mlir::Location location);

  mlir::ModuleOp program;
  const CompileOptions &options;
  std::string stage;
  std::vector<mlir::Diagnostic> held;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  FailureReport *outer;
};

} // namespace cellgrad

#endif
