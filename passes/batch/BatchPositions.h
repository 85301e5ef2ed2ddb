//===- BatchPositions.h - numbers along the batch -------------------------===//
//
// Tiles count samples from their first one (SumPhases), so that ops that number
// the samples of a batch are known. This makes such ops of what else numbers
// them: constants, and positions of extrema over the batch.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_BATCHPOSITIONS_H
#define CELLGRAD_BATCH_BATCHPOSITIONS_H

#include "passes/batch/OpenBatch.h"

namespace cellgrad {

/// Makes constants that number the samples of a batch, 0, 1, ... along a
/// dimension, ops that count, where they do so in all `captures`. Each use has
/// a constant of its own.
void countBatches(mlir::ModuleOp module, const OpenBatch &batch,
                  llvm::ArrayRef<Captured> captures);

/// Makes the position of an extremum over the batch the least number of those
/// that attain it.
void numberExtrema(mlir::func::FuncOp function, const OpenBatch &batch);

} // namespace cellgrad

#endif
