//===- NumberKernels.cpp - sums, extrema, products, casts -----------------===//

#include "tools/interp/Kernels.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace cellgrad::interp {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Folds the elements of `x` over `dims` into accumulators that start at the
/// given values, and rounds once at the end.
static Tensor reduce(RankedTensorType type, const Tensor &x,
                     ArrayRef<int64_t> dims, double floatStart,
                     int64_t intStart,
                     llvm::function_ref<double(double, double)> floats,
                     llvm::function_ref<int64_t(int64_t, int64_t)> ints) {
  Tensor result(type);
  std::vector<double> floatSums(result.size(), floatStart);
  std::vector<int64_t> intSums(result.size(), intStart);
  forEachIndex(x.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    SmallVector<int64_t> kept;
    for (auto [dim, i] : llvm::enumerate(index))
      if (!llvm::is_contained(dims, dim))
        kept.push_back(i);
    int64_t at = linearIndex(type.getShape(), kept);
    if (x.isFloat())
      floatSums[at] = floats(floatSums[at], x.getFloat(linear));
    else
      intSums[at] = ints(intSums[at], x.getInt(linear));
  });
  for (int64_t i = 0, e = result.size(); i < e; ++i)
    x.isFloat() ? result.setFloat(i, floatSums[i])
                : result.setInt(i, intSums[i]);
  return result;
}

/// a + b in two's complement, where overflow wraps.
static int64_t wrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

static int64_t wrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

Tensor evaluate(ReduceSumOp op, Operands args) {
  return reduce(
      op.getType(), *args[0], op.getDims(), 0.0, 0,
      [](double a, double b) { return a + b; }, wrappingAdd);
}

/// The end of the range of the integers of `type` that is below (`sign` -1)
/// or above (+1) all others.
static int64_t rangeEnd(Type type, int sign) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return sign > 0
               ? static_cast<int64_t>(llvm::maskTrailingOnes<uint64_t>(width))
               : 0;
  int64_t top = std::numeric_limits<int64_t>::max() >> (64 - width);
  return sign > 0 ? top : -top - 1;
}

/// The larger element by the order that `sign` gives: NaN wins, -0 is below +0.
static Tensor reduceExtremum(RankedTensorType type, const Tensor &x,
                             ArrayRef<int64_t> dims, int sign) {
  return reduce(
      type, x, dims, -sign * std::numeric_limits<double>::infinity(),
      x.isFloat() ? 0 : rangeEnd(type.getElementType(), -sign),
      [&](double a, double b) {
        if (std::isnan(a) || std::isnan(b))
          return std::numeric_limits<double>::quiet_NaN();
        if (a == b)
          return std::signbit(a) == (sign > 0) ? b : a;
        return (a > b) == (sign > 0) ? a : b;
      },
      [&](int64_t a, int64_t b) {
        return x.isLess(b, a) == (sign > 0) ? a : b;
      });
}

Tensor evaluate(ReduceMaxOp op, Operands args) {
  return reduceExtremum(op.getType(), *args[0], op.getDims(), 1);
}

Tensor evaluate(ReduceMinOp op, Operands args) {
  return reduceExtremum(op.getType(), *args[0], op.getDims(), -1);
}

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

Tensor evaluate(MatMulOp op, Operands args) {
  const Tensor &lhs = *args[0], &rhs = *args[1];
  Tensor result(op.getType());
  int64_t rank = result.getShape().size();
  int64_t inner = lhs.getShape()[op.getTransposeA() ? rank - 2 : rank - 1];
  auto position = [rank](const Tensor &x, ArrayRef<int64_t> index, int64_t row,
                         int64_t column, bool transposed) {
    SmallVector<int64_t> at(index);
    at[rank - 2] = transposed ? column : row;
    at[rank - 1] = transposed ? row : column;
    return linearIndex(x.getShape(), at);
  };
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index, int64_t linear) {
    double floatSum = 0;
    int64_t intSum = 0;
    for (int64_t k = 0; k < inner; ++k) {
      int64_t a = position(lhs, index, index[rank - 2], k, op.getTransposeA());
      int64_t b = position(rhs, index, k, index[rank - 1], op.getTransposeB());
      if (lhs.isFloat())
        floatSum += lhs.getFloat(a) * rhs.getFloat(b);
      else
        intSum = wrappingAdd(intSum, wrappingMul(lhs.getInt(a), rhs.getInt(b)));
    }
    lhs.isFloat() ? result.setFloat(linear, floatSum)
                  : result.setInt(linear, intSum);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Truncates toward zero and saturates at the ends of the range; NaN gives 0.
static int64_t saturate(double value, Type type) {
  if (std::isnan(value))
    return 0;
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger()) {
    if (value >= std::ldexp(1.0, width))
      return rangeEnd(type, 1);
    return value <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
  }
  // The upper end plus one is a power of two, hence exact in double.
  if (value >= std::ldexp(1.0, width - 1))
    return rangeEnd(type, 1);
  if (value < std::ldexp(-1.0, width - 1))
    return rangeEnd(type, -1);
  return static_cast<int64_t>(value);
}

/// `value` rounded once to `type`, also where double is not exact.
static double fromInteger(FloatType type, int64_t value, bool isSigned) {
  APFloat number(type.getFloatSemantics());
  number.convertFromAPInt(APInt(64, static_cast<uint64_t>(value)), isSigned,
                          APFloat::rmNearestTiesToEven);
  bool lost;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

Tensor evaluate(CastOp op, Operands args) {
  const Tensor &x = *args[0];
  Tensor result(op.getType());
  Type to = result.getElementType();
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    if (to.isInteger(1))
      result.setInt(i, x.isFloat() ? x.getFloat(i) != 0 : x.getInt(i) != 0);
    else if (result.isFloat())
      result.setFloat(i, x.isFloat()
                             ? x.getFloat(i)
                             : fromInteger(cast<FloatType>(to), x.getInt(i),
                                           !x.isUnsigned()));
    else if (x.isFloat())
      result.setInt(i, saturate(x.getFloat(i), to));
    else
      result.setInt(i, x.getInt(i));
  }
  return result;
}

} // namespace cellgrad::interp
