//===- Reducer.h - smaller modules that are still interesting -------------===//

#ifndef CELLGRAD_REDUCE_REDUCER_H
#define CELLGRAD_REDUCE_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace cellgrad::reduce {

/// The module of a test case, and the command that says whether a file shows
/// what is looked for.
class Reducer {
public:
  /// A change of a module; fails where it does not apply.
  using Change = llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)>;

  /// `command` runs in a shell with the name of a file appended; exit status 0
  /// means interesting. It is ended after `seconds`, with all that it has
  /// started, which means not.
  Reducer(mlir::OwningOpRef<mlir::ModuleOp> module, std::string command,
          unsigned seconds);

  mlir::ModuleOp module() { return *current; }
  unsigned tests() const { return count; }

  /// Whether the command exits with status 0 on the module as it is.
  bool isInteresting() const { return test(*current); }

  /// Applies `change` to a copy, and keeps it if it verifies and is
  /// interesting.
  bool attempt(Change change);

  /// Runs all reductions until none helps.
  void run();

private:
  bool test(mlir::ModuleOp candidate) const;

  mlir::OwningOpRef<mlir::ModuleOp> current;
  std::string command;
  unsigned seconds;
  mutable unsigned count = 0;
};

/// Replaces ops of the cell dialect by one of their operands, by zeros or by
/// ones: many at once, then fewer.
bool reduceOps(Reducer &reducer);

/// Removes functions nobody calls, results and arguments of functions that no
/// op refers to, those of private functions that no call uses, and dead ops.
bool reduceSignatures(Reducer &reducer);

/// Makes sizes of dimensions smaller, one number at a time, everywhere.
bool reduceSizes(Reducer &reducer);

/// Makes the elements of constants equal, then ones or zeros.
bool reduceConstants(Reducer &reducer);

/// A tensor of the number `number`, or nothing for a type that has none.
mlir::DenseElementsAttr uniform(mlir::Type type, int number);

/// The ops of `module`, terminators and functions included.
unsigned countOps(mlir::ModuleOp module);

} // namespace cellgrad::reduce

#endif
