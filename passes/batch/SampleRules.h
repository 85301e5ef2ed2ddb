//===- SampleRules.h - which results of an op have samples ----------------===//

#ifndef CELLGRAD_BATCH_SAMPLERULES_H
#define CELLGRAD_BATCH_SAMPLERULES_H

#include "passes/batch/SampleFlow.h"

namespace cellgrad {

/// What a rule says of the results of an op, which are all alike.
struct Outcome {
  Share share;
  Combine combine; ///< for sums over the batch
  std::string why; ///< not empty: there is no such rule

  Outcome(Share share = {}, Combine combine = Combine::None)
      : share(share), combine(combine) {}

  static Outcome refused(const std::string &why) {
    Outcome none;
    none.why = why;
    return none;
  }
};

/// What `op`, which has no regions, makes of its operands, of which some have
/// samples or are parts of sums, or of none where its results have the batch in
/// their types.
Outcome outcomeOf(mlir::Operation *op, const OpenBatch &batch,
                  llvm::function_ref<Share(mlir::Value)> shareOf);

/// The share of samples that may have either; none where they contradict.
std::optional<Share> joined(Share a, Share b);

/// Whether all elements of `value` are zero.
bool isZero(mlir::Value value);

} // namespace cellgrad

#endif
