//===- Check.cpp - checks as checks of one truth value --------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

struct CheckLowering : OpRewritePattern<CheckOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CheckOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value ok = op.getOk();
    auto type = dyn_cast<RankedTensorType>(ok.getType());
    if (!type)
      return failure();
    if (type.getNumElements() == 0) {
      rewriter.eraseOp(op);
      return success();
    }
    if (type.getRank() > 0) {
      Value init = filledTensor(
          rewriter, loc, RankedTensorType::get({}, type.getElementType()),
          rewriter.getBoolAttr(true));
      ok = linalg::ReduceOp::create(
               rewriter, loc, ValueRange{ok}, ValueRange{init},
               llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())),
               [](OpBuilder &b, Location bodyLoc, ValueRange args) {
                 Value all =
                     arith::AndIOp::create(b, bodyLoc, args[0], args[1]);
                 linalg::YieldOp::create(b, bodyLoc, all);
               })
               .getResult(0);
    }
    Value all = tensor::ExtractOp::create(rewriter, loc, ok, ValueRange());
    rewriter.replaceOpWithNewOp<CheckOp>(op, all, op.getMessageAttr());
    return success();
  }
};

} // namespace

void cellgrad::populateCheckToLinalg(RewritePatternSet &patterns) {
  patterns.add<CheckLowering>(patterns.getContext());
}
