//===- ElementwiseOps.cpp - payloads, folding, algebra of elementwise ops -===//

#include "dialect/CellDialect.h"
#include "dialect/Kernels.h"
#include "dialect/Payloads.h"
#include "dialect/SpecialMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type predicateType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(IntegerType::get(type.getContext(), 1));
}

LogicalResult inferPredicateType(ValueRange operands,
                                 SmallVectorImpl<Type> &types) {
  if (operands.empty() || !isa<RankedTensorType>(operands[0].getType()))
    return failure();
  types.push_back(predicateType(operands[0].getType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Payloads
//===----------------------------------------------------------------------===//

static Value scalarConstant(OpBuilder &builder, Location loc, Type type,
                            double value) {
  TypedAttr attr = isa<FloatType>(type)
                       ? TypedAttr(builder.getFloatAttr(type, value))
                       : TypedAttr(builder.getIntegerAttr(
                             type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Integers are signed, but false is less than true.
static arith::CmpIPredicate orderOn(Type type, arith::CmpIPredicate order) {
  if (!type.isInteger(1))
    return order;
  switch (order) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return order;
  }
}

#include "dialect/Payloads.inc"

//===----------------------------------------------------------------------===//
// Constant folding
//===----------------------------------------------------------------------===//

/// Larger constants stay as they are: folding them would trade code for data.
static constexpr int64_t maxFoldedElements = 64;

/// Number of values that stand for the whole tensor: one for splats.
static std::optional<int64_t> foldedCount(ArrayRef<Attribute> operands) {
  int64_t count = 1;
  for (Attribute attr : operands) {
    auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
    if (!dense)
      return std::nullopt;
    if (!dense.isSplat())
      count = dense.getNumElements();
  }
  if (count > maxFoldedElements)
    return std::nullopt;
  return count;
}

static Attribute toAttribute(Type element, double value) {
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat number(value);
    bool lost;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lost);
    return FloatAttr::get(type, number);
  }
  return IntegerAttr::get(element, APInt(1, value != 0));
}

static Attribute toAttribute(Type element, uint64_t value) {
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(64, value).trunc(width));
}

static Attribute toAttribute(Type element, int64_t value) {
  return toAttribute(element, static_cast<uint64_t>(value));
}

/// The i-th element of a constant, or the only one of a splat.
template <typename T> static T elementAt(DenseElementsAttr dense, int64_t i) {
  if constexpr (std::is_same_v<T, double>) {
    APFloat number = dense.isSplat() ? dense.getSplatValue<APFloat>()
                                     : *(dense.value_begin<APFloat>() + i);
    bool lost;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number.convertToDouble();
  } else {
    APInt number = dense.isSplat() ? dense.getSplatValue<APInt>()
                                   : *(dense.value_begin<APInt>() + i);
    return std::is_unsigned_v<T> || number.getBitWidth() == 1
               ? number.getZExtValue()
               : number.getSExtValue();
  }
}

template <typename T>
static Attribute evaluate(T (*kernel)(const T *), ArrayRef<Attribute> operands,
                          int64_t count, RankedTensorType type) {
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<T, 3> args;
    for (Attribute attr : operands)
      args.push_back(elementAt<T>(cast<DenseElementsAttr>(attr), i));
    values.push_back(toAttribute(type.getElementType(), kernel(args.data())));
  }
  return DenseElementsAttr::get(type, values);
}

static OpFoldResult foldConstants(Operation *op, ArrayRef<Attribute> operands) {
  const ScalarKernels *kernels =
      lookupScalarKernels(op->getName().getStringRef());
  std::optional<int64_t> count = foldedCount(operands);
  if (!kernels || !count)
    return {};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto input = cast<RankedTensorType>(op->getOperand(0).getType());
  if (isa<FloatType>(input.getElementType()))
    return kernels->floats ? evaluate(kernels->floats, operands, *count, type)
                           : Attribute();
  if (input.getElementType().isUnsignedInteger())
    return kernels->uints ? evaluate(kernels->uints, operands, *count, type)
                          : Attribute();
  return kernels->ints ? evaluate(kernels->ints, operands, *count, type)
                       : Attribute();
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//
//
// Only what holds bit for bit for every input, NaN, infinities and the sign of
// zero included: the values are the user's.

/// True for a splat of exactly `value` (which tells -0.0 from 0.0).
static bool isSplatOf(Attribute attr, double value) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType())) {
    APFloat number = dense.getSplatValue<APFloat>();
    return number.isExactlyValue(value);
  }
  return dense.getSplatValue<APInt>() == static_cast<uint64_t>(value);
}

