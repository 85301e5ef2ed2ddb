//===- Expr.h - arithmetic expressions over SSA values ----------*- C++ -*-===//
//
// `Expr` makes a formula in C++ emit the arith/math ops that compute it.
// Numbers broadcast to the type of the other operand, so that one text serves
// scalars and vectors, f32 and f64. Nothing here knows the target.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_MATH_EXPR_H
#define CELLGRAD_LOWER_MATH_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"

namespace cellgrad {

/// What the target can do in one instruction.
struct MathFeatures {
  /// Multiply and add; else `fma` is made of several.
  bool fma = true;
  /// `scale` vectors of 512 bits, as AVX-512 does.
  bool scale512 = false;
};

/// Where the ops go, and for which target.
struct MathBuilder : mlir::ImplicitLocOpBuilder {
  MathBuilder(mlir::Location loc, mlir::OpBuilder &b, MathFeatures features)
      : ImplicitLocOpBuilder(loc, b), features(features) {}
  MathFeatures features;
};

/// A scalar or vector SSA value of float, integer or boolean elements, with the
/// builder that continues the computation.
class Expr {
public:
  Expr(mlir::Value value, MathBuilder &b) : value(value), b(&b) {}

  operator mlir::Value() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type elementType() const { return mlir::getElementTypeOrSelf(type()); }
  MathBuilder &builder() const { return *b; }
  /// Whether the elements are f64 (the formulas exist for f32 and f64).
  bool isF64() const { return elementType().isF64(); }

  /// A float constant of this value's type, rounded to its format.
  Expr constant(double c) const;
  /// An integer constant of this value's type.
  Expr integer(int64_t c) const;
  /// The same shape with another element type.
  mlir::Type withElement(mlir::Type element) const;

private:
  mlir::Value value;
  MathBuilder *b;
};

// Float arithmetic.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, double c);
Expr operator+(double c, Expr a);
Expr operator-(Expr a, double c);
Expr operator-(double c, Expr a);
Expr operator*(Expr a, double c);
Expr operator*(double c, Expr a);
Expr operator/(double c, Expr a);
/// a * b + c with one rounding, or nearly: exact where that is representable.
Expr fma(Expr a, Expr b, Expr c);
Expr fma(Expr a, Expr b, double c);
Expr fma(Expr a, double b, Expr c);
Expr fma(Expr a, double b, double c);
Expr abs(Expr a);
Expr sqrt(Expr a);
Expr floor(Expr a);
Expr copysign(Expr magnitude, Expr sign);
/// c[0] + c[1] x + ... by Horner's rule, with fma where the target has it.
Expr horner(Expr x, llvm::ArrayRef<double> c);

// Comparisons (false on NaN, except `ne`).
Expr lt(Expr a, Expr b);
Expr lt(Expr a, double c);
Expr gt(Expr a, Expr b);
Expr gt(Expr a, double c);
Expr ge(Expr a, double c);
Expr eq(Expr a, Expr b);
Expr eq(Expr a, double c);
Expr ne(Expr a, Expr b);
/// Not |a| < c: also true on NaN.
Expr notLt(Expr a, double c);
Expr isNaN(Expr a);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr operator!(Expr a);
Expr select(Expr condition, Expr a, Expr b);
Expr select(Expr condition, double a, Expr b);
Expr select(Expr condition, Expr a, double b);

/// Whether a boolean is set in any lane, as an i1.
mlir::Value anyLane(Expr condition);

// Integer arithmetic, modulo 2^width.
Expr addi(Expr a, Expr b);
Expr addi(Expr a, int64_t c);
Expr subi(Expr a, Expr b);
Expr subi(int64_t c, Expr a);
Expr muli(Expr a, Expr b);
Expr andi(Expr a, int64_t c);
Expr ori(Expr a, int64_t c);
Expr shl(Expr a, Expr count);
Expr shl(Expr a, int64_t count);
Expr shrl(Expr a, int64_t count);
Expr shra(Expr a, int64_t count);
Expr eqi(Expr a, int64_t c);
Expr nei(Expr a, int64_t c);
Expr slt(Expr a, int64_t c);
/// The smaller of two signed integers.
Expr mini(Expr a, int64_t c);

// Changes of type.
/// The bits of a float as an integer of its width.
Expr bits(Expr a);
/// The float whose bits are the integer `a`.
Expr fromBits(Expr a);
Expr toF64(Expr a);
Expr toF32(Expr a);
/// Integer elements of `width` bits, zero extended or truncated.
Expr toWidth(Expr a, unsigned width);

/// What the formulas need to know of a format.
struct Format {
  explicit Format(Expr x) : f64(x.isF64()) {}
  bool f64;
  /// Bits of the stored significand.
  int fraction() const { return f64 ? 52 : 23; }
  int bias() const { return f64 ? 1023 : 127; }
  int width() const { return f64 ? 64 : 32; }
  double minNormal() const { return f64 ? 0x1p-1022 : 0x1p-126; }
  /// x + magic() - magic() rounds |x| < 2^(fraction-1) to the nearest integer,
  /// whose low bits are those of x + magic().
  double magic() const { return f64 ? 0x1.8p52 : 0x1.8p23; }
  /// f32 value or f64 value.
  template <typename T> T pick(T forF32, T forF64) const {
    return f64 ? forF64 : forF32;
  }
  /// The coefficients for this format.
  llvm::ArrayRef<double> table(llvm::ArrayRef<double> forF32,
                               llvm::ArrayRef<double> forF64) const {
    return f64 ? forF64 : forF32;
  }
};

/// An unevaluated sum hi + lo, |lo| <= ulp(hi)/2.
struct Double {
  Expr hi, lo;
};

/// Knuth's error-free sum.
Double twoSum(Expr a, Expr b);
/// Dekker's error-free sum for |a| >= |b|.
Double fastTwoSum(Expr a, Expr b);
/// Error-free product.
Double twoProd(Expr a, Expr b);
/// Product to twice the precision, less a few units.
Double mul(Double a, Double b);
/// Quotient, rounded after correction with the remainder: one division.
Double div(Double a, Double b);
/// The same with 1 / b.hi at hand.
Double div(Double a, Double b, Expr reciprocal);

/// x rounded to an integer, as a float and as an integer value; |x| must be
/// below 2^(fraction-1).
struct Rounded {
  Expr value, integer;
};
/// Rounds x * c (c a number) with one rounding.
Rounded roundProduct(Expr x, double c);
Rounded round(Expr x);
/// The float equal to a small integer.
Expr intToFloat(Expr i, Expr like);
/// 2^k for an integer k in the range of normal numbers.
Expr exponential2(Expr k, Expr like);
/// v * 2^k with one rounding, for any k in the range of the format's exponents,
/// subnormals included.
Expr scale(Expr v, Rounded k);

} // namespace cellgrad

#endif
