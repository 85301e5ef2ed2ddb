//===- EmptyArguments.cpp - buffers without elements ----------------------===//

#include "passes/lower/buffers/EmptyArguments.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

void cellgrad::flattenEmptyArguments(FunctionOpInterface func) {
  if (func.isDeclaration())
    return;
  SmallVector<Type> types(func.getArgumentTypes());
  for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !type.hasStaticShape() || type.getNumElements() != 0 ||
        !argument.use_empty())
      continue;
    types[i] =
        MemRefType::get({0}, type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace());
    argument.setType(types[i]);
  }
  func.setType(func.cloneTypeWith(types, func.getResultTypes()));
}
