//===- SumPhases.h - programs that add up over the batch ------------------===//
//
// What is computed of the batch's samples may depend on sums over the batch, as
// a training step's update on the gradient, and a normalised sample on the
// mean. Such a program is cut into phases. Phase k goes over all samples and
// computes the sums that need nothing but what phases before have given. Up to
// a batch size, what was costly to compute of the samples is kept between the
// phases. For larger batches samples are computed again in each phase that
// needs them, so that memory does not grow with the batch. Shared values are
// computed once, between the phases.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_SUMPHASES_H
#define CELLGRAD_BATCH_SUMPHASES_H

#include "passes/batch/TileLoops.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// Rewrites an entry into phases.
class SumPhases {
public:
  /// Copies a function for tiles.
  using Tiles = llvm::function_ref<llvm::SmallVector<Tile>(mlir::func::FuncOp)>;

  /// Samples of batches up to `mostKept` are kept, if that needs little memory,
  /// and those of batches up to `alwaysKept` in any case.
  /// With `byRows`, products that sum over kept samples are of all of them.
  SumPhases(mlir::func::FuncOp entry, const OpenBatch &batch,
            const SampleFlow &flow, int64_t mostKept, int64_t alwaysKept,
            bool byRows)
      : entry(entry), batch(batch), flow(flow), mostKept(mostKept),
        alwaysKept(alwaysKept), byRows(byRows) {}

  /// `size` is the batch, in the entry. `whole` are programs for batches of
  /// known sizes, which need no phases.
  void build(mlir::Value size, llvm::ArrayRef<Tile> whole, Tiles tiles);

private:
  /// What the function of a phase is made of.
  struct Needs {
    llvm::DenseSet<mlir::Operation *> ops;
    llvm::SetVector<mlir::Value> inputs;
    llvm::SmallVector<mlir::Value> outputs;
    llvm::SmallVector<Combine> combines;
    /// Results of the entry that the last outputs are.
    llvm::SmallVector<size_t> positions;
  };

  void findPhases(bool early);
  void findLive();
  bool canBeKept(mlir::Value value) const;
  llvm::DenseSet<mlir::Value> worthKeeping(bool withChains) const;
  int64_t keepUsed(const llvm::DenseSet<mlir::Value> &worth);
  Needs needsOf(int64_t phase, const llvm::DenseSet<mlir::Value> &made) const;
  void chooseKept();
  void findRowProducts();
  void emitRowProducts(int64_t phase, mlir::OpBuilder &b, mlir::Value size);
  void emitPhase(int64_t phase, mlir::OpBuilder &b, mlir::Value size,
                 Tiles tiles);
  void countFromSample(RandomBitsOp bits, mlir::func::FuncOp function);
  void countFromSample(IotaOp iota, mlir::func::FuncOp function);
  llvm::SmallVector<mlir::Value> emitAll(mlir::OpBuilder &b, mlir::Value size,
                                         Tiles tiles);

  mlir::func::FuncOp entry;
  const OpenBatch &batch;
  const SampleFlow &flow;
  int64_t mostKept;   ///< batches up to this size keep samples; 0: none does
  int64_t alwaysKept; ///< the same, however many bytes that takes
  bool byRows;        ///< whether there may be products of rows
  llvm::SmallVector<mlir::Operation *> ops; ///< of the entry, in order
  int64_t last = 0;                         ///< phase
  /// In which the sums of an op that uses samples are computed; before which a
  /// shared value is.
  llvm::DenseMap<mlir::Operation *, int64_t> phaseOf;
  llvm::DenseSet<mlir::Operation *> live;
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::Value> samples; ///< results that have some, when made
  llvm::SetVector<mlir::Value> kept;      ///< values with samples
  /// Products of rows (RowProducts.h), and what they multiply.
  llvm::DenseSet<mlir::Operation *> rowProducts;
  llvm::DenseSet<mlir::Value> factors;
  llvm::DenseSet<mlir::Value> made; ///< of them, by phases before
  mlir::IRMapping map; ///< from the entry's values to those of the phases
};

} // namespace cellgrad

#endif
