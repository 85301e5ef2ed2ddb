//===- UnknownOps.h - what was meant by the name of no op -------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_UNKNOWNOPS_H
#define CELLGRAD_PASSES_UNKNOWNOPS_H

#include "mlir/IR/MLIRContext.h"

namespace cellgrad {

/// Errors about ops `cell.…` that do not exist get a note with the op whose
/// name is nearest, also for files that are read with handlers of one's own:
/// those that were registered before are asked after this one.
void suggestOpNames(mlir::MLIRContext *context);

} // namespace cellgrad

#endif
