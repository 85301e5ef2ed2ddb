//===- SequentialToLoops.cpp - lower sequential ops to loops --------------===//

#include "passes/lower/sequential/Passes.h"

#include "passes/lower/tensors/LoopOfOp.h"
#include "passes/lower/tensors/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cellgrad {
#define GEN_PASS_DEF_SEQUENTIALTOLOOPS
#include "passes/lower/sequential/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

struct SequentialToLoops
    : cellgrad::impl::SequentialToLoopsBase<SequentialToLoops> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateLowerings<true>(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    lowerAndMarkLoops(getOperation(), patterns);
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!op->hasTrait<Sequential>())
        return WalkResult::advance();
      op->emitOpError("has no lowering to loops for these types");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
