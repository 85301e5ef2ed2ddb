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

/// a - quotient * b in one rounding; a itself for quotient 0, also for an
/// infinite b.
Value remainderOf(Scalars &s, Value a, Value b, Value quotient) {
  Value minus = arith::NegFOp::create(s.b, s.loc, quotient);
  Value exact = math::FmaOp::create(s.b, s.loc, minus, b, a);
  return s.choose(s.is(CmpFPredicate::OEQ, quotient, s.number(0)), a, exact);
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
  Scalars s{builder, loc, a.getType()};
  Value q = math::FloorOp::create(builder, loc,
                                  arith::DivFOp::create(builder, loc, a, b));
  Value r = remainderOf(s, a, b, q);
  // The quotient may have been rounded up to the next integer.
  Value moved = arith::AddFOp::create(builder, loc, r, b);
  r = s.choose(wrongSide(s, r, b), moved, r);
  Value zero = s.number(0);
  Value signedZero = math::CopySignOp::create(builder, loc, zero, b);
  return s.choose(s.is(CmpFPredicate::OEQ, r, zero), signedZero, r);
}

Value TruncModF::create(OpBuilder &builder, Location loc, Value a, Value b) {
  Scalars s{builder, loc, a.getType()};
  Value q = math::TruncOp::create(builder, loc,
                                  arith::DivFOp::create(builder, loc, a, b));
  Value r = remainderOf(s, a, b, q);
  Value size = math::AbsFOp::create(builder, loc, b);
  Value towards = math::CopySignOp::create(builder, loc, size, a);
  Value moved = arith::AddFOp::create(builder, loc, r, towards);
  r = s.choose(wrongSide(s, r, a), moved, r);
  // An exact multiple keeps the sign of what is divided.
  return math::CopySignOp::create(builder, loc, r, a);
}

} // namespace cellgrad::payload
