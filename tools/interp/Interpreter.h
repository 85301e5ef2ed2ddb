//===- Interpreter.h - evaluates cell functions directly ------------------===//
//
// The oracle for tests and fuzzing: it shares nothing with the lowerings.
// Floating point results are computed in double and rounded once to the type of
// the op's result, sums and matrix products included; integers wrap.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_INTERP_INTERPRETER_H
#define CELLGRAD_INTERP_INTERPRETER_H

#include "tools/interp/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad::interp {

/// The results of `func` on `args`; `cell.print` writes to `printed`. Emits an
/// error and fails on arguments of other types than the function's, ops the
/// interpreter does not know, and recursion. `cell.vjp` and `cell.jvp` have to
/// be expanded first.
llvm::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> args,
          llvm::raw_ostream &printed);

} // namespace cellgrad::interp

#endif
