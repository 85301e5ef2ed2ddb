//===- ControlFlow.cpp - loops and branches as blocks ---------------------===//
//
// Every loop and branch splits its block in two. The dialect conversion can
// take that back, and so keeps a record of each op behind the split: of a block
// with a thousand branches it recorded half a million moves, of one with five
// thousand 6 GB. Here MLIR's patterns run before it, with nothing recorded,
// and the last branch first, so that what is behind a split is short.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/ControlFlow.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"

using namespace mlir;

LogicalResult cellgrad::lowerControlFlow(ModuleOp module) {
  MLIRContext *ctx = module.getContext();
  RewritePatternSet set(ctx);
  populateSCFToControlFlowConversionPatterns(set);
  FrozenRewritePatternSet patterns(std::move(set));
  PatternApplicator applicator(patterns);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(ctx);
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (isa_and_present<scf::SCFDialect>(op->getDialect()) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      rewriter.setInsertionPoint(op);
      if (failed(applicator.matchAndRewrite(op, rewriter)))
        return op->emitOpError("has no form in blocks and branches");
    }
  }
  return success();
}
