//===- DynamicBatch.h - programs whose text leaves the batch open ---------===//
//
// In text, a dimension `?` is the batch: `tensor<?x784xf32>`. Ops of the
// dialect are of known shapes, so what reads a file puts the stand-in of
// OpenBatch.h in its place before it verifies the ops.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_DYNAMICBATCH_H
#define CELLGRAD_BATCH_DYNAMICBATCH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/SourceMgr.h"

namespace cellgrad {

/// Whether a file may have dimensions `?`: it is read by `parseProgram` then.
bool mayBeDynamic(llvm::StringRef contents);

/// Gives dimensions `?` of an unverified module a size that stands in for the
/// batch, says so in `cell.batch`, and verifies the module. Refuses, at the op,
/// what cannot be open.
mlir::LogicalResult openDynamicBatch(mlir::ModuleOp module);

/// Reads and verifies a module, whose dimensions `?` are the batch. Null after
/// an error.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::SourceMgr &sources,
                                               mlir::MLIRContext *context);
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(llvm::StringRef text,
                                               mlir::MLIRContext *context);

} // namespace cellgrad

#endif
