//===- CheckOps.cpp - what must hold when the graph runs ------------------===//

#include "dialect/CellDialect.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace cellgrad {

LogicalResult CheckOp::verify() {
  if (getMessage().empty())
    return emitOpError("needs a message that says what does not hold");
  return success();
}

namespace {

/// What always holds is not checked.
struct CheckOfTrue : OpRewritePattern<CheckOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CheckOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr values;
    if (!matchPattern(op.getOk(), m_Constant(&values)) ||
        !llvm::all_of(values.getValues<bool>(), [](bool ok) { return ok; }))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void CheckOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                          MLIRContext *context) {
  set.add<CheckOfTrue>(context);
}

LogicalResult CheckOp::buildBatched(OpBuilder &builder,
                                    ArrayRef<Value> operands,
                                    const llvm::SmallBitVector &, int64_t,
                                    SmallVectorImpl<Value> &) {
  CheckOp::create(builder, getLoc(), operands[0], getMessage());
  return success();
}

} // namespace cellgrad
