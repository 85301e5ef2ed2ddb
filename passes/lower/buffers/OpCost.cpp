//===- OpCost.cpp - what an op of a body costs ----------------------------===//
//
// Only what is listed here is taken to be short: an op that is added to a
// dialect is Long until it is.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/OpCost.h"

#include "passes/lower/buffers/Items.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;

namespace cellgrad {

static bool isCheap(Operation &op) {
  bool computes =
      isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
          arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
          arith::AddUIExtendedOp, arith::MulUIExtendedOp,
          arith::MulSIExtendedOp, arith::MaxSIOp, arith::MaxUIOp,
          arith::MinSIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp,
          arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
          arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op);
  bool converts =
      isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
          arith::FPToUIOp, arith::BitcastOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op);
  bool changesBits =
      isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
          math::IsFiniteOp, math::IsInfOp, math::IsNaNOp>(op);
  return computes || converts || changesBits ||
         isa<arith::ConstantOp, linalg::IndexOp>(op);
}

OpCost costOf(Operation &op) {
  if (isCheap(op))
    return OpCost::Cheap;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return OpCost::Division;
  if (isa<memref::LoadOp, tensor::ExtractOp>(op))
    return OpCost::Load;
  return OpCost::Long;
}

double nanosecondsOfTraffic(double bytes) {
  // Measured on one core of a server: docs/performance.md.
  constexpr double kBytesPerNanosecond = 25;
  return bytes / kBytesPerNanosecond;
}

double productOfSizes(ArrayRef<int64_t> sizes) {
  constexpr double kBatch = 64;
  double product = 1;
  for (int64_t size : sizes)
    product *= ShapedType::isDynamic(size) ? kBatch : double(size);
  return product;
}

double nanosecondsOfTraffic(linalg::LinalgOp op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      bytes += productOfSizes(type.getShape()) *
               std::max(8u, type.getElementTypeBitWidth()) / 8;
  return nanosecondsOfTraffic(bytes);
}

double estimateNanoseconds(linalg::LinalgOp op) {
  // Measured as above.
  constexpr double kShort = 0.05, kLong = 0.4;
  double iterations = productOfSizes(op.getStaticLoopRanges()), arithmetic = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!isa<arith::ConstantOp>(inner))
      arithmetic += costOf(inner) == OpCost::Long ? kLong : kShort;
  return std::max(nanosecondsOfTraffic(op), iterations * arithmetic);
}

double nanosecondsOfProducts(double operations, Type element) {
  // Measured as above, on vectors of 512 bits: docs/figures.md. Narrower
  // elements are computed as f32.
  constexpr double kBitsPerNanosecond = 100 * 32;
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  return operations * std::max(32u, bits) / kBitsPerNanosecond;
}

double nanosecondsOfProduct(linalg::GenericOp op) {
  return nanosecondsOfProducts(2 * productOfSizes(op.getStaticLoopRanges()),
                               getElementTypeOrSelf(op.getOutputs()[0]));
}

double tripsOf(Operation *op) {
  constexpr double kFew = 8;
  if (isa<scf::WhileOp>(op))
    return kFew;
  for (StringRef name : {kTiles, kTileTrips})
    if (auto trips = op->getAttrOfType<FloatAttr>(name))
      return trips.getValueAsDouble();
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return 1;
  double trips = 1;
  for (auto [from, to, by] :
       llvm::zip_equal(*loop.getLoopLowerBounds(), *loop.getLoopUpperBounds(),
                       *loop.getLoopSteps())) {
    auto first = getConstantIntValue(from), last = getConstantIntValue(to),
         step = getConstantIntValue(by);
    trips *= first && last && step && *step > 0
                 ? std::max(0.0, std::ceil(double(*last - *first) / *step))
                 : kFew;
  }
  return trips;
}

double estimateNanoseconds(Operation *op) {
  constexpr double kInstruction = 0.3, kCopiedBytes = 12;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return estimateNanoseconds(linalgOp);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    return double(type.getNumElements()) *
           std::max(8u, type.getElementTypeBitWidth()) / 8 / kCopiedBytes;
  }
  double body = op->getNumRegions() ? 0 : kInstruction;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      body += estimateNanoseconds(&inner);
  return tripsOf(op) * body;
}

} // namespace cellgrad
