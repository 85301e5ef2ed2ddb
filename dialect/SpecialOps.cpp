//===- SpecialOps.cpp - polygamma functions -------------------------------===//

#include "dialect/CellDialect.h"
#include "dialect/SpecialMath.h"

using namespace mlir;

namespace cellgrad {

/// Beyond it the factorial in front leaves what float64 holds.
static constexpr int64_t maxOrder = 100;

LogicalResult PolygammaOp::verify() {
  if (getOrder() < 1 || getOrder() > maxOrder)
    return emitOpError("has order ")
           << getOrder() << "; from 1 to " << maxOrder
           << " is expected (order 0 is cell.digamma)";
  return success();
}

Value PolygammaOp::buildScalar(OpBuilder &builder, Location loc,
                               ValueRange args) {
  return special::PolygammaOp::create(builder, loc, args[0].getType(), args[0],
                                      getOrder());
}

} // namespace cellgrad
