//===- SumPhases.h - programs that are cut into phases --------------------===//
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
// Where samples are kept, layers cut a program, too: a product of the rows of
// all samples at once (RowProducts.h) is there for the phases that follow.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_SUMPHASES_H
#define CELLGRAD_BATCH_SUMPHASES_H

#include "passes/batch/RowProducts.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// Rewrites an entry into phases.
class SumPhases {
public:
  /// Copies a function for tiles: for each, or for about every other size.
  using Tiles = llvm::function_ref<llvm::SmallVector<Tile>(mlir::func::FuncOp,
                                                           bool everyOther)>;

  /// Samples of batches up to `mostKept` are kept, if that needs little memory,
  /// and those of batches up to `alwaysKept` in any case.
  /// With `byRows`, products of kept samples are of all of them at once.
  SumPhases(mlir::func::FuncOp entry, const OpenBatch &batch,
            const SampleFlow &flow, int64_t mostKept, int64_t alwaysKept,
            bool byRows)
      : entry(entry), batch(batch), flow(flow), mostKept(mostKept),
        alwaysKept(alwaysKept), byRows(byRows) {}

  /// `size` is the batch, in the entry. `whole` are programs for batches of
  /// known sizes, which need no phases.
  void build(mlir::Value size, llvm::ArrayRef<Tile> whole, Tiles tiles);

  /// The same for an entry whose samples know nothing of each other: one part
  /// of the batch after the other, of at most `mostKept` samples. Changes
  /// nothing, and returns false, where no product would be of all of them.
  bool buildInParts(mlir::Value size, Tiles tiles);

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

  void begin(mlir::Value size);
  /// Whether a value is there only when the loops of a phase have ended.
  bool endsPhase(mlir::Value value) const;
  void findPhases(bool early);
  void findLive();
  bool canBeKept(mlir::Value value) const;
  llvm::DenseSet<mlir::Value> worthKeeping(bool withChains) const;
  int64_t keepUsed(const llvm::DenseSet<mlir::Value> &worth);
  Needs needsOf(int64_t phase, const llvm::DenseSet<mlir::Value> &made) const;
  void chooseKept();
  void findRowProducts(bool layers);
  mlir::Value wholeOf(mlir::OpBuilder &b, mlir::Value factor);
  void emitRowProducts(int64_t phase, mlir::OpBuilder &b);
  void emitPhase(int64_t phase, mlir::OpBuilder &b, Tiles tiles,
                 mlir::ValueRange into);
  llvm::SmallVector<mlir::Value> emitAll(mlir::OpBuilder &b, SomeSamples some,
                                         Tiles tiles,
                                         mlir::ValueRange into = {});

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
  int64_t bytesOfSample = 0;              ///< in what is kept
  /// Whether phases compute what they may compute in another way.
  bool repeats = false;
  /// What is kept for speed alone leaves room for so many samples.
  int64_t fewestKept = 512;
  /// Products of rows (RowProducts.h), and the samples that they multiply.
  llvm::DenseMap<mlir::Operation *, RowProduct> rowProducts;
  llvm::DenseSet<mlir::Value> factors;
  llvm::DenseSet<mlir::Value> made; ///< of what is kept, by phases before
  mlir::Value size;                 ///< the batch
  SomeSamples some;                 ///< of it, which phases are emitted for
  mlir::IRMapping map; ///< from the entry's values to those of the phases
};

} // namespace cellgrad

#endif
