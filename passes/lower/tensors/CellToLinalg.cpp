//===- CellToLinalg.cpp - lower the cell dialect to linalg ----------------===//

#include "dialect/CollectiveOps.h"
#include "dialect/SpecialMath.h"
#include "passes/lower/tensors/LoopOfOp.h"
#include "passes/lower/tensors/Lowerings.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_CELLTOLINALG
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

/// Keeps values apart until bufferisation.
LogicalResult cellgrad::lower(BarrierOp, PatternRewriter &) {
  return failure();
}

/// cell-decompose makes a factorization and triangular solves of it, which come
/// here.
LogicalResult cellgrad::lower(SolveOp, PatternRewriter &) { return failure(); }

namespace {

/// Ops that bufferisation and the conversion to LLVM know.
bool actsAtRunTime(Operation *op) {
  return isa<cellgrad::PrintOp, cellgrad::CheckOp, cellgrad::BarrierOp,
             cellgrad::StashEmptyOp, cellgrad::StashReadOp,
             cellgrad::StashWriteOp>(op) ||
         op->hasTrait<cellgrad::Collective>();
}

class CellToLinalg : public cellgrad::impl::CellToLinalgBase<CellToLinalg> {
public:
  using CellToLinalgBase::CellToLinalgBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    cellgrad::populateLowerings</*sequential=*/false>(set);
    cellgrad::populateCheckToLinalg(set);
    cellgrad::populateElementwiseToLinalg(set);
    cellgrad::populateEmptyResultToLinalg(set);
    patterns = std::move(set);
    RewritePatternSet before(context);
    cellgrad::populateConvolutionPhases(before);
    cellgrad::populateSumsOfPads(before);
    first = std::move(before);
    return success();
  }

  void runOnOperation() override {
    if (failed(refuseUnsigned()))
      return signalPassFailure();
    getOperation().walk(replaceZerosOfMessage);
    walkAndApplyPatterns(getOperation(), first);
    cellgrad::lowerAndMarkLoops(getOperation(), patterns);
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!isa<cellgrad::CellDialect>(op->getDialect()) || actsAtRunTime(op) ||
          op->hasTrait<cellgrad::Sequential>())
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitOpError("has no lowering");
      if (isa<cellgrad::VJPOp, cellgrad::JVPOp, cellgrad::VMapOp>(op))
        error << "; run --cell-differentiate first";
      else if (isa<cellgrad::SolveOp>(op))
        error << "; run --cell-decompose first";
      else
        error << " for these types";
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }

private:
  /// What a message gives its sender is there for derivatives.
  static void replaceZerosOfMessage(cellgrad::SendOp send) {
    if (send.use_empty())
      return;
    OpBuilder b(send);
    send.getResult().replaceAllUsesWith(arith::ConstantOp::create(
        b, send.getLoc(), b.getZeroAttr(send.getType())));
  }

  /// Signless integers are signed here.
  LogicalResult refuseUnsigned() {
    auto isUnsigned = [](Type type) {
      return getElementTypeOrSelf(type).isUnsignedInteger();
    };
    WalkResult found = getOperation().walk([&](Operation *op) {
      if (llvm::none_of(op->getOperandTypes(), isUnsigned) &&
          llvm::none_of(op->getResultTypes(), isUnsigned))
        return WalkResult::advance();
      op->emitOpError("has unsigned integers; run --cell-lower-unsigned first");
      return WalkResult::interrupt();
    });
    return failure(found.wasInterrupted());
  }

  FrozenRewritePatternSet patterns, first;
};

} // namespace
