//===- Addresses.cpp - addresses in loops, before code generation ---------===//

#include "passes/emit/Addresses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <optional>
#include <tuple>

using namespace cellgrad;
using namespace llvm;

namespace {
/// What is left of a sum of more terms is one: a number that is added to itself
/// forty times has more than anyone can count.
constexpr size_t kMostTerms = 16;

/// The terms of a sum, by when they change.
struct Sum {
  SmallVector<Value *, 4> fixed;    ///< not in the loop
  SmallVector<Value *, 4> changing; ///< in the loop
  APInt constant;
};

void addTerms(Value *value, const Loop &loop, Sum &sum) {
  if (auto *number = dyn_cast<ConstantInt>(value)) {
    sum.constant += number->getValue();
  } else if (loop.isLoopInvariant(value)) {
    sum.fixed.push_back(value);
  } else if (auto *add = dyn_cast<BinaryOperator>(value);
             add && add->getOpcode() == Instruction::Add &&
             sum.changing.size() < kMostTerms) {
    addTerms(add->getOperand(0), loop, sum);
    addTerms(add->getOperand(1), loop, sum);
  } else {
    sum.changing.push_back(value);
  }
}

class Splitter {
public:
  explicit Splitter(LoopInfo &loops) : loops(loops) {}

  bool run(Function &function) {
    SmallVector<GetElementPtrInst *> addresses;
    for (BasicBlock &block : function)
      if (loops.getLoopFor(&block))
        for (Instruction &op : block)
          if (auto *address = dyn_cast<GetElementPtrInst>(&op))
            addresses.push_back(address);
    bool changed = false;
    for (GetElementPtrInst *address : addresses)
      changed |= split(address);
    return changed;
  }

private:
  /// A block, what is added to what, and the type of the elements.
  using Key =
      std::tuple<BasicBlock *, Value *, SmallVector<Value *, 4>, Type *>;

  /// The sum of the terms by when they change in the loop of `place`, if it
  /// adds to a base of before the loop both what changes and what does not.
  std::optional<Sum> divide(Value *base, ArrayRef<Value *> terms,
                            Instruction *place) {
    Loop *loop = loops.getLoopFor(place->getParent());
    if (!loop || !loop->getLoopPreheader() || !loop->isLoopInvariant(base))
      return std::nullopt;
    Sum sum{{}, {}, APInt(terms.front()->getType()->getIntegerBitWidth(), 0)};
    for (Value *term : terms)
      addTerms(term, *loop, sum);
    if (sum.fixed.empty() || sum.changing.empty())
      return std::nullopt;
    return sum;
  }

  /// `base + terms`, with each part ahead of the loops that do not change it.
  Value *address(Value *base, ArrayRef<Value *> terms, Type *element,
                 Instruction *place) {
    if (auto sum = divide(base, terms, place)) {
      Loop *loop = loops.getLoopFor(place->getParent());
      Value *fixed = address(base, sum->fixed, element,
                             loop->getLoopPreheader()->getTerminator());
      Value *changing = add(fixed, sum->changing, element, place);
      if (sum->constant.isZero())
        return changing;
      Type *type = terms.front()->getType();
      return add(changing, {ConstantInt::get(type, sum->constant)}, element,
                 place);
    }
    return add(base, terms, element, place);
  }

  Value *add(Value *base, ArrayRef<Value *> terms, Type *element,
             Instruction *place) {
    // In a block, what was added first is ahead of all others.
    Value *&known = addresses[Key(place->getParent(), base,
                                  SmallVector<Value *, 4>(terms), element)];
    if (known)
      return known;
    IRBuilder<> b(place);
    Value *index = terms.front();
    for (Value *term : terms.drop_front())
      index = b.CreateAdd(index, term);
    return known = b.CreateGEP(element, base, index);
  }

  bool split(GetElementPtrInst *old) {
    if (old->getNumIndices() != 1 || old->getType()->isVectorTy())
      return false;
    Value *base = old->getPointerOperand(), *index = *old->idx_begin();
    // A narrower index is one number with a sign, no sum.
    if (index->getType()->getIntegerBitWidth() <
        old->getDataLayout().getIndexTypeSizeInBits(old->getType()))
      return false;
    if (!divide(base, index, old))
      return false;
    old->replaceAllUsesWith(
        address(base, index, old->getSourceElementType(), old));
    RecursivelyDeleteTriviallyDeadInstructions(old);
    return true;
  }

  LoopInfo &loops;
  std::map<Key, Value *> addresses;
};
} // namespace

PreservedAnalyses SplitAddresses::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  Splitter splitter(analyses.getResult<LoopAnalysis>(function));
  if (!splitter.run(function))
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}
