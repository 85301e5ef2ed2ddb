//===- RowRules.h - which ops treat samples one by one --------------------===//

#ifndef CELLGRAD_BATCH_ROWRULES_H
#define CELLGRAD_BATCH_ROWRULES_H

#include "passes/batch/OpenBatch.h"

namespace cellgrad {

/// Why `op`, which has rows among its operands or results, is no function of
/// each row by itself; empty where it is one. The text ends a sentence that
/// begins with the op's name.
std::string whyRowsMix(mlir::Operation *op, const OpenBatch &batch);

} // namespace cellgrad

#endif
