//===- Latitude.cpp - results that are as good as the exact ones ----------===//

#include "tools/interp/Kernels.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace cellgrad::interp {

static bool isSmallInteger(double value) {
  return std::abs(value) < 1 << 20 && value == std::trunc(value);
}

/// Whether element `i` is that of an operand, but for its sign.
static bool isGiven(Operands args, const Tensor &result, int64_t i) {
  return llvm::any_of(args, [&](const Tensor *arg) {
    return arg->isFloat() && arg->getShape() == result.getShape() &&
           std::abs(arg->getFloat(i)) == std::abs(result.getFloat(i));
  });
}

/// A number from -1 to -1/2 or from 1/2 to 1.
static double noise(double value) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93u;
  double size = 0.5 + static_cast<double>(bits << 1 >> 12) * 0x1p-53;
  return bits >> 63 ? size : -size;
}

void disturb(Operation *op, Operands args, double relative, Tensor &result) {
  if (relative == 0 || !result.isFloat() || op->hasTrait<Exact>())
    return;
  bool isPolynomial = op->hasTrait<Polynomial>();
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    double value = result.getFloat(i);
    if ((isPolynomial && isSmallInteger(value)) || isGiven(args, result, i))
      continue;
    result.setFloat(i, value * (1 + relative * noise(value)));
  }
}

} // namespace cellgrad::interp
