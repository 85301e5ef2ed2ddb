//===- Expr.cpp - arithmetic expressions over SSA values ------------------===//

#include "passes/lower/math/Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace cellgrad {

Type Expr::withElement(Type element) const {
  if (auto shaped = dyn_cast<ShapedType>(type()))
    return shaped.clone(element);
  return element;
}

static Expr makeConstant(const Expr &like, TypedAttr element) {
  MathBuilder &b = like.builder();
  TypedAttr attr = element;
  if (auto shaped = dyn_cast<ShapedType>(like.type()))
    attr = DenseElementsAttr::get(shaped, Attribute(element));
  return {arith::ConstantOp::create(b, attr), b};
}

Expr Expr::constant(double c) const {
  return makeConstant(*this, b->getFloatAttr(elementType(), c));
}

Expr Expr::integer(int64_t c) const {
  unsigned width = elementType().getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(c));
  return makeConstant(*this,
                      b->getIntegerAttr(elementType(), bits.trunc(width)));
}

template <typename Op> static Expr binary(Expr a, Expr b) {
  return {Op::create(a.builder(), a, b), a.builder()};
}
template <typename Op> static Expr unary(Expr a) {
  return {Op::create(a.builder(), a), a.builder()};
}

//===----------------------------------------------------------------------===//
// Float arithmetic
//===----------------------------------------------------------------------===//

Expr operator+(Expr a, Expr b) { return binary<arith::AddFOp>(a, b); }
Expr operator-(Expr a, Expr b) { return binary<arith::SubFOp>(a, b); }
Expr operator*(Expr a, Expr b) { return binary<arith::MulFOp>(a, b); }
Expr operator/(Expr a, Expr b) { return binary<arith::DivFOp>(a, b); }
Expr operator-(Expr a) { return unary<arith::NegFOp>(a); }
Expr operator+(Expr a, double c) { return a + a.constant(c); }
Expr operator+(double c, Expr a) { return a + a.constant(c); }
Expr operator-(Expr a, double c) { return a - a.constant(c); }
Expr operator-(double c, Expr a) { return a.constant(c) - a; }
Expr operator*(Expr a, double c) { return a * a.constant(c); }
Expr operator*(double c, Expr a) { return a * a.constant(c); }
Expr operator/(double c, Expr a) { return a.constant(c) / a; }

/// The product's error in f64 by Dekker's splitting: a * b = p + the result,
/// but NaN for factors near overflow.
static Expr productError(Expr a, Expr b, Expr p) {
  auto split = [](Expr v) {
    Expr scaled = v * 0x1.0000002p27;
    Expr hi = scaled - (scaled - v);
    return Double{hi, v - hi};
  };
  Double as = split(a), bs = split(b);
  return (((as.hi * bs.hi - p) + as.hi * bs.lo) + as.lo * bs.hi) +
         as.lo * bs.lo;
}

Expr fma(Expr a, Expr b, Expr c) {
  if (a.builder().features.fma)
    return {math::FmaOp::create(a.builder(), a, b, c), a.builder()};
  // In f64 an f32 product is exact.
  if (!a.isF64())
    return toF32(toF64(a) * toF64(b) + toF64(c));
  Expr product = a * b;
  Double sum = twoSum(product, c);
  Expr error = sum.lo + productError(a, b, product);
  return sum.hi + select(isNaN(error), 0.0, error);
}
Expr fma(Expr a, Expr b, double c) { return fma(a, b, a.constant(c)); }
Expr fma(Expr a, double b, Expr c) { return fma(a, a.constant(b), c); }
Expr fma(Expr a, double b, double c) {
  return fma(a, a.constant(b), a.constant(c));
}
Expr abs(Expr a) { return unary<math::AbsFOp>(a); }
Expr sqrt(Expr a) { return unary<math::SqrtOp>(a); }
Expr floor(Expr a) { return unary<math::FloorOp>(a); }
Expr copysign(Expr magnitude, Expr sign) {
  return binary<math::CopySignOp>(magnitude, sign);
}

