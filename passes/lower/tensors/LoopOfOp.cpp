//===- LoopOfOp.cpp - loops that are a part of one op ---------------------===//

#include "passes/lower/tensors/LoopOfOp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

void cellgrad::lowerAndMarkLoops(Operation *root,
                                 const FrozenRewritePatternSet &patterns) {
  DenseSet<Operation *> ofProgram;
  root->walk([&](scf::ForOp loop) { ofProgram.insert(loop); });
  walkAndApplyPatterns(root, patterns);
  root->walk([&](scf::ForOp loop) {
    if (!ofProgram.contains(loop))
      loop->setAttr(kLoopOfOp, UnitAttr::get(root->getContext()));
  });
}
