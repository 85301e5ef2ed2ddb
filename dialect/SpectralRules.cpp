//===- SpectralRules.cpp - derivatives of eigenvalues, singular values ----===//
//
// d is a tangent, c a cotangent, * the product of elements. Where values are
// equal, quotients by their difference are NaN: the slope of V f(w) V^T has
// f'(w) in their place, which no rule that sees w and V alone can know. They
// are 0 for pairs of columns that the program takes out of V and does not use.
//
//===----------------------------------------------------------------------===//

#include "dialect/Algebra.h"

#include <cmath>

using namespace mlir;

namespace cellgrad {

namespace {

/// The algebra of the values of one operand, and the limit below which their
/// differences are rounding errors.
class Spectrum : public Algebra {
public:
  Spectrum(OpBuilder &builder, Operation *op, StringRef rule, Value values,
           bool paired)
      : Algebra(builder, op, rule), values(values), paired(paired) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
    RankedTensorType type = typeOf(values);
    precision = std::max(shape[shape.size() - 2], shape.back()) *
                std::ldexp(1, type.getElementType().isF64() ? -52 : -23);
    Value sizes = AbsOp::create(builder, loc, values);
    largest = ReduceMaxOp::create(builder, loc, sizes,
                                  ArrayRef<int64_t>{type.getRank() - 1});
  }

  Value mul(Value a, Value b) { return MulOp::create(builder, loc, a, b); }
  Value half(Value a) { return mul(a, splat(builder, loc, a.getType(), 0.5)); }

  /// Row i of the result is x, for each i.
  Value asRows(Value x, int64_t rows) {
    return repeat(x, typeOf(x).getRank() - 1, rows);
  }
  /// Column j of the result is x, for each j.
  Value asColumns(Value x, int64_t columns) {
    return repeat(x, typeOf(x).getRank(), columns);
  }

  /// x with column j times element j of `factors`.
  Value scaleColumns(Value x, Value factors) {
    RankedTensorType type = typeOf(x);
    return mul(x, asRows(factors, type.getDimSize(type.getRank() - 2)));
  }

  /// 1 / x, or NaN where x is as small as a rounding error of the values.
  Value reciprocal(Value x) {
    return reciprocal(x, splat(builder, loc, x.getType(), std::nan("")));
  }

  /// 1 / (w_j - w_i) at [i, j], 0 on the diagonal, between columns that are not
  /// `used` (all are, where there are no such bits) and within pairs.
  Value ofDifferences(const llvm::SmallBitVector &used = {}) {
    Value result = besideDiagonal(
        sub(asRows(values, size()), asColumns(values, size())), used);
    return paired ? besidePairs(result) : result;
  }
  /// 1 / (w_j + w_i) at [i, j], 0 likewise.
  Value ofSums(const llvm::SmallBitVector &used = {}) {
    return besideDiagonal(
        add(asRows(values, size()), asColumns(values, size())), used);
  }

  /// The diagonal of a^T b.
  Value innerProducts(Value a, Value b) {
    return ReduceSumOp::create(builder, loc, mul(a, b),
                               ArrayRef<int64_t>{typeOf(a).getRank() - 2});
  }

  /// x - q q^T x, for orthonormal columns q.
  Value outside(Value q, Value x) {
    return sub(x, matmul(q, matmul(q, x, /*transposeA=*/true)));
  }

private:
  static RankedTensorType typeOf(Value x) {
    return cast<RankedTensorType>(x.getType());
  }
  int64_t size() { return typeOf(values).getShape().back(); }

  Value reciprocal(Value x, Value ofSmall) {
    RankedTensorType type = typeOf(x);
    int64_t batchRank = typeOf(largest).getRank();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(batchRank, type.getRank()));
    Value least =
        mul(largest, splat(builder, loc, largest.getType(), precision));
    Value limit = BroadcastOp::create(builder, loc, type, least, dims);
    Value none = LessEqualOp::create(builder, loc,
                                     AbsOp::create(builder, loc, x), limit);
    Value one = splat(builder, loc, type, 1);
    Value divisor = SelectOp::create(builder, loc, none, one, x);
    Value inverse = ReciprocalOp::create(builder, loc, divisor);
    return SelectOp::create(builder, loc, none, ofSmall, inverse);
  }

  Value besideDiagonal(Value x, const llvm::SmallBitVector &used) {
    Value result = reciprocal(x, ofEqual(typeOf(x), used));
    return add(lower(result, -1), upper(result, 1));
  }

