//===- RunningSum.cpp - sums that take their terms in order ---------------===//

#include "passes/lower/tensors/RunningSum.h"

#include "passes/lower/tensors/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace cellgrad;

/// The errors of so many additions are small, as in a block of a tree.
constexpr int64_t kLongestChain = 64;

int64_t RunningSum::longestChain(Type element) {
  return accumulatorType(element) == element ? kLongestChain : 1;
}

RunningSum::RunningSum(Type element, int64_t terms)
    : element(element), carried{accumulatorType(element)} {
  if (!isa<FloatType>(element) || terms <= kLongestChain)
    return;
  carried.front() = Float64Type::get(element.getContext());
  if (element.isF64())
    carried.push_back(element);
}

SmallVector<TypedAttr> RunningSum::zeros() const {
  Builder b(element.getContext());
  return llvm::map_to_vector(
      carried, [&](Type type) { return cast<TypedAttr>(b.getZeroAttr(type)); });
}

SmallVector<Value> RunningSum::begin(OpBuilder &b, Location loc,
                                     Value x) const {
  // Conversions between f16 and f64 go by f32, which no target lacks.
  for (Type type : {accumulatorType(element), carried.front()})
    if (x.getType() != type)
      x = arith::ExtFOp::create(b, loc, type, x);
  if (carried.size() == 1)
    return {x};
  return {x, arith::ConstantOp::create(b, loc, zeros().back())};
}

SmallVector<Value> RunningSum::add(OpBuilder &b, Location loc, ValueRange sum,
                                   Value x) const {
  x = begin(b, loc, x).front();
  Value old = sum[0];
  if (isa<IntegerType>(element))
    return {arith::AddIOp::create(b, loc, old, x)};
  Value next = arith::AddFOp::create(b, loc, old, x);
  if (carried.size() == 1)
    return {next};
  // Exact where |old| >= |x|; elsewhere off by a rounding of x.
  Value added = arith::SubFOp::create(b, loc, next, old);
  Value error = arith::SubFOp::create(b, loc, x, added);
  return {next, arith::AddFOp::create(b, loc, sum[1], error)};
}

Value RunningSum::round(OpBuilder &b, Location loc, ValueRange sum) const {
  Value x = sum[0];
  if (sum.size() == 2) {
    // The errors of an infinite sum would make a NaN of it.
    Value total = arith::AddFOp::create(b, loc, x, sum[1]);
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, total, total);
    return arith::SelectOp::create(b, loc, isNumber, total, x);
  }
  for (Type type : {accumulatorType(element), element})
    if (x.getType() != type)
      x = arith::TruncFOp::create(b, loc, type, x);
  return x;
}

Value RunningSum::roundAll(OpBuilder &b, Location loc, ValueRange sums) const {
  if (isPlain())
    return sums[0];
  auto type = cast<RankedTensorType>(sums[0].getType()).clone(element);
  unsigned rank = type.getRank();
  Value init = emptyTensor(b, loc, type);
  SmallVector<AffineMap> maps(sums.size() + 1, b.getMultiDimIdentityMap(rank));
  return linalg::GenericOp::create(
             b, loc, TypeRange(type), sums, init, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &inner, Location, ValueRange args) {
               linalg::YieldOp::create(inner, loc,
                                       round(inner, loc, args.drop_back()));
             })
      .getResult(0);
}
