//===- Numbers.h - floating-point formats ---------------------------------===//
//
// f16, bf16 and tf32, and rounding to any format in any of the four modes.
// Rounding is done on integers: exact, and independent of the host's mode.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_NUMBERS_H
#define CELLGRAD_TEST_EMULATOR_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace ptx {

template <class To, class From> inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// A binary format: bits of the significand that are stored, and of the
/// exponent.
struct Format {
  int fraction, exponent;
  constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
};
constexpr Format kHalf = {10, 5}, kBFloat = {7, 8}, kTF32 = {10, 8},
                 kSingle = {23, 8}, kDouble = {52, 11};

/// The bits of (-1)^negative * significand * 2^exponent in `format`.
/// `significand` is not 0.
inline uint64_t roundBits(bool negative, uint64_t significand, int exponent,
                          Format format, Round mode) {
  // The significand with its highest bit at 63.
  int shift = __builtin_clzll(significand);
  significand <<= shift;
  exponent += 63 - shift; // of the highest bit
  int lowest = 1 - format.bias();
  int drop = 63 - format.fraction;
  if (exponent < lowest) // subnormal: fewer bits stay
    drop += lowest - exponent;
  uint64_t kept = drop >= 64 ? 0 : significand >> drop;
  uint64_t rest = drop > 64    ? (significand ? 1 : 0)
                  : drop == 64 ? significand
                               : significand << (64 - drop);
  // `rest` in units of 2^-64 of the last bit; beyond that only "not zero".
  bool isHalfOrMore = drop <= 64 && rest >= 1ull << 63;
  bool isHalf = drop <= 64 && rest == 1ull << 63;
  bool up = false;
  switch (mode) {
  case Round::Nearest:
    up = isHalfOrMore && (!isHalf || (kept & 1));
    break;
  case Round::NearestAway:
    up = isHalfOrMore;
    break;
  case Round::Zero:
    break;
  case Round::Down:
    up = negative && rest != 0;
    break;
  case Round::Up:
    up = !negative && rest != 0;
    break;
  }
  kept += up;
  // A carry into the exponent field is what it should be.
  uint64_t biased = exponent < lowest
                        ? 0
                        : static_cast<uint64_t>(exponent + format.bias() - 1);
  uint64_t bits = (biased << format.fraction) + kept;
  uint64_t infinity = ((1ull << format.exponent) - 1) << format.fraction;
  if (exponent > format.bias() || bits >= infinity) {
    bool toInfinity = mode == Round::Nearest || mode == Round::NearestAway ||
                      mode == (negative ? Round::Down : Round::Up);
    bits = toInfinity ? infinity : infinity - 1;
  }
  return bits | uint64_t(negative) << (format.fraction + format.exponent);
}

/// The bits of a double in a narrower format. NaN becomes the one that the
/// device makes: all bits but the sign.
inline uint64_t roundBits(double value, Format format, Round mode) {
  auto bits = bitCast<uint64_t>(value);
  bool negative = bits >> 63;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t significand = bits & ((1ull << 52) - 1);
  uint64_t sign = uint64_t(negative) << (format.fraction + format.exponent);
  if (exponent == 0x7ff) {
    if (significand)
      return (1ull << (format.fraction + format.exponent)) - 1;
    return sign | ((1ull << format.exponent) - 1) << format.fraction;
  }
  if (exponent == 0) {
    if (significand == 0)
      return sign;
    exponent = 1;
  } else {
    significand |= 1ull << 52;
  }
  return roundBits(negative, significand, exponent - 1075, format, mode);
}

//===----------------------------------------------------------------------===//
// Types of rows
//===----------------------------------------------------------------------===//

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

inline float widen(Half x) {
  return static_cast<float>(bitCast<_Float16>(x.bits));
}
inline float widen(BFloat x) { return bitCast<float>(uint32_t(x.bits) << 16); }
inline float widen(float x) { return x; }
inline double widen(double x) { return x; }

/// A result of type T from one that is exact or computed with enough more
/// bits; NaN as the device makes it.
template <class T, class W> inline T narrow(W x);
template <> inline float narrow(float x) {
  // On bits: to the compiler one NaN is as good as another.
  auto bits = bitCast<uint32_t>(x);
  return bitCast<float>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffffu : bits);
}
template <> inline float narrow(double x) {
  return narrow<float>(static_cast<float>(x));
}
template <> inline double narrow(double x) { return x; }
template <> inline Half narrow(double x) {
  return {static_cast<uint16_t>(roundBits(x, kHalf, Round::Nearest))};
}
template <> inline Half narrow(float x) {
  if (x != x)
    return {0x7fff};
  return {bitCast<uint16_t>(static_cast<_Float16>(x))};
}
template <> inline BFloat narrow(double x) {
  return {static_cast<uint16_t>(roundBits(x, kBFloat, Round::Nearest))};
}
template <> inline BFloat narrow(float x) {
  auto bits = bitCast<uint32_t>(x);
  if (x != x)
    return {0x7fff};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

/// a * b + c of narrow factors, such that rounding it once more is right: the
/// last bit says whether something was cut off.
inline double fmaToOdd(double a, double b, double c) {
  double product = a * b; // exact for 24 bits and less
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  auto bits = bitCast<uint64_t>(sum);
  if (error != 0 && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return bitCast<double>(bits);
}

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_NUMBERS_H