  /// NaN, but 0 between columns that are not used.
  Value ofEqual(RankedTensorType type, const llvm::SmallBitVector &used) {
    if (used.empty() || used.all())
      return splat(builder, loc, type, std::nan(""));
    SmallVector<Attribute> each;
    for (int64_t i = 0; i < size(); ++i)
      each.push_back(builder.getFloatAttr(type.getElementType(),
                                          used[i] ? std::nan("") : 0.0));
    auto rowType = RankedTensorType::get({size()}, type.getElementType());
    Value row =
        ConstantOp::create(builder, loc, DenseElementsAttr::get(rowType, each));
    auto others = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 2));
    auto along = [&](int64_t dim) {
      SmallVector<int64_t> dims(others);
      dims.push_back(dim);
      return BroadcastOp::create(builder, loc, type, row, dims);
    };
    return add(along(type.getRank() - 2), along(type.getRank() - 1));
  }

  Value repeat(Value x, int64_t dim, int64_t size) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape.insert(shape.begin() + dim, size);
    return BroadcastOp::create(builder, loc, typeOf(x).clone(shape), x,
                               ArrayRef<int64_t>{dim});
  }

  /// x with 0 between columns 2k and 2k + 1, whatever is there.
  Value besidePairs(Value x) {
    SmallVector<bool> within;
    for (int64_t i = 0, n = size(); i < n * n; ++i)
      within.push_back((i / n ^ 1) == i % n);
    RankedTensorType type = typeOf(x);
    auto bits = RankedTensorType::get({size(), size()}, builder.getI1Type());
    Value mask =
        ConstantOp::create(builder, loc, DenseElementsAttr::get(bits, within));
    auto others = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 2));
    if (!others.empty())
      mask = BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()),
                                 mask, others);
    return SelectOp::create(builder, loc, mask, splat(builder, loc, type, 0),
                            x);
  }

  Value values, largest;
  bool paired;
  double precision;
};

/// The columns of a cotangent that may be other than 0: those of slices of the
/// vectors, whose cotangents are padded with zeros.
llvm::SmallBitVector columnsOf(Value cotangent) {
  auto type = cast<RankedTensorType>(cotangent.getType());
  int64_t dim = type.getRank() - 1, size = type.getDimSize(dim);
  if (auto sum = cotangent.getDefiningOp<AddOp>())
    return columnsOf(sum.getLhs()) |= columnsOf(sum.getRhs());
  auto pad = cotangent.getDefiningOp<PadOp>();
  if (!pad)
    return llvm::SmallBitVector(size, true);
  llvm::SmallBitVector used(size), inner = columnsOf(pad.getX());
  for (int64_t i = 0, e = inner.size(); i < e; ++i) {
    int64_t at = pad.getLow()[dim] + i * (pad.getInterior()[dim] + 1);
    if (inner[i] && at >= 0 && at < size)
      used.set(at);
  }
  return used;
}

bool isEmpty(Value x) {
  return cast<RankedTensorType>(x.getType()).getNumElements() == 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// eigh
//===----------------------------------------------------------------------===//
//
// M. Giles, "Collected matrix derivative results for forward and reverse mode
// algorithmic differentiation", 2008. With P = V^T dA V and
// F[i, j] = 1 / (w_j - w_i), 0 on the diagonal: dw is the diagonal of P, and
// dV = V (F * P). As in `cholesky`, the tangent is that of the symmetric matrix
// with the lower triangle of dA, and the cotangent is lower triangular.

LogicalResult EighOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                               const llvm::SmallBitVector &wanted,
                               MutableArrayRef<Value> operandCotangents) {
  if (allZero(cotangents) || isEmpty(getX()))
    return success();
  // G = V (diag(cw) + F * V^T cV) V^T and cA = Phi(G + G^T).
  Spectrum on(builder, *this, "vjp", getW(), getPaired());
  Value v = getV(), cw = cotangents[0], cv = cotangents[1], left;
  if (cw)
    left = on.scaleColumns(v, cw);
  if (cv) {
    Value inner = on.matmul(v, cv, /*transposeA=*/true);
    Value turned = on.matmul(v, on.mul(on.ofDifferences(columnsOf(cv)), inner));
    left = left ? on.add(left, turned) : turned;
  }
  Value g = on.matmul(left, v, /*transposeA=*/false, /*transposeB=*/true);
  operandCotangents[0] = on.phi(on.add(g, on.transpose(g)));
  return success();
}

