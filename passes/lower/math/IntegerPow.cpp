//===- IntegerPow.cpp - ipowi ---------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace cellgrad {

Expr expandIntegerPow(Expr x, Expr n) {
  // Squaring, for as many bits as the largest exponent has.
  MathBuilder &b = x.builder();
  Expr negative = slt(n, 0);
  // Of a negative exponent only the parity matters, for the base -1.
  Expr exponent = select(negative, andi(n, 1), n);
  auto whileOp = scf::WhileOp::create(
      b, TypeRange{x.type(), x.type(), x.type()},
      ValueRange{x.integer(1), x, exponent},
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        MathBuilder body(loc, nested, b.features);
        Value more = anyLane(nei(Expr(state[2], body), 0));
        scf::ConditionOp::create(body, more, state);
      },
      [&](OpBuilder &nested, Location loc, ValueRange state) {
        MathBuilder body(loc, nested, b.features);
        Expr result(state[0], body), base(state[1], body), rest(state[2], body);
        Expr odd = nei(andi(rest, 1), 0);
        scf::YieldOp::create(body,
                             ValueRange{select(odd, muli(result, base), result),
                                        muli(base, base), shrl(rest, 1)});
      });
  Expr power(whileOp.getResult(0), b);
  Expr reciprocal = select(eqi(x, -1), power, power.integer(0));
  reciprocal = select(eqi(x, 1), x, reciprocal);
  return select(negative, reciprocal, power);
}

} // namespace cellgrad
