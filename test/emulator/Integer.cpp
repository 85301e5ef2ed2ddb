//===- Integer.cpp - arithmetic of integers -------------------------------===//

#include "Arithmetic.h"
#include "Map.h"

#include <limits>
#include <type_traits>

using namespace ptx;

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;

/// Wraps; also where T is promoted to int.
template <class T> T times(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class T> T plus(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T> T minus(T a) {
  return static_cast<T>(0 - static_cast<uint64_t>(a));
}

struct Add {
  template <class T> static T apply(T a, T b) { return plus(a, b); }
};
struct AddSat {
  template <class T> static T apply(T a, T b) {
    T sum;
    if (!__builtin_add_overflow(a, b, &sum))
      return sum;
    return a < 0 ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return plus(a, minus(b)); }
};
struct SubSat {
  template <class T> static T apply(T a, T b) {
    T difference;
    if (!__builtin_sub_overflow(a, b, &difference))
      return difference;
    return a < 0 ? std::numeric_limits<T>::min()
                 : std::numeric_limits<T>::max();
  }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return times(a, b); }
};
struct MulHigh {
  template <class T> static T apply(T a, T b) {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    if constexpr (sizeof(T) == 8)
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b) >> 64);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<T>(int64_t(a) * int64_t(b) >> (8 * sizeof(T)));
    else
      return static_cast<T>(uint64_t(a) * uint64_t(b) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class D, class T> static D apply(T a, T b) {
    return static_cast<D>(a) * static_cast<D>(b);
  }
};
struct Mad {
  template <class T> static T apply(T a, T b, T c) {
    return plus(times(a, b), c);
  }
};
struct MadHigh {
  template <class T> static T apply(T a, T b, T c) {
    return plus(MulHigh::apply<T>(a, b), c);
  }
};
struct MadWide {
  template <class D, class T> static D apply(T a, T b, D c) {
    return plus<D>(static_cast<D>(a) * static_cast<D>(b), c);
  }
};
/// Sum of absolute difference and c.
struct Sad {
  template <class T> static T apply(T a, T b, T c) {
    return plus(c, a < b ? plus(b, minus(a)) : plus(a, minus(b)));
  }
};
template <bool isMad> struct Mul24 {
  template <class T> static T part(T a) {
    return static_cast<T>(static_cast<T>(Unsigned<T>(a) << 8) >> 8);
  }
  template <class T> static T apply(T a, T b) {
    return times(part(a), part(b));
  }
  template <class T> static T apply(T a, T b, T c) {
    return plus(times(part(a), part(b)), c);
  }
};
/// A quotient by zero has all bits set, as on the device.
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~T(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return minus(a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return static_cast<T>(a % b);
  }
};
struct Neg {
  template <class T> static T apply(T a) { return minus(a); }
};
struct Abs {
  template <class T> static T apply(T a) { return a < 0 ? minus(a) : a; }
};
struct Min {
  template <class T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T apply(T a, T b) { return a > b ? a : b; }
};
/// With .relu, what is negative becomes 0.
template <class Op> struct ClampedAtZero {
  template <class T> static T apply(T a, T b) {
    T result = Op::apply(a, b);
    return result < 0 ? T(0) : result;
  }
};

} // namespace

/// add and sub with a carry or borrow that comes in (a[2]) or goes out (d[1]).
template <class T, bool subtracts>
static void addWithCarry(Warp &warp, const Instr &i, uint32_t lanes) {
  T *d = warp.row<T>(i.d[0]);
  const T *a = warp.row<T>(i.a[0]), *b = warp.row<T>(i.a[1]);
  uint32_t in = i.a[2] == kNoRow ? 0 : warp.predicate(i.a[2]), out = 0;
  forLanes(lanes, [&](unsigned k) {
    T other = subtracts ? static_cast<T>(~b[k]) : b[k];
    // a - b is a + ~b + 1; the flag is the borrow, the opposite of a carry.
    unsigned __int128 sum = a[k];
    sum += other;
    sum += (in >> k & 1) != subtracts;
    out |= uint32_t((sum >> (8 * sizeof(T)) & 1) != subtracts) << k;
    d[k] = static_cast<T>(sum);
  });
  if (i.d[1] == kNoRow)
    return;
  uint32_t &flag = warp.predicate(i.d[1]);
  flag = (flag & ~lanes) | (out & lanes);
}

template <class Op> static Handler unary(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map1<Op, T, T>;
  });
  return handler;
}
template <class Op> static Handler binary(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map2<Op, T, T, T>;
  });
  return handler;
}
template <class Op> static Handler ternary(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map3<Op, T, T, T, T>;
  });
  return handler;
}

