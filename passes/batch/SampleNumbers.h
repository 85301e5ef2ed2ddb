//===- SampleNumbers.h - which samples a tile has -------------------------===//

#ifndef CELLGRAD_BATCH_SAMPLENUMBERS_H
#define CELLGRAD_BATCH_SAMPLENUMBERS_H

#include "passes/batch/OpenBatch.h"

namespace cellgrad {

/// Makes numbers of samples, and random numbers for them, in a function for
/// tiles those of their places in the whole batch. The function gets arguments
/// that tell it which those are (TileLoops.h), where it needs them.
void countFromSamples(mlir::func::FuncOp function, const OpenBatch &batch);

} // namespace cellgrad

#endif
