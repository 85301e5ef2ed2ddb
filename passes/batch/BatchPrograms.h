//===- BatchPrograms.h - what an open program is for known sizes ----------===//
//
// A module for any batch size may have programs for known sizes beside it:
// those that Python captured for them, and one of `?` from before derivatives
// were written out, which is for each size once that is in its place. An entry
// names its own in `cell.batch_programs`. They are compiled as functions of
// their own, with all the bits of a model for the size.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_BATCHPROGRAMS_H
#define CELLGRAD_BATCH_BATCHPROGRAMS_H

#include "passes/batch/OpenBatch.h"

#include "mlir/IR/OwningOpRef.h"

namespace cellgrad {

/// Names the programs for known sizes of an entry, an array of symbols.
inline constexpr llvm::StringLiteral kPrograms = "cell.batch_programs";

/// Rows of the tiles that a batch is cut into.
inline constexpr int64_t kBatchTileSizes[] = {128, 64, 32, 16, 8, 4, 2, 1};

/// The batches that have programs of their own: of 1, those that come often,
/// and where samples are added up also those of the size of a large tile.
llvm::SmallVector<int64_t> sizesWithPrograms(const OpenBatch &batch,
                                             llvm::ArrayRef<int64_t> tiles,
                                             bool adds);

/// Adds `programs`, a module with the entries of `module` for another batch
/// size, or for the stand-in, to the latter, private and under other names. It
/// is consumed. Entries that compute samples one by one take it only for
/// a batch of 1, and for sizes that come often.
void addBatchPrograms(mlir::ModuleOp module, const OpenBatch &batch,
                      mlir::OwningOpRef<mlir::ModuleOp> programs);

/// The functions that `entry` names in `cell.batch_programs`.
llvm::SmallVector<mlir::func::FuncOp> batchProgramsOf(mlir::func::FuncOp entry);

/// The size that a program is for, by its arguments; the stand-in where it is
/// for each.
int64_t sizeOfProgram(mlir::func::FuncOp entry, mlir::func::FuncOp program,
                      const OpenBatch &batch);

/// Refuses a program that takes or gives other things than `entry`.
mlir::LogicalResult checkProgram(mlir::func::FuncOp entry,
                                 mlir::func::FuncOp program,
                                 const OpenBatch &batch);

} // namespace cellgrad

#endif
