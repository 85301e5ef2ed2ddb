//===- SpecialMath.cpp - special functions of scalars and vectors ---------===//

#include "dialect/SpecialMath.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "dialect/SpecialMathDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/SpecialMath.cpp.inc"

void cellgrad::special::SpecialDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/SpecialMath.cpp.inc"
      >();
}
