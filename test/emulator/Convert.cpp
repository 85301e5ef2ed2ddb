//===- Convert.cpp - conversions between types ----------------------------===//
//
// Every pair goes through one of three: integers are cut or extended; floats
// to integers saturate, and NaN is 0; all else is rounded by roundBits, except
// the frequent pairs, which the host converts.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Map.h"
#include "Numbers.h"

#include <limits>
#include <type_traits>

using namespace ptx;

//===----------------------------------------------------------------------===//
// Rows of another width
//===----------------------------------------------------------------------===//

namespace {
struct Cast {
  template <class D, class A> static D apply(A a) { return static_cast<D>(a); }
};
} // namespace

template <class A> static Handler castTo(unsigned bytes) {
  return bytes == 1   ? map1<Cast, uint8_t, A>
         : bytes == 2 ? map1<Cast, uint16_t, A>
         : bytes == 4 ? map1<Cast, uint32_t, A>
                      : map1<Cast, uint64_t, A>;
}

Handler ptx::extender(Type from, unsigned bytes) {
  bool sign = isSigned(from);
  switch (sizeOf(from)) {
  case 1:
    return sign ? castTo<int8_t>(bytes) : castTo<uint8_t>(bytes);
  case 2:
    return sign ? castTo<int16_t>(bytes) : castTo<uint16_t>(bytes);
  case 4:
    return sign ? castTo<int32_t>(bytes) : castTo<uint32_t>(bytes);
  default:
    return castTo<uint64_t>(bytes);
  }
}