static bool isInteger(Value v) {
  return isa<IntegerType>(getElementTypeOrSelf(v.getType()));
}

template <typename OpT> static OpFoldResult simplify(OpT, ArrayRef<Attribute>) {
  return {};
}

static OpFoldResult simplify(NegOp op, ArrayRef<Attribute>) {
  if (auto inner = op.getX().getDefiningOp<NegOp>())
    return inner.getX();
  return {};
}

static OpFoldResult simplify(AddOp op, ArrayRef<Attribute> c) {
  // x + 0.0 is not x for x = -0.0, but x + -0.0 is.
  if (isSplatOf(c[1], isInteger(op.getResult()) ? 0.0 : -0.0))
    return op.getLhs();
  return {};
}

static OpFoldResult simplify(SubOp op, ArrayRef<Attribute> c) {
  if (isSplatOf(c[1], 0.0))
    return op.getLhs();
  return {};
}

static OpFoldResult simplify(MulOp op, ArrayRef<Attribute> c) {
  if (isSplatOf(c[1], 1.0))
    return op.getLhs();
  return {};
}

static OpFoldResult simplify(DivOp op, ArrayRef<Attribute> c) {
  if (isSplatOf(c[1], 1.0))
    return op.getLhs();
  return {};
}

static OpFoldResult simplify(PowOp op, ArrayRef<Attribute> c) {
  if (isSplatOf(c[1], 1.0))
    return op.getLhs();
  // C's pow gives 1 for exponent 0 whatever the base, NaN included.
  if (isSplatOf(c[1], 0.0) || isSplatOf(c[1], -0.0))
    return DenseElementsAttr::get(
        cast<RankedTensorType>(op.getType()),
        toAttribute(getElementTypeOrSelf(op.getType()), 1.0));
  return {};
}

static OpFoldResult simplify(SelectOp op, ArrayRef<Attribute> c) {
  if (op.getOnTrue() == op.getOnFalse())
    return op.getOnTrue();
  if (isSplatOf(c[0], 1.0))
    return op.getOnTrue();
  if (isSplatOf(c[0], 0.0))
    return op.getOnFalse();
  return {};
}

static OpFoldResult simplify(GuardOp op, ArrayRef<Attribute> c) {
  auto cotangent = dyn_cast_if_present<DenseElementsAttr>(c[1]);
  if (cotangent && cotangent.isSplat() &&
      !cotangent.getSplatValue<APFloat>().isZero())
    return op.getX();
  return {};
}

static OpFoldResult simplify(LogicalNotOp op, ArrayRef<Attribute>) {
  if (auto inner = op.getX().getDefiningOp<LogicalNotOp>())
    return inner.getX();
  return {};
}

#include "dialect/Folders.inc"

//===----------------------------------------------------------------------===//
// Canonical forms
//===----------------------------------------------------------------------===//

namespace {

/// a + (-b) -> a - b, (-a) + b -> b - a
struct AddOfNeg : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (auto neg = op.getRhs().getDefiningOp<NegOp>()) {
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getLhs(), neg.getX());
      return success();
    }
    if (auto neg = op.getLhs().getDefiningOp<NegOp>()) {
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getRhs(), neg.getX());
      return success();
    }
    return failure();
  }
};

/// x + x -> x * 2
struct AddToItself : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs() || isInteger(op.getResult()))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    Value two = ConstantOp::create(
        rewriter, op.getLoc(),
        DenseElementsAttr::get(type, toAttribute(type.getElementType(), 2.0)));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), two);
    return success();
  }
};

