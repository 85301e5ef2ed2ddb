//===- EqualCode.cpp - whether two pieces of code are the same ------------===//

#include "passes/lower/buffers/EqualCode.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cellgrad;

static bool isPaired(const IRMapping &map, Value x, Value y) {
  if (Value known = map.lookupOrNull(x))
    return known == y;
  Attribute constant, other;
  return matchPattern(x, m_Constant(&constant)) &&
         matchPattern(y, m_Constant(&other)) && constant == other;
}

bool CodeComparison::arePaired(ValueRange xs, ValueRange ys) {
  return xs.size() == ys.size() &&
         llvm::all_of(llvm::zip_equal(xs, ys), [&](auto both) {
           return isPaired(map, std::get<0>(both), std::get<1>(both));
         });
}

bool CodeComparison::isSame(Operation *x, Operation *y) {
  if (x->getName() != y->getName() ||
      x->getResultTypes() != y->getResultTypes() ||
      x->getRawDictionaryAttrs() != y->getRawDictionaryAttrs() ||
      x->getNumRegions() != y->getNumRegions() ||
      !x->getName().compareOpProperties(x->getPropertiesStorage(),
                                        y->getPropertiesStorage()) ||
      !arePaired(x->getOperands(), y->getOperands()))
    return false;
  for (auto [mine, other] : llvm::zip_equal(x->getRegions(), y->getRegions()))
    if (!isSame(mine, other))
      return false;
  map.map(x->getResults(), y->getResults());
  return true;
}

// Upstream's OperationEquivalence wants equal types of operands, and sorts
// those of commutative ops by their address.
bool CodeComparison::isSame(Region &x, Region &y) {
  if (!llvm::hasNItemsOrLess(x, 1) || !llvm::hasNItemsOrLess(y, 1) ||
      x.empty() != y.empty())
    return false;
  if (x.empty())
    return true;
  Block &mine = x.front(), &other = y.front();
  if (mine.getArgumentTypes() != other.getArgumentTypes() ||
      mine.getOperations().size() != other.getOperations().size())
    return false;
  map.map(mine.getArguments(), other.getArguments());
  return llvm::all_of(llvm::zip_equal(mine, other), [&](auto both) {
    return isSame(&std::get<0>(both), &std::get<1>(both));
  });
}
