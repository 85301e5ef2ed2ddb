//===- Shuffles.cpp - networks of shuffles, before code generation --------===//

#include "passes/emit/Shuffles.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace cellgrad;
using namespace llvm;

/// True for a shuffle of the elements of two vectors of floats.
static bool mixes(const ShuffleVectorInst *op) {
  auto *type = dyn_cast<FixedVectorType>(op->getType());
  Type *element = op->getType()->getElementType();
  return type && type == op->getOperand(0)->getType() &&
         (element->isFloatTy() || element->isDoubleTy()) &&
         !(isa<Constant>(op->getOperand(0)) &&
           isa<Constant>(op->getOperand(1)));
}

PreservedAnalyses CutShuffles::run(Function &function,
                                   FunctionAnalysisManager &) {
  SmallVector<ShuffleVectorInst *> cuts;
  for (BasicBlock &block : function) {
    // Levels of the network since the last cut.
    DenseMap<Value *, unsigned> levels;
    for (Instruction &op : block) {
      auto *shuffle = dyn_cast<ShuffleVectorInst>(&op);
      if (!shuffle || !mixes(shuffle))
        continue;
      unsigned level = 1 + std::max(levels.lookup(op.getOperand(0)),
                                    levels.lookup(op.getOperand(1)));
      levels[shuffle] = level % 2;
      bool goesOn = any_of(op.users(), [](User *user) {
        auto *next = dyn_cast<ShuffleVectorInst>(user);
        return next && mixes(next);
      });
      if (level == 2 && goesOn)
        cuts.push_back(shuffle);
    }
  }
  for (ShuffleVectorInst *shuffle : cuts) {
    IRBuilder<> b(shuffle->getNextNode());
    auto *cut =
        cast<Instruction>(b.CreateArithmeticFence(shuffle, shuffle->getType()));
    shuffle->replaceUsesWithIf(cut,
                               [&](Use &use) { return use.getUser() != cut; });
  }
  if (cuts.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}