/// a - (-b) -> a + b
struct SubOfNeg : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SubOp op,
                                PatternRewriter &rewriter) const override {
    auto neg = op.getRhs().getDefiningOp<NegOp>();
    if (!neg)
      return failure();
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getLhs(), neg.getX());
    return success();
  }
};

/// Moves a negation out of a factor of a product or quotient, where two cancel
/// or it meets the sum it belongs to: (-a) * b -> -(a * b).
template <typename OpT> struct NegOutOf : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i : {0u, 1u}) {
      auto neg = op->getOperand(i).template getDefiningOp<NegOp>();
      if (!neg)
        continue;
      SmallVector<Value, 2> operands(op->getOperands());
      operands[i] = neg.getX();
      Value inner =
          OpT::create(rewriter, op.getLoc(), operands[0], operands[1]);
      rewriter.replaceOpWithNewOp<NegOp>(op, inner);
      return success();
    }
    return failure();
  }
};

/// x * -1 -> -x
struct MulByMinusOne : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr c;
    if (isInteger(op.getResult()) ||
        !matchPattern(op.getRhs(), m_Constant(&c)) || !isSplatOf(c, -1.0))
      return failure();
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getLhs());
    return success();
  }
};

/// (x * inner) * outer -> x * (inner * outer), where no product rounds and the
/// first cannot overflow or underflow alone: overflow that a later factor would
/// hide is the user's to see. So neither constant is below 1 in magnitude, and
/// one is a power of two: the inner, or the outer after an integer.
struct MulOfScaled : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool isPowerOfTwo(double v) {
    int exponent;
    return std::abs(std::frexp(v, &exponent)) == 0.5;
  }

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr outer, inner;
    auto product = op.getLhs().getDefiningOp<MulOp>();
    if (isInteger(op.getResult()) || !product ||
        !matchPattern(op.getRhs(), m_Constant(&outer)) ||
        !matchPattern(product.getRhs(), m_Constant(&inner)) ||
        !outer.isSplat() || !inner.isSplat())
      return failure();
    double a = elementAt<double>(inner, 0), b = elementAt<double>(outer, 0);
    if (!(std::abs(a) >= 1 && std::abs(b) >= 1) ||
        !(isPowerOfTwo(a) || (isPowerOfTwo(b) && a == std::trunc(a))))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    Attribute factor = toAttribute(type.getElementType(), a * b);
    if (!cast<FloatAttr>(factor).getValue().isFinite())
      return failure();
    Value c = ConstantOp::create(rewriter, op.getLoc(),
                                 DenseElementsAttr::get(type, factor));
    rewriter.replaceOpWithNewOp<MulOp>(op, product.getLhs(), c);
    return success();
  }
};

/// Small constant powers as products: x^2, x^3, x^4 and 1/x.
struct PowOfConstant : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr c;
    if (!matchPattern(op.getRhs(), m_Constant(&c)) || !c.isSplat())
      return failure();
    Value x = op.getLhs();
    double n = elementAt<double>(c, 0);
    if (n == -1) {
      rewriter.replaceOpWithNewOp<ReciprocalOp>(op, x);
      return success();
    }
    if (n != 2 && n != 3 && n != 4)
      return failure();
    Value power = SquareOp::create(rewriter, op.getLoc(), x);
    if (n == 3)
      power = MulOp::create(rewriter, op.getLoc(), power, x);
    if (n == 4)
      power = SquareOp::create(rewriter, op.getLoc(), power);
    rewriter.replaceOp(op, power);
    return success();
  }
};

} // namespace

void AddOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                        MLIRContext *ctx) {
  set.add<AddOfNeg, AddToItself>(ctx);
}

void SubOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                        MLIRContext *ctx) {
  set.add<SubOfNeg>(ctx);
}

void MulOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                        MLIRContext *ctx) {
  set.add<MulByMinusOne, MulOfScaled, NegOutOf<MulOp>>(ctx);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                        MLIRContext *ctx) {
  set.add<NegOutOf<DivOp>>(ctx);
}

void PowOp::getCanonicalizationPatterns(RewritePatternSet &set,
                                        MLIRContext *ctx) {
  set.add<PowOfConstant>(ctx);
}

} // namespace cellgrad
