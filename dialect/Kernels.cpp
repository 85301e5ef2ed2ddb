//===- Kernels.cpp - the scalar functions of elementwise ops, in C++ ------===//

#include "dialect/Kernels.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <cstdlib>
#include <type_traits>

namespace {

template <typename T> T signOf(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x; // keeps NaN and the sign of zero
}
/// IEEE 754 maximum and minimum: NaN wins, and -0 is below +0.
template <typename T> T largerOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <typename T> T smallerOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

} // namespace

const cellgrad::ScalarKernels *
cellgrad::lookupScalarKernels(llvm::StringRef name) {
  static const llvm::StringMap<ScalarKernels> table = {
#include "dialect/Kernels.inc"
  };
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}