LogicalResult EighOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                               MutableArrayRef<Value> resultTangents) {
  if (!tangents[0] || isEmpty(getX()))
    return success();
  Spectrum on(builder, *this, "jvp", getW(), getPaired());
  Value v = getV(), half = on.phi(tangents[0]);
  Value image = on.matmul(on.add(half, on.transpose(half)), v);
  Value p = on.matmul(v, image, /*transposeA=*/true);
  resultTangents[0] = on.innerProducts(v, image);
  resultTangents[1] = on.matmul(v, on.mul(on.ofDifferences(), p));
  return success();
}

//===----------------------------------------------------------------------===//
// svd
//===----------------------------------------------------------------------===//
//
// J. Townsend, "Differentiating the singular value decomposition", 2016. With
// P = U^T dA V, D[i, j] = 1 / (s_j - s_i) and E[i, j] = 1 / (s_j + s_i): ds is
// the diagonal of P, and with X = (P + P^T) * D / 2 and Y = (P - P^T) * E / 2,
// dU = U (X + Y) + (I - U U^T) dA V / s and
// dV = V (X - Y) + (I - V V^T) dA^T U / s, where the last terms are of those
// vectors that the thin factors do not have. D and E apart rather than their
// product: what does not depend on the choice of vectors for equal singular
// values, as U V^T, has no D in it.

LogicalResult SVDOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                              const llvm::SmallBitVector &wanted,
                              MutableArrayRef<Value> operandCotangents) {
  if (allZero(cotangents) || isEmpty(getX()))
    return success();
  Spectrum on(builder, *this, "vjp", getS(), getPaired());
  Value u = getU(), v = getV(), sum;
  Value cu = cotangents[0], cs = cotangents[1], cv = cotangents[2];
  auto add = [&](Value term) { sum = sum ? on.add(sum, term) : term; };
  if (cs)
    add(on.scaleColumns(u, cs));
  if (cu || cv) {
    Value forU = cu ? on.matmul(u, cu, /*transposeA=*/true) : Value();
    Value forV = cv ? on.matmul(v, cv, /*transposeA=*/true) : Value();
    Value plus = !forV ? forU : !forU ? forV : on.add(forU, forV);
    Value minus = !forV ? forU : !forU ? on.neg(forV) : on.sub(forU, forV);
    llvm::SmallBitVector used;
    if (cu)
      used = columnsOf(cu);
    if (cv)
      used |= columnsOf(cv);
    Value x = on.mul(plus, on.ofDifferences(used));
    Value y = on.mul(minus, on.ofSums(used));
    Value inner =
        on.half(on.add(on.add(x, on.transpose(x)), on.sub(y, on.transpose(y))));
    add(on.matmul(u, inner));
  }
  ArrayRef<int64_t> shape = getX().getType().getShape().take_back(2);
  if (cu && shape[0] > shape[1])
    add(on.scaleColumns(on.outside(u, cu), on.reciprocal(getS())));
  Value result = on.matmul(sum, v, /*transposeA=*/false, /*transposeB=*/true);
  if (cv && shape[1] > shape[0]) {
    Value rest = on.scaleColumns(on.outside(v, cv), on.reciprocal(getS()));
    result = on.add(result, on.matmul(u, rest, /*transposeA=*/false,
                                      /*transposeB=*/true));
  }
  operandCotangents[0] = result;
  return success();
}

LogicalResult SVDOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                              MutableArrayRef<Value> resultTangents) {
  if (!tangents[0] || isEmpty(getX()))
    return success();
  Spectrum on(builder, *this, "jvp", getS(), getPaired());
  Value u = getU(), v = getV(), da = tangents[0];
  Value forU = on.matmul(da, v);
  Value forV = on.matmul(da, u, /*transposeA=*/true);
  Value p = on.matmul(u, forU, /*transposeA=*/true), q = on.transpose(p);
  Value x = on.half(on.mul(on.add(p, q), on.ofDifferences()));
  Value y = on.half(on.mul(on.sub(p, q), on.ofSums()));
  Value du = on.matmul(u, on.add(x, y)), dv = on.matmul(v, on.sub(x, y));
  ArrayRef<int64_t> shape = getX().getType().getShape().take_back(2);
  if (shape[0] > shape[1])
    du =
        on.add(du, on.scaleColumns(on.outside(u, forU), on.reciprocal(getS())));
  if (shape[1] > shape[0])
    dv =
        on.add(dv, on.scaleColumns(on.outside(v, forV), on.reciprocal(getS())));
  resultTangents[0] = du;
  resultTangents[1] = on.innerProducts(u, forU);
  resultTangents[2] = dv;
  return success();
}

} // namespace cellgrad
