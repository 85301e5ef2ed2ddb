//===- LoopOfOp.h - loops that are a part of one op -------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_TENSORS_LOOPOFOP_H
#define CELLGRAD_LOWER_TENSORS_LOOPOFOP_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad {

/// Marks an scf.for that one op of the program became, or a part of it.
constexpr llvm::StringLiteral kLoopOfOp = "cell.loop_of_op";

} // namespace cellgrad

#endif
