//===- Kernels.cpp - the scalar functions of elementwise ops, in C++ ------===//

#include "dialect/Kernels.h"

#include "dialect/SpecialKernels.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <cstdlib>
#include <type_traits>

using cellgrad::digamma;
using cellgrad::inverseErf;

// Integers wrap where they overflow, as compiled code does: -fwrapv, see
// CMakeLists.txt.

namespace {

template <typename T> T magnitudeOf(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(x);
  else if constexpr (std::is_unsigned_v<T>)
    return x;
  else
    return x < 0 ? -x : x;
}
template <typename T> T signOf(T x) {
  // Keeps NaN and the sign of zero.
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;
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

/// Rounding: integers are what they are.
template <typename T> T floorOf(T x) {
  return std::is_floating_point_v<T> ? T(std::floor(x)) : x;
}
template <typename T> T ceilOf(T x) {
  return std::is_floating_point_v<T> ? T(std::ceil(x)) : x;
}
template <typename T> T truncOf(T x) {
  return std::is_floating_point_v<T> ? T(std::trunc(x)) : x;
}
template <typename T> T roundOf(T x) {
  return std::is_floating_point_v<T> ? T(std::nearbyint(x)) : x;
}

/// Remainders; of an integer by zero 0.
template <typename T> T truncRemainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(a, b);
  else if constexpr (std::is_unsigned_v<T>)
    return b == 0 ? T(0) : a % b;
  else
    return b == 0 || b == -1 ? T(0) : a % b;
}
template <typename T> T floorRemainder(T a, T b) {
  T r = truncRemainder(a, b);
  if constexpr (std::is_floating_point_v<T>)
    if (r == 0)
      return std::copysign(r, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <typename T> T floorDivide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::floor(a / b);
  else if constexpr (std::is_unsigned_v<T>)
    return b == 0 ? T(0) : a / b;
  else
    return b == 0 ? T(0) : b == -1 ? -a : (a - floorRemainder(a, b)) / b;
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
