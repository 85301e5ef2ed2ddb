//===- Interpreter.h - evaluates cell functions directly ------------------===//
//
// The oracle for tests and fuzzing: it shares nothing with the lowerings.
// Floating point results are computed in double and rounded once to the type of
// the op's result, sums and matrix products included; integers wrap.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_INTERP_INTERPRETER_H
#define CELLGRAD_INTERP_INTERPRETER_H

#include "tools/interp/Ranks.h"
#include "tools/interp/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad::interp {

/// How an evaluation may differ from the one to the letter, so that a test can
/// tell a wrong result from one that the program itself leaves open.
struct Latitude {
  /// What an op rounds is off by half of this to this much, relatively; by the
  /// same for equal values, and to the other side for the negative of this.
  /// What is exact stays so: moved and chosen elements, sums and products of
  /// small integers.
  double rounding = 0;
  /// Convolutions do not multiply the zeros of a padding of their operand: only
  /// then is 0 times infinity nothing.
  bool skipPadding = false;
};

/// The results of `func` on `args`; `cell.print` writes to `printed`. Emits an
/// error and fails on arguments of other types than the function's, ops the
/// interpreter does not know, and recursion. `cell.vjp` and `cell.jvp` have to
/// be expanded first. Collectives are with the other ranks of `member`.
llvm::FailureOr<llvm::SmallVector<Tensor>>
interpret(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> args,
          llvm::raw_ostream &printed, Latitude latitude = {},
          Member member = {});

} // namespace cellgrad::interp

#endif
