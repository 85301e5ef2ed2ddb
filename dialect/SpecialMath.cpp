//===- SpecialMath.cpp - special functions of scalars and vectors ---------===//

#include "dialect/SpecialMath.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

#include "dialect/SpecialMathDialect.cpp.inc"

/// The type with integers of the same width for its floats.
static Type integersLike(Type type) {
  Type element = IntegerType::get(
      type.getContext(), getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vectorType = dyn_cast<VectorType>(type);
  return vectorType ? vectorType.clone(element) : element;
}

#define GET_OP_CLASSES
#include "dialect/SpecialMath.cpp.inc"

void cellgrad::special::SpecialDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/SpecialMath.cpp.inc"
      >();
}
