//===- ExpandMath.cpp - cell-expand-math ----------------------------------===//

#include "passes/lower/math/Functions.h"
#include "passes/lower/math/Passes.h"

#include "dialect/SpecialMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/lower/math/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

/// Scalars and vectors of fixed size, of integers or a float format with
/// formulas.
static bool isExpandable(Type type) {
  if (auto vectorType = dyn_cast<VectorType>(type)) {
    if (vectorType.isScalable())
      return false;
    type = vectorType.getElementType();
  } else if (isa<ShapedType>(type)) {
    return false;
  }
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger();
}

/// The value as the formulas take it: vectors have one dimension, elements are
/// f32 or f64.
static Expr enter(MathBuilder &b, Value value) {
  if (auto vectorType = dyn_cast<VectorType>(value.getType());
      vectorType && vectorType.getRank() != 1) {
    auto flat = VectorType::get(vectorType.getNumElements(),
                                vectorType.getElementType());
    value = vector::ShapeCastOp::create(b, flat, value);
  }
  Expr result(value, b);
  if (result.elementType().isF16() || result.elementType().isBF16())
    value = arith::ExtFOp::create(b, result.withElement(b.getF32Type()), value);
  return {value, b};
}

/// Back to the type of the op.
static Value leave(Expr result, Type type) {
  MathBuilder &b = result.builder();
  Value value = result;
  Type element = getElementTypeOrSelf(type);
  if (element != result.elementType())
    value = arith::TruncFOp::create(b, result.withElement(element), value);
  if (value.getType() != type)
    value = vector::ShapeCastOp::create(b, type, value);
  return value;
}

namespace {

template <typename Op> struct ExpandUnary : OpRewritePattern<Op> {
  ExpandUnary(MLIRContext *context, MathFeatures features,
              Expr (*formula)(Expr))
      : OpRewritePattern<Op>(context), features(features), formula(formula) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not a scalar or vector of fixed size");
    MathBuilder b(op.getLoc(), rewriter, features);
    rewriter.replaceOp(op,
                       leave(formula(enter(b, op.getOperand())), op.getType()));
    return success();
  }

  MathFeatures features;
  Expr (*formula)(Expr);
};

template <typename Op> struct ExpandBinary : OpRewritePattern<Op> {
  ExpandBinary(MLIRContext *context, MathFeatures features,
               Expr (*formula)(Expr, Expr))
      : OpRewritePattern<Op>(context), features(features), formula(formula) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), isExpandable))
      return rewriter.notifyMatchFailure(
          op, "not scalars or vectors of fixed size");
    MathBuilder b(op.getLoc(), rewriter, features);
    Expr result = formula(enter(b, op.getLhs()), enter(b, op.getRhs()));
    rewriter.replaceOp(op, leave(result, op.getType()));
    return success();
  }

  MathFeatures features;
  Expr (*formula)(Expr, Expr);
};

struct ExpandPolygamma : OpRewritePattern<special::PolygammaOp> {
  ExpandPolygamma(MLIRContext *context, MathFeatures features)
      : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(special::PolygammaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not a scalar or vector of fixed size");
    MathBuilder b(op.getLoc(), rewriter, features);
    Expr x = enter(b, op.getOperand());
    rewriter.replaceOp(op,
                       leave(expandPolygamma(x, op.getOrder()), op.getType()));
    return success();
  }

  MathFeatures features;
};

struct ExpandSincos : OpRewritePattern<math::SincosOp> {
  ExpandSincos(MLIRContext *context, MathFeatures features)
      : OpRewritePattern(context), features(features) {}

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (!isExpandable(type))
      return rewriter.notifyMatchFailure(
          op, "not a scalar or vector of fixed size");
    MathBuilder b(op.getLoc(), rewriter, features);
    Expr x = enter(b, op.getOperand());
    rewriter.replaceOp(op,
                       {leave(expandSin(x), type), leave(expandCos(x), type)});
    return success();
  }

  MathFeatures features;
};