Expr horner(Expr x, ArrayRef<double> c) {
  Expr sum = x.constant(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = x.builder().features.fma ? fma(sum, x, coefficient)
                                   : sum * x + coefficient;
  return sum;
}

//===----------------------------------------------------------------------===//
// Comparisons and selection
//===----------------------------------------------------------------------===//

static Expr compare(arith::CmpFPredicate predicate, Expr a, Expr b) {
  return {arith::CmpFOp::create(a.builder(), predicate, a, b), a.builder()};
}
Expr lt(Expr a, Expr b) { return compare(arith::CmpFPredicate::OLT, a, b); }
Expr lt(Expr a, double c) { return lt(a, a.constant(c)); }
Expr gt(Expr a, Expr b) { return compare(arith::CmpFPredicate::OGT, a, b); }
Expr gt(Expr a, double c) { return gt(a, a.constant(c)); }
Expr ge(Expr a, double c) {
  return compare(arith::CmpFPredicate::OGE, a, a.constant(c));
}
Expr eq(Expr a, Expr b) { return compare(arith::CmpFPredicate::OEQ, a, b); }
Expr eq(Expr a, double c) { return eq(a, a.constant(c)); }
Expr ne(Expr a, Expr b) { return compare(arith::CmpFPredicate::UNE, a, b); }
Expr notLt(Expr a, double c) {
  return compare(arith::CmpFPredicate::UGE, a, a.constant(c));
}
Expr isNaN(Expr a) { return compare(arith::CmpFPredicate::UNO, a, a); }

Expr operator&(Expr a, Expr b) { return binary<arith::AndIOp>(a, b); }
Expr operator|(Expr a, Expr b) { return binary<arith::OrIOp>(a, b); }
Expr operator^(Expr a, Expr b) { return binary<arith::XOrIOp>(a, b); }
Expr operator!(Expr a) { return a ^ a.integer(1); }

Expr select(Expr condition, Expr a, Expr b) {
  return {arith::SelectOp::create(a.builder(), condition, a, b), a.builder()};
}
Expr select(Expr condition, double a, Expr b) {
  return select(condition, b.constant(a), b);
}
Expr select(Expr condition, Expr a, double b) {
  return select(condition, a, a.constant(b));
}

Value anyLane(Expr condition) {
  auto vectorType = dyn_cast<VectorType>(condition.type());
  if (!vectorType)
    return condition;
  return vector::ReductionOp::create(condition.builder(),
                                     vector::CombiningKind::OR, condition);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Expr addi(Expr a, Expr b) { return binary<arith::AddIOp>(a, b); }
Expr addi(Expr a, int64_t c) { return addi(a, a.integer(c)); }
Expr subi(Expr a, Expr b) { return binary<arith::SubIOp>(a, b); }
Expr subi(int64_t c, Expr a) { return subi(a.integer(c), a); }
Expr muli(Expr a, Expr b) { return binary<arith::MulIOp>(a, b); }
Expr andi(Expr a, int64_t c) { return a & a.integer(c); }
Expr ori(Expr a, int64_t c) { return a | a.integer(c); }
Expr shl(Expr a, Expr count) { return binary<arith::ShLIOp>(a, count); }
Expr shl(Expr a, int64_t count) { return shl(a, a.integer(count)); }
Expr shrl(Expr a, int64_t count) {
  return binary<arith::ShRUIOp>(a, a.integer(count));
}
Expr shra(Expr a, int64_t count) {
  return binary<arith::ShRSIOp>(a, a.integer(count));
}
static Expr compare(arith::CmpIPredicate predicate, Expr a, int64_t c) {
  return {arith::CmpIOp::create(a.builder(), predicate, a, a.integer(c)),
          a.builder()};
}
Expr eqi(Expr a, int64_t c) { return compare(arith::CmpIPredicate::eq, a, c); }
Expr nei(Expr a, int64_t c) { return compare(arith::CmpIPredicate::ne, a, c); }
Expr slt(Expr a, int64_t c) { return compare(arith::CmpIPredicate::slt, a, c); }
Expr mini(Expr a, int64_t c) {
  return {arith::MinSIOp::create(a.builder(), a, a.integer(c)), a.builder()};
}

//===----------------------------------------------------------------------===//
// Changes of type
//===----------------------------------------------------------------------===//

template <typename Op> static Expr convert(Expr a, Type element) {
  return {Op::create(a.builder(), a.withElement(element), mlir::Value(a)),
          a.builder()};
}

Expr bits(Expr a) {
  unsigned width = a.elementType().getIntOrFloatBitWidth();
  return convert<arith::BitcastOp>(a, a.builder().getIntegerType(width));
}
Expr fromBits(Expr a) {
  bool wide = a.elementType().getIntOrFloatBitWidth() == 64;
  Type element =
      wide ? Type(a.builder().getF64Type()) : Type(a.builder().getF32Type());
  return convert<arith::BitcastOp>(a, element);
}
Expr toF64(Expr a) {
  return convert<arith::ExtFOp>(a, a.builder().getF64Type());
}
Expr toF32(Expr a) {
  return convert<arith::TruncFOp>(a, a.builder().getF32Type());
}
Expr toWidth(Expr a, unsigned width) {
  unsigned from = a.elementType().getIntOrFloatBitWidth();
  Type element = a.builder().getIntegerType(width);
  if (from == width)
    return a;
  return from < width ? convert<arith::ExtUIOp>(a, element)
                      : convert<arith::TruncIOp>(a, element);
}

//===----------------------------------------------------------------------===//
// Double-word arithmetic
//===----------------------------------------------------------------------===//

Double twoSum(Expr a, Expr b) {
  Expr sum = a + b;
  Expr bb = sum - a;
  return {sum, (a - (sum - bb)) + (b - bb)};
}
Double fastTwoSum(Expr a, Expr b) {
  Expr sum = a + b;
  return {sum, b - (sum - a)};
}
Double twoProd(Expr a, Expr b) {
  Expr product = a * b;
  return {product, fma(a, b, -product)};
}
Double mul(Double a, Double b) {
  Double p = twoProd(a.hi, b.hi);
  return fastTwoSum(p.hi, fma(a.hi, b.lo, fma(a.lo, b.hi, p.lo)));
}
Double div(Double a, Double b) { return div(a, b, 1.0 / b.hi); }

Double div(Double a, Double b, Expr reciprocal) {
  Expr q = a.hi * reciprocal;
  Expr remainder = fma(-q, b.hi, a.hi) + fma(-q, b.lo, a.lo);
  return {q, remainder * reciprocal};
}

//===----------------------------------------------------------------------===//
// Rounding and powers of two
//===----------------------------------------------------------------------===//

static Rounded finishRounding(Expr shifted) {
  double magic = Format(shifted).magic();
  // The bits of magic() end in zeros, but for the leading significand bits
  // far above any rounded integer; subtracting them leaves a signed integer.
  int64_t magicBits = Format(shifted).pick<int64_t>(
      0x4B400000, static_cast<int64_t>(0x4338000000000000));
  return {shifted - magic, addi(bits(shifted), -magicBits)};
}
Rounded roundProduct(Expr x, double c) {
  return finishRounding(fma(x, c, Format(x).magic()));
}
Rounded round(Expr x) { return finishRounding(x + Format(x).magic()); }

Expr intToFloat(Expr i, Expr like) {
  Format format(like);
  int64_t magicBits = format.pick<int64_t>(
      0x4B400000, static_cast<int64_t>(0x4338000000000000));
  return fromBits(addi(i, magicBits)) - format.magic();
}

Expr exponential2(Expr k, Expr like) {
  Format format(like);
  return fromBits(shl(addi(k, format.bias()), format.fraction()));
}

/// Whether v * 2^k is one instruction.
static bool isScaledAtOnce(Expr v) {
  auto type = dyn_cast<VectorType>(v.type());
  return type && v.builder().features.scale512 &&
         type.getNumElements() * type.getElementTypeBitWidth() == 512;
}

static Expr scaleAtOnce(Expr v, Expr k) {
  MathBuilder &b = v.builder();
  Format format(v);
  Value allLanes = arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(format.pick(16, 8)), -1));
  // The rounding mode that the processor is in: to nearest.
  Value rounding = arith::ConstantOp::create(b, b.getI32IntegerAttr(4));
  StringRef name = format.pick("llvm.x86.avx512.mask.scalef.ps.512",
                               "llvm.x86.avx512.mask.scalef.pd.512");
  auto call =
      LLVM::CallIntrinsicOp::create(b, v.type(), b.getStringAttr(name),
                                    ValueRange{v, k, v, allLanes, rounding});
  return {call.getResults(), b};
}

Expr scale(Expr v, Rounded k) {
  if (isScaledAtOnce(v))
    return scaleAtOnce(v, k.value);
  // Two factors: neither leaves the normal range, and only the last product
  // can round.
  Expr half = shra(k.integer, 1);
  return v * exponential2(half, v) * exponential2(subi(k.integer, half), v);
}

} // namespace cellgrad
