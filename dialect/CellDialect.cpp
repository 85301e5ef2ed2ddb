//===- CellDialect.cpp - registration and generated definitions -----------===//

#include "dialect/CellDialect.h"

#include "dialect/Addressable.h"
#include "dialect/CollectiveOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cellgrad;

#include "dialect/CellDialect.cpp.inc"

#include "dialect/CellInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/CellTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/CellOps.cpp.inc"

bool cellgrad::isAddressable(Type type) {
  constexpr int64_t limit = int64_t(1) << 47;
  int64_t bytes = 1;
  auto multiply = [&](int64_t size) {
    return !llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes) &&
           bytes <= limit;
  };
  if (auto stash = dyn_cast<StashType>(type)) {
    if (!multiply(stash.getCapacity()))
      return false;
    type = stash.getElement();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return true;
  return multiply(llvm::divideCeil(tensor.getElementTypeBitWidth(), 8)) &&
         llvm::all_of(tensor.getShape(), multiply);
}

void CellDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/CellOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/CollectiveOps.cpp.inc"
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
