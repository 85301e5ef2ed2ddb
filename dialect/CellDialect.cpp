//===- CellDialect.cpp - registration and generated definitions -----------===//

#include "dialect/CellDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cellgrad;

#include "dialect/CellDialect.cpp.inc"

#include "dialect/CellInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/CellTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/CellOps.cpp.inc"

void CellDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/CellOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/CellTypes.cpp.inc"
      >();
}

Operation *CellDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}