void populatePatterns(RewritePatternSet &patterns, MathFeatures features) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandUnary<math::ExpOp>>(context, features, expandExp);
  patterns.add<ExpandUnary<math::Exp2Op>>(context, features, expandExp2);
  patterns.add<ExpandUnary<math::ExpM1Op>>(context, features, expandExpM1);
  patterns.add<ExpandUnary<math::LogOp>>(context, features, expandLog);
  patterns.add<ExpandUnary<math::Log2Op>>(context, features, expandLog2);
  patterns.add<ExpandUnary<math::Log10Op>>(context, features, expandLog10);
  patterns.add<ExpandUnary<math::Log1pOp>>(context, features, expandLog1p);
  patterns.add<ExpandUnary<math::SinOp>>(context, features, expandSin);
  patterns.add<ExpandUnary<math::CosOp>>(context, features, expandCos);
  patterns.add<ExpandUnary<math::TanOp>>(context, features, expandTan);
  patterns.add<ExpandUnary<math::SinhOp>>(context, features, expandSinh);
  patterns.add<ExpandUnary<math::CoshOp>>(context, features, expandCosh);
  patterns.add<ExpandUnary<math::TanhOp>>(context, features, expandTanh);
  patterns.add<ExpandUnary<math::AsinhOp>>(context, features, expandAsinh);
  patterns.add<ExpandUnary<math::AcoshOp>>(context, features, expandAcosh);
  patterns.add<ExpandUnary<math::AtanhOp>>(context, features, expandAtanh);
  patterns.add<ExpandUnary<math::AsinOp>>(context, features, expandAsin);
  patterns.add<ExpandUnary<math::AcosOp>>(context, features, expandAcos);
  patterns.add<ExpandUnary<math::AtanOp>>(context, features, expandAtan);
  patterns.add<ExpandUnary<math::ErfOp>>(context, features, expandErf);
  patterns.add<ExpandUnary<math::ErfcOp>>(context, features, expandErfc);
  patterns.add<ExpandUnary<math::CbrtOp>>(context, features, expandCbrt);
  patterns.add<ExpandUnary<math::RsqrtOp>>(context, features, expandRsqrt);
  patterns.add<ExpandUnary<math::RoundOp>>(context, features, expandRound);
  patterns.add<ExpandBinary<math::Atan2Op>>(context, features, expandAtan2);
  patterns.add<ExpandBinary<math::PowFOp>>(context, features, expandPow);
  patterns.add<ExpandBinary<math::FPowIOp>>(context, features,
                                            expandPowInteger);
  patterns.add<ExpandBinary<math::IPowIOp>>(context, features,
                                            expandIntegerPow);
  patterns.add<ExpandSincos>(context, features);
  patterns.add<ExpandUnary<special::LgammaOp>>(context, features, expandLgamma);
  patterns.add<ExpandUnary<special::DigammaOp>>(context, features,
                                                expandDigamma);
  patterns.add<ExpandUnary<special::ErfinvOp>>(context, features, expandErfinv);
  patterns.add<ExpandUnary<special::GaussianOp>>(context, features,
                                                 expandGaussian);
  patterns.add<ExpandUnary<special::ExpSquareOp>>(context, features,
                                                  expandExpSquare);
  patterns.add<ExpandUnary<special::SechSquaredOp>>(context, features,
                                                    expandSechSquared);
  patterns.add<ExpandUnary<special::SigmoidSlopeOp>>(context, features,
                                                     expandSigmoidSlope);
  patterns.add<ExpandBinary<special::HypotOp>>(context, features, expandHypot);
  patterns.add<ExpandPolygamma>(context, features);
}

struct ExpandMathPass : public cellgrad::impl::ExpandMathBase<ExpandMathPass> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populatePatterns(set, {fma, scale512});
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