static Handler wideProduct(Type type, bool adds) {
  switch (type) {
  case Type::S16:
    return adds ? map3<MadWide, int32_t, int16_t, int16_t, int32_t>
                : map2<MulWide, int32_t, int16_t, int16_t>;
  case Type::U16:
    return adds ? map3<MadWide, uint32_t, uint16_t, uint16_t, uint32_t>
                : map2<MulWide, uint32_t, uint16_t, uint16_t>;
  case Type::S32:
    return adds ? map3<MadWide, int64_t, int32_t, int32_t, int64_t>
                : map2<MulWide, int64_t, int32_t, int32_t>;
  case Type::U32:
    return adds ? map3<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>
                : map2<MulWide, uint64_t, uint32_t, uint32_t>;
  default:
    return nullptr;
  }
}

static Type twiceAsWide(Type type) {
  switch (type) {
  case Type::S16:
    return Type::S32;
  case Type::U16:
    return Type::U32;
  case Type::S32:
    return Type::S64;
  default:
    return Type::U64;
  }
}

/// "add.cc", "addc", "sub.cc" and "subc".
static void decodeCarry(Decoder &decoder, Instr &i, Type type, bool subtracts,
                        bool takes, bool gives) {
  if (sizeOf(type) == 8)
    i.run = subtracts ? addWithCarry<uint64_t, true>
                      : addWithCarry<uint64_t, false>;
  else
    i.run = subtracts ? addWithCarry<uint32_t, true>
                      : addWithCarry<uint32_t, false>;
  if (takes)
    i.a[2] = decoder.carry();
  if (gives)
    i.d[1] = decoder.carry();
}

void ptx::decodeInteger(Decoder &decoder, Opcode &opcode, Instr &i, Type type) {
  std::string_view name = opcode.name();
  unsigned operands = 2;
  Type result = type;
  bool takesCarry = name == "addc" || name == "subc";
  bool givesCarry = opcode.has("cc");
  if (takesCarry || ((name == "add" || name == "sub") && givesCarry)) {
    decodeCarry(decoder, i, type, name.substr(0, 3) == "sub", takesCarry,
                givesCarry);
  } else if (givesCarry) {
    return decoder.fail("'.cc' of '" + std::string(name) + "' is not emulated");
  } else if (name == "add") {
    i.run = opcode.has("sat") ? type == Type::S32
                                    ? map2<AddSat, int32_t, int32_t, int32_t>
                                    : Handler(nullptr)
                              : binary<Add>(type);
  } else if (name == "sub") {
    i.run = opcode.has("sat") ? type == Type::S32
                                    ? map2<SubSat, int32_t, int32_t, int32_t>
                                    : Handler(nullptr)
                              : binary<Sub>(type);
  } else if (name == "mul" || name == "mad") {
    bool adds = name == "mad";
    operands = adds ? 3 : 2;
    switch (opcode.oneOf({"lo", "hi", "wide"})) {
    case 0:
      i.run = adds ? ternary<Mad>(type) : binary<Mul>(type);
      break;
    case 1:
      i.run = adds ? ternary<MadHigh>(type) : binary<MulHigh>(type);
      break;
    case 2:
      result = twiceAsWide(type);
      i.run = wideProduct(type, adds);
      break;
    }
  } else if (name == "mul24" && opcode.has("lo")) {
    i.run = type == Type::S32
                ? map2<Mul24<false>, int32_t, int32_t, int32_t>
                : map2<Mul24<false>, uint32_t, uint32_t, uint32_t>;
  } else if (name == "mad24" && opcode.has("lo")) {
    operands = 3;
    i.run = type == Type::S32
                ? map3<Mul24<true>, int32_t, int32_t, int32_t, int32_t>
                : map3<Mul24<true>, uint32_t, uint32_t, uint32_t, uint32_t>;
  } else if (name == "sad") {
    operands = 3;
    i.run = ternary<Sad>(type);
  } else if (name == "div") {
    i.run = binary<Div>(type);
  } else if (name == "rem") {
    i.run = binary<Rem>(type);
  } else if (name == "min" || name == "max") {
    bool isMin = name == "min";
    if (!opcode.has("relu"))
      i.run = isMin ? binary<Min>(type) : binary<Max>(type);
    else if (type == Type::S32)
      i.run = isMin ? map2<ClampedAtZero<Min>, int32_t, int32_t, int32_t>
                    : map2<ClampedAtZero<Max>, int32_t, int32_t, int32_t>;
  } else if (name == "neg") {
    operands = 1;
    i.run = unary<Neg>(type);
  } else if (name == "abs") {
    operands = 1;
    i.run = unary<Abs>(type);
  }
  if (!i.run)
    return decoder.fail("this form of '" + std::string(name) +
                        "' is not emulated");
  i.d[0] = decoder.destination(result);
  for (unsigned n = 0; n < operands; ++n)
    i.a[n] = decoder.nextSource(n == 2 ? result : type);
}
