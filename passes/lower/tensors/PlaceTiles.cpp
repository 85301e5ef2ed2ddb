//===- PlaceTiles.cpp - compute tiles in their places ---------------------===//
//
// What is computed of a tile of an open batch goes to its place in a tensor for
// all samples, and what is computed of all of them at once to that of as many
// as there may be. Upstream's elimination of empty tensors does that where a
// result is inserted; at worst bufferisation finds a conflict, and copies.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Passes.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLACETILES
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// The part that `insertion` writes, if it does so in a loop over tiles, or of
/// as many rows as there are.
Value partOfBatch(RewriterBase &rewriter, SubsetInsertionOpInterface insertion,
                  tensor::EmptyOp empty, Operation *user) {
  bool isTile = insertion->getParentOp()->hasAttr(cellgrad::kTileTrips);
  if (!isTile && cast<RankedTensorType>(empty.getType()).hasStaticShape())
    return {};
  return bufferization::buildSubsetExtraction(rewriter, insertion, empty, user);
}

struct PlaceTiles : cellgrad::impl::PlaceTilesBase<PlaceTiles> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(cellgrad::kBatchTiles))
      return;
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    bufferization::OneShotAnalysisState state(function, options);
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::analyzeOp(function, state)) ||
        failed(bufferization::eliminateEmptyTensors(rewriter, function, state,
                                                    partOfBatch)))
      signalPassFailure();
  }
};

} // namespace
