//===- OpenBatch.h - modules whose batch size is not known ----------------===//
//
// Such a module is a program for one batch size that no other dimension has:
// the stand-in. All of inference, verification and simplification works on it
// as on any program. It is a program for every batch size because each op
// treats the rows of its operands one by one, which `checkRows` proves op by
// op.
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

  /// Whether `type` is a tensor of one row a sample.
  bool hasRows(mlir::Type type) const;
};

/// The batch of `module`, none where it has a known size. An ill-formed
/// attribute is an error.
mlir::FailureOr<std::optional<OpenBatch>> readOpenBatch(mlir::ModuleOp module);

/// The functions that `entry` calls, and itself, callees first.
llvm::SmallVector<mlir::func::FuncOp> reachableFrom(mlir::func::FuncOp entry);

/// Refuses ops of `function` that mix samples, and such whose rules are not
/// known.
mlir::LogicalResult checkRows(mlir::func::FuncOp function,
                              const OpenBatch &batch);

/// Makes calls with rules for derivatives plain calls: a program of an open
/// batch differentiates nothing.
void dropRules(mlir::func::FuncOp function);

/// Gives the batch a size, in all types and attributes of `function`.
void setBatchSize(mlir::func::FuncOp function, const OpenBatch &batch,
                  int64_t size);

/// Refuses, at the op, that the program captured for `size` samples,
/// `captured`, is another than `open` is at this size.
mlir::LogicalResult checkSameProgram(mlir::ModuleOp open,
                                     const OpenBatch &batch,
                                     mlir::ModuleOp captured, int64_t size);

} // namespace cellgrad

#endif
