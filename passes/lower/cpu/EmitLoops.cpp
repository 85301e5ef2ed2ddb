//===- EmitLoops.cpp - linalg on memrefs to vector loops ------------------===//

#include "passes/lower/cpu/NestEmitter.h"

#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITLOOPS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// A copy as a nest that moves one element per iteration.
linalg::GenericOp copyToGeneric(RewriterBase &rewriter, memref::CopyOp copy) {
  rewriter.setInsertionPoint(copy);
  auto rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, copy.getLoc(), copy.getSource(), copy.getTarget(),
      ArrayRef<AffineMap>{identity, identity}, kinds,
      [](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, args[0]);
      });
  rewriter.eraseOp(copy);
  return generic;
}

struct EmitLoops : cellgrad::impl::EmitLoopsBase<EmitLoops> {
  using EmitLoopsBase::EmitLoopsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      linalg::GenericOp generic;
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        if (copy.getSource() == copy.getTarget()) {
          rewriter.eraseOp(copy);
          continue;
        }
        generic = copyToGeneric(rewriter, copy);
      } else {
        rewriter.setInsertionPoint(op);
        FailureOr<linalg::GenericOp> converted = failure();
        if (auto already = dyn_cast<linalg::GenericOp>(op))
          converted = already;
        else
          converted =
              linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
        if (failed(converted)) {
          op->emitOpError("has no linalg.generic form");
          return signalPassFailure();
        }
        generic = *converted;
      }
      if (failed(cellgrad::emitNest(rewriter, generic, *target, printPlan)))
        return signalPassFailure();
    }
  }
};

} // namespace
