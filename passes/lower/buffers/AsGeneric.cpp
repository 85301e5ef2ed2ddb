//===- AsGeneric.cpp - ops on buffers as linalg.generic -------------------===//

#include "passes/lower/buffers/AsGeneric.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// A copy as a nest that moves one element per iteration.
static linalg::GenericOp copyToGeneric(RewriterBase &rewriter,
                                       memref::CopyOp copy) {
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

FailureOr<linalg::GenericOp> cellgrad::replaceByGeneric(RewriterBase &rewriter,
                                                        Operation *op) {
  if (auto already = dyn_cast<linalg::GenericOp>(op))
    return already;
  rewriter.setInsertionPoint(op);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    if (copy.getSource() != copy.getTarget())
      return copyToGeneric(rewriter, copy);
    rewriter.eraseOp(copy);
    return linalg::GenericOp();
  }
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  if (failed(generic))
    op->emitOpError("has no linalg.generic form");
  return generic;
}