Handler ptx::truncater(unsigned bytes, Type to) {
  return bytes == 2   ? castTo<uint16_t>(sizeOf(to))
         : bytes == 4 ? castTo<uint32_t>(sizeOf(to))
         : bytes == 8 ? castTo<uint64_t>(sizeOf(to))
                      : castTo<uint8_t>(sizeOf(to));
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Integers keep 64 bits, floats become doubles: both are exact.
template <class T> static auto exactly(T value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return static_cast<double>(widen(value));
}

template <class D>
constexpr Format kFormatOf = sizeof(D) == 8   ? kDouble
                             : sizeof(D) == 4 ? kSingle
                                              : kHalf;
template <> constexpr Format kFormatOf<BFloat> = kBFloat;

template <class D, class A>
static D rounded(A value, Format format, Round mode) {
  uint64_t bits = 0;
  if constexpr (std::is_integral_v<A>) {
    bool negative = value < 0;
    uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(value) : uint64_t(value);
    if (magnitude)
      bits = roundBits(negative, magnitude, 0, format, mode);
  } else {
    bits = roundBits(exactly(value), format, mode);
  }
  D result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

template <class D, class A>
static void roundRow(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  auto mode = static_cast<Round>(i.mode);
  forLanes(lanes,
           [=](unsigned k) { d[k] = rounded<D>(a[k], kFormatOf<D>, mode); });
}

/// tf32 is f32 with fewer bits.
static void roundToTF32(Warp &warp, const Instr &i, uint32_t lanes) {
  auto *d = warp.row<uint32_t>(i.d[0]);
  const auto *a = warp.row<float>(i.a[0]);
  auto mode = static_cast<Round>(i.mode);
  forLanes(lanes, [=](unsigned k) {
    uint64_t bits = roundBits(double(a[k]), kTF32, mode);
    d[k] = a[k] != a[k] ? 0x7fffffffu
                        : static_cast<uint32_t>(bits)
                              << (kSingle.fraction - kTF32.fraction);
  });
}

/// The nearest integer below, above or towards zero.
static double toIntegral(double value, Round mode) {
  switch (mode) {
  case Round::Zero:
    return std::trunc(value);
  case Round::Down:
    return std::floor(value);
  case Round::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

template <class D, class A>
static void toInteger(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  auto mode = static_cast<Round>(i.mode);
  constexpr D least = std::numeric_limits<D>::min();
  constexpr D most = std::numeric_limits<D>::max();
  // 2^n, the first number that is too large, is a double.
  const double limit = 2 * static_cast<double>(D(1) << (8 * sizeof(D) - 2)) *
                       (std::is_signed_v<D> ? 1 : 2);
  forLanes(lanes, [=](unsigned k) {
    double value = toIntegral(exactly(a[k]), mode);
    d[k] = value != value                       ? D(0)
           : value >= limit                     ? most
           : value < static_cast<double>(least) ? least
                                                : static_cast<D>(value);
  });
}

template <class T>
static void integralRow(Warp &warp, const Instr &i, uint32_t lanes) {
  T *d = warp.row<T>(i.d[0]);
  const T *a = warp.row<T>(i.a[0]);
  auto mode = static_cast<Round>(i.mode);
  forLanes(lanes, [=](unsigned k) {
    d[k] = narrow<T>(toIntegral(exactly(a[k]), mode));
  });
}

/// Between integers, with ".sat".
template <class D, class A>
static void saturateRow(Warp &warp, const Instr &i, uint32_t lanes) {
  D *d = warp.row<D>(i.d[0]);
  const A *a = warp.row<A>(i.a[0]);
  forLanes(lanes, [=](unsigned k) {
    __int128 value = a[k];
    __int128 least = std::numeric_limits<D>::min();
    __int128 most = std::numeric_limits<D>::max();
    d[k] = static_cast<D>(value < least ? least : value > most ? most : value);
  });
}

namespace {
struct Widen {
  template <class D, class A> static D apply(A a) {
    return narrow<D>(static_cast<D>(widen(a)));
  }
};
struct Narrow {
  template <class D, class A> static D apply(A a) {
    return narrow<D>(widen(a));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Choosing a handler
//===----------------------------------------------------------------------===//

template <class F> static void withNumber(Type type, F f) {
  switch (type) {
  case Type::F32:
  case Type::TF32:
    return f(float());
  case Type::F64:
    return f(double());
  case Type::F16:
    return f(Half());
  case Type::BF16:
    return f(BFloat());
  case Type::U8:
  case Type::B8:
    return f(uint8_t());
  case Type::S8:
    return f(int8_t());
  default:
    withInteger(type, f);
  }
}

template <class D, class A>
static Handler handlerFor(Round mode, bool saturates) {
  constexpr bool toInt = std::is_integral_v<D>, fromInt = std::is_integral_v<A>;
  if constexpr (toInt && fromInt)
    return saturates ? saturateRow<D, A>
                     : map1<Cast, std::make_unsigned_t<D>, A>;
  else if constexpr (toInt)
    return toInteger<D, A>;
  else if constexpr (fromInt && sizeof(D) >= 4)
    return mode == Round::Nearest ? map1<Cast, D, A> : roundRow<D, A>;
  else if constexpr (fromInt)
    return roundRow<D, A>;
  else if constexpr (std::is_same_v<D, A>)
    return integralRow<D>;
  else if constexpr (sizeof(D) > sizeof(A))
    return map1<Widen, D, A>;
  else if constexpr (sizeof(D) == sizeof(A)) // f16 and bf16
    return roundRow<D, A>;
  else
    return mode == Round::Nearest ? map1<Narrow, D, A> : roundRow<D, A>;
}

/// Two floats into one register, the first into its upper half.
template <class T>
static void packRow(Warp &warp, const Instr &i, uint32_t lanes) {
  T *d = warp.row<T>(i.d[0]);
  const auto *a = warp.row<float>(i.a[0]), *b = warp.row<float>(i.a[1]);
  auto mode = static_cast<Round>(i.mode);
  Format format = kFormatOf<T>;
  forLanes(lanes, [=](unsigned k) {
    T low = mode == Round::Nearest ? narrow<T>(b[k])
                                   : rounded<T>(b[k], format, mode);
    T high = mode == Round::Nearest ? narrow<T>(a[k])
                                    : rounded<T>(a[k], format, mode);
    d[2 * k] = low;
    d[2 * k + 1] = high;
  });
}

static void decodeConversion(Decoder &decoder, Opcode &opcode, Instr &i) {
  int toIntegral = opcode.oneOf({"rni", "rzi", "rmi", "rpi"});
  int rounding = opcode.oneOf({"rn", "rz", "rm", "rp", "rna"});
  bool saturates = opcode.has("sat"), isRelu = opcode.has("relu");
  bool flushes = opcode.has("ftz");
  Type to = opcode.type(), from = opcode.type();
  i.mode = static_cast<uint8_t>(toIntegral >= 0 ? toIntegral
                                : rounding >= 0 ? rounding
                                                : 0);
  auto post = [&](Handler run) {
    Instr instr;
    instr.counted = false;
    instr.run = run;
    instr.a[0] = instr.d[0] = i.d[0];
    if (!run)
      return decoder.fail("this form of 'cvt' is not emulated for '" +
                          std::string(opcode.text) + "'");
    decoder.emitAfter(instr);
  };
  if (to == Type::F16x2 || to == Type::BF16x2) {
    if (from != Type::F32)
      return decoder.fail("this form of 'cvt' is not emulated");
    i.run = to == Type::F16x2 ? packRow<Half> : packRow<BFloat>;
    i.d[0] = decoder.destination(to);
    i.a[0] = decoder.nextSource(from);
    i.a[1] = decoder.nextSource(from);
    if (isRelu)
      post(reluer(to));
    return;
  }
  withNumber(to, [&](auto d) {
    withNumber(from, [&](auto a) {
      i.run = handlerFor<decltype(d), decltype(a)>(static_cast<Round>(i.mode),
                                                   saturates);
    });
  });
  if (to == from && isFloat(to) && toIntegral < 0) // only ".sat" or ".ftz"
    i.run = sizeOf(to) == 8   ? map1<Cast, uint64_t, uint64_t>
            : sizeOf(to) == 4 ? map1<Cast, uint32_t, uint32_t>
                              : map1<Cast, uint16_t, uint16_t>;
  if (to == Type::TF32) {
    i.run = from == Type::F32 ? roundToTF32 : nullptr;
  }
  if (!i.run)
    return decoder.fail("this form of 'cvt' is not emulated");
  i.d[0] = decoder.wideDestination(to);
  decoder.comma();
  i.a[0] = decoder.narrowSource(from);
  if (flushes) {
    if (from == Type::F32) {
      Instr flush;
      flush.counted = false;
      flush.run = flusher(from);
      flush.a[0] = i.a[0];
      flush.d[0] = i.a[0] = decoder.newRow(4);
      decoder.emit(flush);
    }
    if (to == Type::F32)
      post(flusher(to));
  }
  if (saturates && isFloat(to))
    post(saturater(to));
  if (isRelu)
    post(reluer(to));
}

Decode ptx::findConvert(std::string_view name) {
  return name == "cvt" ? decodeConversion : nullptr;
}
