//===- OwnElements.h - gathers of elements of a sample's own --------------===//
//
// `x[ops.arange(n), labels]` takes an element of each row: a gather from the
// flattened x at k * i + labels[i] for row i, where rows have k elements. By
// its operands it may take any element of any sample. This says what it is, a
// gather in each row by itself, and the same of scatters, which derivatives of
// such gathers are.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_OWNELEMENTS_H
#define CELLGRAD_BATCH_OWNELEMENTS_H

#include "passes/batch/OpenBatch.h"

namespace cellgrad {

/// Makes gathers from and scatters into flattened rows such along dimension 1
/// of the rows, where places are multiples of the row's number and something
/// else. A check says when the latter is no place in the row. Scatters that add
/// samples to what they share add to zero, and that to it.
void separateOwnElements(mlir::func::FuncOp function, const OpenBatch &batch);

} // namespace cellgrad

#endif
