//===- ExpandMath.cpp - cell-expand-math ----------------------------------===//

#include "passes/lower/math/Functions.h"
#include "passes/lower/math/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
static Expr enter(ImplicitLocOpBuilder &b, Value value) {
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
  ImplicitLocOpBuilder &b = result.builder();
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
  ExpandUnary(MLIRContext *context, Expr (*formula)(Expr))
      : OpRewritePattern<Op>(context), formula(formula) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isExpandable(op.getType()))
      return rewriter.notifyMatchFailure(
          op, "not a scalar or vector of fixed size");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       leave(formula(enter(b, op.getOperand())), op.getType()));
    return success();
  }

  Expr (*formula)(Expr);
};

template <typename Op> struct ExpandBinary : OpRewritePattern<Op> {
  ExpandBinary(MLIRContext *context, Expr (*formula)(Expr, Expr))
      : OpRewritePattern<Op>(context), formula(formula) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), isExpandable))
      return rewriter.notifyMatchFailure(
          op, "not scalars or vectors of fixed size");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Expr result = formula(enter(b, op.getLhs()), enter(b, op.getRhs()));
    rewriter.replaceOp(op, leave(result, op.getType()));
    return success();
  }

  Expr (*formula)(Expr, Expr);
};

struct ExpandSincos : OpRewritePattern<math::SincosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SincosOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType();
    if (!isExpandable(type))
      return rewriter.notifyMatchFailure(
          op, "not a scalar or vector of fixed size");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Expr x = enter(b, op.getOperand());
    rewriter.replaceOp(op,
                       {leave(expandSin(x), type), leave(expandCos(x), type)});
    return success();
  }
};

struct ExpandMathPass : public cellgrad::impl::ExpandMathBase<ExpandMathPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateExpandMathPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

template <typename Op>
static void addUnary(RewritePatternSet &patterns, Expr (*formula)(Expr)) {
  patterns.add<ExpandUnary<Op>>(patterns.getContext(), formula);
}
template <typename Op>
static void addBinary(RewritePatternSet &patterns,
                      Expr (*formula)(Expr, Expr)) {
  patterns.add<ExpandBinary<Op>>(patterns.getContext(), formula);
}

void cellgrad::populateExpandMathPatterns(RewritePatternSet &patterns) {
  addUnary<math::ExpOp>(patterns, expandExp);
  addUnary<math::Exp2Op>(patterns, expandExp2);
  addUnary<math::ExpM1Op>(patterns, expandExpM1);
  addUnary<math::LogOp>(patterns, expandLog);
  addUnary<math::Log2Op>(patterns, expandLog2);
  addUnary<math::Log10Op>(patterns, expandLog10);
  addUnary<math::Log1pOp>(patterns, expandLog1p);
  addUnary<math::SinOp>(patterns, expandSin);
  addUnary<math::CosOp>(patterns, expandCos);
  addUnary<math::TanOp>(patterns, expandTan);
  addUnary<math::SinhOp>(patterns, expandSinh);
  addUnary<math::CoshOp>(patterns, expandCosh);
  addUnary<math::TanhOp>(patterns, expandTanh);
  addUnary<math::AsinhOp>(patterns, expandAsinh);
  addUnary<math::AcoshOp>(patterns, expandAcosh);
  addUnary<math::AtanhOp>(patterns, expandAtanh);
  addUnary<math::AsinOp>(patterns, expandAsin);
  addUnary<math::AcosOp>(patterns, expandAcos);
  addUnary<math::AtanOp>(patterns, expandAtan);
  addUnary<math::ErfOp>(patterns, expandErf);
  addUnary<math::ErfcOp>(patterns, expandErfc);
  addUnary<math::CbrtOp>(patterns, expandCbrt);
  addUnary<math::RsqrtOp>(patterns, expandRsqrt);
  addUnary<math::RoundOp>(patterns, expandRound);
  addBinary<math::Atan2Op>(patterns, expandAtan2);
  addBinary<math::PowFOp>(patterns, expandPow);
  addBinary<math::FPowIOp>(patterns, expandPowInteger);
  addBinary<math::IPowIOp>(patterns, expandIntegerPow);
  patterns.add<ExpandSincos>(patterns.getContext());
}
