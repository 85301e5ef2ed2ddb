//===- EqualCode.cpp - whether two pieces of code are the same ------------===//

#include "passes/lower/buffers/EqualCode.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"

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

bool CodeComparison::isSame(Region &x, Region &y) {
  return OperationEquivalence::isRegionEquivalentTo(
      &x, &y,
      [&](Value mine, Value other) {
        return success(isPaired(map, mine, other));
      },
      [&](Value mine, Value other) { map.map(mine, other); },
      OperationEquivalence::IgnoreLocations,
      // Left to itself, the comparison sorts commutative operands by address.
      [&](ValueRange xs, ValueRange ys) { return success(arePaired(xs, ys)); });
}
