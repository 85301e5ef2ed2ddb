//===- Elementwise.cpp - elementwise ops as linalg.generic ----------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace cellgrad;

namespace {

using Payload = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// A linalg.generic on `inputs`, all of one shape, with body `payload`; null
/// where the payload has no meaning on the element types.
Value buildGeneric(PatternRewriter &rewriter, Location loc,
                   RankedTensorType type, ValueRange inputs, Payload payload) {
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Value init = emptyTensor(rewriter, loc, type);
  bool built = true;
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), inputs, ValueRange(init), maps, loops,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        Value value = payload(builder, bodyLoc, args.drop_back());
        built = static_cast<bool>(value);
        linalg::YieldOp::create(builder, bodyLoc, built ? value : args.back());
      });
  if (built)
    return generic.getResult(0);
  rewriter.eraseOp(generic);
  rewriter.eraseOp(init.getDefiningOp());
  return {};
}

/// Operands of atan2 that are not both 0, as MLIR folds that to NaN: the angle
/// of (0, y) with y = 0 is that of (1, y) or, for -0, of (-1, y).
std::array<Value, 2> withoutOrigin(OpBuilder &b, Location loc, Value y,
                                   Value x) {
  Type type = x.getType();
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
  auto isZero = [&](Value v) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, v, zero);
  };
  Value origin = arith::AndIOp::create(b, loc, isZero(y), isZero(x));
  Value unit = math::CopySignOp::create(b, loc, one, x);
  return {y, arith::SelectOp::create(b, loc, origin, unit, x)};
}

struct ScalarOpLowering : OpInterfaceRewritePattern<ScalarOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ScalarOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value result = buildGeneric(
        rewriter, op.getLoc(),
        cast<RankedTensorType>(op->getResult(0).getType()), op->getOperands(),
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          if (isa<Atan2Op>(op))
            return op.buildScalar(
                builder, loc, withoutOrigin(builder, loc, args[0], args[1]));
          return op.buildScalar(builder, loc, args);
        });
    if (!result)
      return failure();
    rewriter.replaceOp(op, result);
    return success();
  }
};

Value constant(OpBuilder &builder, Location loc, Type type, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value constant(OpBuilder &builder, Location loc, Type type,
               const APInt &value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// Truncation toward zero that saturates; NaN gives 0. arith.fptosi alone is
/// poison out of range, so out-of-range lanes are replaced after it.
Value floatToInt(OpBuilder &builder, Location loc, Value x, IntegerType to) {
  unsigned width = to.getWidth();
  if (!x.getType().isF64() && !x.getType().isF32())
    x = arith::ExtFOp::create(builder, loc, builder.getF32Type(), x);
  Type from = x.getType();
  double limit = std::ldexp(1.0, width - 1);
  Value result = arith::FPToSIOp::create(builder, loc, to, x);
  auto replaceWhere = [&](arith::CmpFPredicate predicate, Value bound,
                          APInt value) {
    Value outside = arith::CmpFOp::create(builder, loc, predicate, x, bound);
    result = arith::SelectOp::create(builder, loc, outside,
                                     constant(builder, loc, to, value), result);
  };
  replaceWhere(arith::CmpFPredicate::OGE, constant(builder, loc, from, limit),
               APInt::getSignedMaxValue(width));
  replaceWhere(arith::CmpFPredicate::OLT, constant(builder, loc, from, -limit),
               APInt::getSignedMinValue(width));
  replaceWhere(arith::CmpFPredicate::UNO, x, APInt(width, 0));
  return result;
}

Value convert(OpBuilder &builder, Location loc, Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  auto toFloat = dyn_cast<FloatType>(to);
  if (isa<FloatType>(from)) {
    if (to.isInteger(1))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, x,
                                   constant(builder, loc, from, 0.0));
    if (!toFloat)
      return floatToInt(builder, loc, x, cast<IntegerType>(to));
    if (from.getIntOrFloatBitWidth() < toFloat.getWidth())
      return arith::ExtFOp::create(builder, loc, to, x);
    if (from.getIntOrFloatBitWidth() > toFloat.getWidth())
      return arith::TruncFOp::create(builder, loc, to, x);
    // f16 and bf16 have equal width: through f32.
    Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), x);
    return arith::TruncFOp::create(builder, loc, to, wide);
  }
  unsigned width = from.getIntOrFloatBitWidth();
  if (to.isInteger(1))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, x,
                                 constant(builder, loc, from, APInt(width, 0)));
  if (toFloat)
    return width == 1 ? Value(arith::UIToFPOp::create(builder, loc, to, x))
                      : Value(arith::SIToFPOp::create(builder, loc, to, x));
  if (width > to.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(builder, loc, to, x);
  return width == 1 ? Value(arith::ExtUIOp::create(builder, loc, to, x))
                    : Value(arith::ExtSIOp::create(builder, loc, to, x));
}

struct ConstantLowering : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConstantOp op,
                                PatternRewriter &rewriter) const override {
    // A splat is filled in, or fused as a scalar; it takes no data in the
    // artifact.
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (dense && dense.isSplat() && op.getType().getRank() > 0) {
      auto value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
      rewriter.replaceOp(
          op, filledTensor(rewriter, op.getLoc(), op.getType(), value));
      return success();
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, op.getType(), cast<TypedAttr>(op.getValue()));
    return success();
  }
};

} // namespace

LogicalResult cellgrad::lower(CastOp op, PatternRewriter &rewriter) {
  rewriter.replaceOp(
      op, convertElements(rewriter, op.getLoc(), op.getX(), op.getType()));
  return success();
}

LogicalResult cellgrad::lower(StopGradientOp op, PatternRewriter &rewriter) {
  rewriter.replaceOp(op, op.getX());
  return success();
}

Value cellgrad::convertElements(PatternRewriter &rewriter, Location loc,
                                Value x, RankedTensorType type) {
  if (x.getType() == type)
    return x;
  return buildGeneric(
      rewriter, loc, type, x,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        return convert(builder, bodyLoc, args[0], type.getElementType());
      });
}

void cellgrad::populateElementwiseToLinalg(RewritePatternSet &patterns) {
  patterns.add<ScalarOpLowering, ConstantLowering>(patterns.getContext());
}
