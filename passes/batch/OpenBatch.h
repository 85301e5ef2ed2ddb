//===- OpenBatch.h - modules whose batch size is not known ----------------===//
//
// Such a module is a program for one batch size that no other dimension has:
// the stand-in. All of inference, verification and simplification works on it
// as on any program. It is a program for every batch size because each op
// treats the rows of its operands one by one, which `checkRows` proves op by
// op. First dimensions of k times the stand-in are k rows a sample, those of a
// sample next to each other: reshapes fold dimensions of a sample into rows.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_OPENBATCH_H
#define CELLGRAD_BATCH_OPENBATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace cellgrad {

/// What `cell.batch` says.
struct OpenBatch {
  int64_t size = 0; ///< the stand-in
  int64_t max = 0;  ///< largest batch that callers may ask for
  /// Sizes that get programs of their own.
  llvm::SmallVector<int64_t> often = {};

  /// Rows of a sample in `type`, which are along its first dimension; 0 where
  /// it is no tensor of rows.
  int64_t rowsOf(mlir::Type type) const;
  /// Whether `type` is a tensor of one row a sample, or more.
  bool hasRows(mlir::Type type) const { return rowsOf(type) > 0; }
};

/// The batch of `module`, none where it has a known size. An ill-formed
/// attribute is an error.
mlir::FailureOr<std::optional<OpenBatch>> readOpenBatch(mlir::ModuleOp module);

/// Sets `cell.batch`.
void setOpenBatch(mlir::ModuleOp module, const OpenBatch &batch);

/// Says in `cell.batch` how large batches may be. Refuses modules whose batch
/// is not open, and less than 1.
mlir::LogicalResult setLargestBatch(mlir::ModuleOp module, int64_t max);

/// Says in `cell.batch` which sizes get programs of their own. Refuses modules
/// whose batch is not open, and sizes that it cannot have.
mlir::LogicalResult setOftenBatches(mlir::ModuleOp module,
                                    llvm::ArrayRef<int64_t> often);

/// The functions that `entry` calls, and itself, callees first; `withRules`
/// also those that say what derivatives are.
llvm::SmallVector<mlir::func::FuncOp> reachableFrom(mlir::func::FuncOp entry,
                                                    bool withRules = false);

/// Refuses ops of `function` that mix samples, and such whose rules are not
/// known.
mlir::LogicalResult checkRows(mlir::func::FuncOp function,
                              const OpenBatch &batch);

/// Refuses `op` because of the samples that it mixes, which `why` says.
mlir::InFlightDiagnostic refuseMixing(mlir::Operation *op, llvm::StringRef why);

/// The shape of a tensor, with its multiples of the batch as such.
std::string shapeInWords(mlir::RankedTensorType type, const OpenBatch &batch);

/// Makes calls with rules for derivatives plain calls: a program of an open
/// batch differentiates nothing.
void dropRules(mlir::func::FuncOp function);

/// Says "batch" in messages of checks where they have the number of the
/// stand-in.
void nameBatchInMessages(mlir::ModuleOp module, const OpenBatch &batch);

/// Gives the batch a size, in all types and attributes of `function`.
void setBatchSize(mlir::func::FuncOp function, const OpenBatch &batch,
                  int64_t size);

/// A program that was captured for a batch of known size.
struct Captured {
  int64_t size;
  mlir::ModuleOp module;
};

/// Refuses, at the op, that a program in `captures` is another than `open` is
/// at its size. With `takesForms`, constants may follow from the batch size:
/// `open` then says how (BatchForms.h).
mlir::LogicalResult checkSamePrograms(mlir::ModuleOp open,
                                      const OpenBatch &batch,
                                      llvm::ArrayRef<Captured> captures,
                                      bool takesForms);

/// Makes `module`, which was captured for the stand-in, a program for every
/// batch size: it has to be the same program as those in `captures`, where
/// samples meet with derivatives written out. Sets `cell.batch`.
mlir::LogicalResult openBatch(mlir::ModuleOp module, const OpenBatch &batch,
                              llvm::ArrayRef<Captured> captures);

/// Whether all that `entry` gives is a row for each sample, computed by itself:
/// tiles of the batch need to know nothing of each other.
bool keepsSamplesApart(mlir::func::FuncOp entry, const OpenBatch &batch);

/// Whether `function` calls others or has derivatives to be written out.
bool callsOrDerives(mlir::func::FuncOp function);

/// Puts what `function` calls, directly or not, in the place of the calls.
void inlineCalls(mlir::func::FuncOp function);

/// Writes calls and derivatives out, and drops functions that nothing uses
/// then: what adds up over the batch is seen in one function.
mlir::LogicalResult expandDerivatives(mlir::ModuleOp module);

} // namespace cellgrad

#endif
