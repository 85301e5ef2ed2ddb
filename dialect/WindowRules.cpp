//===- WindowRules.cpp - derivative of convolution ------------------------===//
//
// Both adjoints are convolutions again, so the rule differentiates to any
// order. Notation: group g of G, N images, C channels and O filters a group.
//
//===----------------------------------------------------------------------===//

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {
namespace {

/// Elements of each spatial dimension of x that no window reaches.
SmallVector<int64_t> unreached(ConvOp op) {
  SmallVector<int64_t> rest;
  for (auto [i, size] :
       llvm::enumerate(op.getX().getType().getShape().drop_front(2)))
    rest.push_back(size - 1 -
                   op.getDilations()[i] *
                       (op.getW().getType().getDimSize(i + 2) - 1) -
                   op.getStrides()[i] * (op.getType().getDimSize(i + 2) - 1));
  return rest;
}

/// `x` [a0 * groups?, a1 * groups?, ...] with its first two dimensions
/// exchanged and the groups, which come from dimension `from`, in dimension
/// `to`.
Value exchange(OpBuilder &builder, Location loc, Value x, int64_t groups,
               int64_t from, int64_t to) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> perm;
  if (groups == 1) {
    perm = {1, 0};
    for (int64_t dim = 2; dim < type.getRank(); ++dim)
      perm.push_back(dim);
    return TransposeOp::create(builder, loc, x, perm);
  }
  // [.., g, a_from, ..] with g before dimension `from`.
  SmallVector<int64_t> split(type.getShape());
  split[from] /= groups;
  SmallVector<int64_t> result(split);
  std::swap(result[0], result[1]);
  result[to] *= groups;
  split.insert(split.begin() + from, groups);
  Value apart = ReshapeOp::create(builder, loc, type.clone(split), x);
  int64_t g = from, first = from == 0 ? 1 : 0, second = 2;
  perm = to == 0 ? SmallVector<int64_t>{g, second, first}
                 : SmallVector<int64_t>{second, g, first};
  for (int64_t dim = 3; dim <= type.getRank(); ++dim)
    perm.push_back(dim);
  Value moved = TransposeOp::create(builder, loc, apart, perm);
  return ReshapeOp::create(builder, loc, type.clone(result), moved);
}

/// The cotangent of x: that of the result, with zeros between and around its
/// elements, under the reversed filters.
Value cotangentOfX(OpBuilder &builder, Location loc, ConvOp op, Value ct) {
  SmallVector<int64_t> low{0, 0}, high{0, 0}, interior{0, 0}, spatial;
  SmallVector<int64_t> ones(op.getStrides().size(), 1);
  for (auto [i, rest] : llvm::enumerate(unreached(op))) {
    int64_t reach =
        op.getDilations()[i] * (op.getW().getType().getDimSize(i + 2) - 1);
    low.push_back(reach);
    high.push_back(reach + rest);
    interior.push_back(op.getStrides()[i] - 1);
    spatial.push_back(i + 2);
  }
  // [G * O, C, K..] to [G * C, O, K..].
  Value w = exchange(builder, loc, op.getW(), op.getGroups(), 0, 0);
  w = ReverseOp::create(builder, loc, w, spatial);
  Value padded = PadOp::create(builder, loc, ct, low, high, interior);
  return ConvOp::create(builder, loc, padded, w, ones, op.getDilations(),
                        op.getGroups());
}

/// The cotangent of w: images as channels, that of the result as filters, which
/// move by the dilations and have elements a stride apart.
Value cotangentOfW(OpBuilder &builder, Location loc, ConvOp op, Value ct) {
  auto type = op.getX().getType();
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      steps(type.getRank(), 1);
  for (auto [i, rest] : llvm::enumerate(unreached(op)))
    limits[i + 2] -= rest;
  Value x = op.getX();
  if (ArrayRef(limits) != type.getShape())
    x = SliceOp::create(builder, loc, x, starts, limits, steps);
  // [N, G * C, S..] to [C, G * N, S..]; [N, G * O, ..] to [G * O, N, ..].
  x = exchange(builder, loc, x, op.getGroups(), 1, 1);
  Value filters = exchange(builder, loc, ct, 1, 0, 0);
  Value dw = ConvOp::create(builder, loc, x, filters, op.getDilations(),
                            op.getStrides(), op.getGroups());
  return exchange(builder, loc, dw, 1, 0, 0);
}

} // namespace

LogicalResult ConvOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                               const llvm::SmallBitVector &wanted,
                               MutableArrayRef<Value> operandCotangents) {
  Value ct = cotangents[0];
  if (!ct)
    return success();
  Location loc = ruleLocation(*this, "vjp");
  if (wanted[0])
    operandCotangents[0] = cotangentOfX(builder, loc, *this, ct);
  if (wanted[1])
    operandCotangents[1] = cotangentOfW(builder, loc, *this, ct);
  return success();
}

LogicalResult ConvOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                               MutableArrayRef<Value> resultTangents) {
  if (!allZero(tangents))
    resultTangents[0] =
        multilinearJVP(builder, ruleLocation(*this, "jvp"), *this, tangents);
  return success();
}

} // namespace cellgrad
