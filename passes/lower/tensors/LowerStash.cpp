//===- LowerStash.cpp - stashes of known capacity as tensors --------------===//

#include "dialect/CellDialect.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_LOWERSTASHPASS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

bool isKnown(Type type) {
  auto stash = dyn_cast<StashType>(type);
  return stash && stash.getCapacity() > 0;
}

RankedTensorType tensorOf(StashType type) {
  return withRows(type.getElement(), type.getCapacity());
}

/// Whether a loop that starts with this stash writes every position, before
/// anything reads one.
bool isFilledByLoop(StashEmptyOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  if (!loop || use.getOperandNumber() < loop.getNumControlOperands())
    return false;
  BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
  return carried.hasOneUse() && isa<StashWriteOp>(*carried.user_begin());
}

struct EmptyPattern : OpConversionPattern<StashEmptyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StashEmptyOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = tensorOf(op.getType());
    if (isFilledByLoop(op))
      rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, type.getShape(),
                                                   type.getElementType());
    else
      rewriter.replaceOpWithNewOp<ConstantOp>(
          op, cast<ElementsAttr>(rewriter.getZeroAttr(type)));
    return success();
  }
};

struct ReadPattern : OpConversionPattern<StashReadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StashReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, readRow(rewriter, op.getLoc(), adaptor.getStash(),
                                   op.getType(), adaptor.getPosition()));
    return success();
  }
};

struct WritePattern : OpConversionPattern<StashWriteOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(StashWriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, writeRow(rewriter, op.getLoc(), adaptor.getX(),
                                    adaptor.getStash(), adaptor.getPosition()));
    return success();
  }
};

/// An addition is a read, a sum and a write.
struct AddPattern : OpRewritePattern<StashAddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StashAddOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value old = StashReadOp::create(rewriter, loc, op.getX().getType(),
                                    op.getStash(), op.getPosition());
    Value sum = AddOp::create(rewriter, loc, old, op.getX());
    rewriter.replaceOpWithNewOp<StashWriteOp>(op, op.getType(), sum,
                                              op.getStash(), op.getPosition());
    return success();
  }
};

class LowerStashPass
    : public cellgrad::impl::LowerStashPassBase<LowerStashPass> {
public:
  using LowerStashPassBase::LowerStashPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet additions(context);
    additions.add<AddPattern>(context);
    walkAndApplyPatterns(getOperation(), std::move(additions));

    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](StashType type) -> Type {
      return isKnown(type) ? Type(tensorOf(type)) : type;
    });
    RewritePatternSet patterns(context);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalOp<StashEmptyOp, StashReadOp, StashWriteOp>(
        [](Operation *op) {
          return llvm::none_of(op->getOperandTypes(), isKnown) &&
                 llvm::none_of(op->getResultTypes(), isKnown);
        });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    patterns.add<EmptyPattern, ReadPattern, WritePattern>(converter, context);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
