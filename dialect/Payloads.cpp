//===- Payloads.cpp - scalar bodies too long for a record -----------------===//

#include "dialect/Payloads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace cellgrad::payload {
namespace {

using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Short names for the ops that the bodies are written in.
struct Scalars {
  OpBuilder &b;
  Location loc;
  Type type;

  Value integer(int64_t v) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
  }
  Value number(double v) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
  }
  Value is(CmpIPredicate p, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, p, x, y);
  }
  Value is(CmpFPredicate p, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, p, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value differ(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
};

/// A divisor that neither traps nor overflows: 1 for 0 and -1, which leave no
/// remainder.
Value safeDivisor(Scalars &s, Value divisor) {
  Value special = s.either(s.is(CmpIPredicate::eq, divisor, s.integer(0)),
                           s.is(CmpIPredicate::eq, divisor, s.integer(-1)));
  return s.choose(special, s.integer(1), divisor);
}

/// True where a remainder is not zero and its sign is not the divisor's.
Value wrongSide(Scalars &s, Value remainder, Value divisor) {
  if (isa<FloatType>(s.type)) {
    Value zero = s.number(0);
    return s.both(s.is(CmpFPredicate::ONE, remainder, zero),
                  s.differ(s.is(CmpFPredicate::OLT, remainder, zero),
                           s.is(CmpFPredicate::OLT, divisor, zero)));
  }
  Value zero = s.integer(0);
  return s.both(s.is(CmpIPredicate::ne, remainder, zero),
                s.differ(s.is(CmpIPredicate::slt, remainder, zero),
                         s.is(CmpIPredicate::slt, divisor, zero)));
}

/// The remainder of a / b with the sign of a, for f64. Each step is exact, and
/// takes 53 bits off the quotient, so six are enough for every quotient of two
/// f32.
Value remainderOf(Scalars &s, Value a, Value b) {
  OpBuilder &builder = s.b;
  Value r = a, zero = s.number(0);
  for (int step = 0; step < 6; ++step) {
    Value ratio = arith::DivFOp::create(builder, s.loc, r, b);
    Value q = math::TruncOp::create(builder, s.loc, ratio);
    Value minus = arith::NegFOp::create(builder, s.loc, q);
    Value less = math::FmaOp::create(builder, s.loc, minus, b, r);
    // A quotient of 0 leaves r as it is, also for an infinite b.
    r = s.choose(s.is(CmpFPredicate::OEQ, q, zero), r, less);
  }
  // The last quotient may have been rounded up to the next integer.
  Value size = math::AbsFOp::create(builder, s.loc, b);
  Value towards = math::CopySignOp::create(builder, s.loc, size, a);
  Value moved = arith::AddFOp::create(builder, s.loc, r, towards);
  r = s.choose(wrongSide(s, r, a), moved, r);
  return math::CopySignOp::create(builder, s.loc, r, a);
}

Value widen(Scalars &s, Value x) {
  if (x.getType() == s.type)
    return x;
  return arith::ExtFOp::create(s.b, s.loc, s.type, x);
}

Value narrow(Scalars &s, Value x, Type type) {
  if (type == s.type)
    return x;
  return arith::TruncFOp::create(s.b, s.loc, type, x);
}

} // namespace

Value Guard::create(OpBuilder &builder, Location loc, Value x,
                    Value cotangent) {
  Scalars s{builder, loc, x.getType()};
  Value finite = math::IsFiniteOp::create(builder, loc, x);
  Value nonzero = s.is(CmpFPredicate::UNE, cotangent, s.number(0));
  return s.choose(s.either(finite, nonzero), x, s.number(0));
}

Value IsInf::create(OpBuilder &builder, Location loc, Value x) {
  Scalars s{builder, loc, x.getType()};
  Value size = math::AbsFOp::create(builder, loc, x);
  Value infinity = s.number(std::numeric_limits<double>::infinity());
  return s.is(CmpFPredicate::OEQ, size, infinity);
}

Value TruncModI::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, a.getType()};
  return arith::RemSIOp::create(builder, loc, a, safeDivisor(s, b));
}

Value FloorModI::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, a.getType()};
  Value r = TruncModI::create(builder, loc, a, b);
  Value moved = arith::AddIOp::create(builder, loc, r, b);
  return s.choose(wrongSide(s, r, b), moved, r);
}

Value FloorDivI::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, a.getType()};
  Value zero = s.integer(0), divisor = safeDivisor(s, b);
  Value q = arith::DivSIOp::create(builder, loc, a, divisor);
  Value r = arith::RemSIOp::create(builder, loc, a, divisor);
  Value below = arith::SubIOp::create(builder, loc, q, s.integer(1));
  q = s.choose(wrongSide(s, r, divisor), below, q);
  Value negated = arith::SubIOp::create(builder, loc, zero, a);
  q = s.choose(s.is(CmpIPredicate::eq, b, s.integer(-1)), negated, q);
  return s.choose(s.is(CmpIPredicate::eq, b, zero), zero, q);
}

Value FloorModF::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, builder.getF64Type()};
  Value divisor = widen(s, b), zero = s.number(0);
  Value r = remainderOf(s, widen(s, a), divisor);
  Value moved = arith::AddFOp::create(builder, loc, r, divisor);
  r = s.choose(wrongSide(s, r, divisor), moved, r);
  Value signedZero = math::CopySignOp::create(builder, loc, zero, divisor);
  r = s.choose(s.is(CmpFPredicate::OEQ, r, zero), signedZero, r);
  return narrow(s, r, a.getType());
}

Value TruncModF::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, builder.getF64Type()};
  Value r = remainderOf(s, widen(s, a), widen(s, b));
  return narrow(s, r, a.getType());
}

} // namespace cellgrad::payload
