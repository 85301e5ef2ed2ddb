//===- Bits.cpp - logic, shifts and fields of bits ------------------------===//

#include "Arithmetic.h"
#include "Map.h"

#include <type_traits>

using namespace ptx;

namespace {

struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static T apply(T a) { return static_cast<T>(~a); }
};
struct LogicalNot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct ShiftLeft {
  template <class T> static T apply(T a, uint32_t n) {
    return n >= 8 * sizeof(T) ? 0 : static_cast<T>(uint64_t(a) << n);
  }
};
struct ShiftRight {
  template <class T> static T apply(T a, uint32_t n) {
    uint32_t last = 8 * sizeof(T) - 1;
    if (n > last)
      return std::is_signed_v<T> ? static_cast<T>(a >> last) : T(0);
    return static_cast<T>(a >> n);
  }
};
/// `length` bits from `position` on; the sign is the field's highest bit, or
/// the operand's where the field ends beyond it.
struct ExtractField {
  template <class T> static T apply(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t bits = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    uint32_t last =
        position + length - 1 < bits ? position + length - 1 : bits - 1;
    bool isNegative = std::is_signed_v<T> && length != 0 && (U(a) >> last & 1);
    uint32_t room = position < bits ? bits - position : 0;
    uint32_t valid = length < room ? length : room;
    U mask = valid == 0 ? U(0) : static_cast<U>(~U(0) >> (bits - valid));
    U field = valid == 0 ? U(0) : static_cast<U>(U(a) >> position & mask);
    return static_cast<T>(isNegative ? field | static_cast<U>(~mask) : field);
  }
};
/// `a` in the field of `b`.
struct InsertField {
  template <class T>
  static T apply(T a, T b, uint32_t position, uint32_t length) {
    constexpr uint32_t bits = 8 * sizeof(T);
    position &= 255;
    length &= 255;
    T mask = length >= bits ? ~T(0) : (T(1) << length) - 1;
    if (position >= bits)
      return b;
    return (b & ~(mask << position)) | (a & mask) << position;
  }
};
struct Permute {
  template <class T> static T apply(uint32_t a, uint32_t b, uint32_t selector) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned n = 0; n < 4; ++n) {
      uint32_t choice = selector >> (4 * n) & 15;
      uint32_t byte = bytes >> (8 * (choice & 7)) & 255;
      if (choice & 8) // its sign, eight times
        byte = byte & 128 ? 255 : 0;
      result |= byte << (8 * n);
    }
    return result;
  }
};
template <bool isLeft, bool clamps> struct Funnel {
  template <class T> static T apply(uint32_t low, uint32_t high, uint32_t n) {
    uint64_t both = uint64_t(high) << 32 | low;
    n = clamps ? (n < 32 ? n : 32) : n & 31;
    return static_cast<T>(isLeft ? both << n >> 32 : both >> n);
  }
};
struct PopCount {
  template <class D, class T> static D apply(T a) {
    return static_cast<D>(__builtin_popcountll(a));
  }
};
struct LeadingZeros {
  template <class D, class T> static D apply(T a) {
    return a == 0 ? 8 * sizeof(T)
                  : static_cast<D>(__builtin_clzll(a)) - 64 + 8 * sizeof(T);
  }
};
struct Reverse {
  template <class T> static T apply(T a) {
    T result = 0;
    for (unsigned n = 0; n < 8 * sizeof(T); ++n)
      result |= (a >> n & 1) << (8 * sizeof(T) - 1 - n);
    return result;
  }
};
/// Position of the highest bit that is no sign; all ones where there is none.
template <bool isShift> struct FindHighest {
  template <class D, class T> static D apply(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0)
      return ~D(0);
    D zeros = LeadingZeros::apply<D>(bits);
    return isShift ? zeros : 8 * sizeof(T) - 1 - zeros;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Handlers of another shape
//===----------------------------------------------------------------------===//

template <class T>
static void insertField(Warp &warp, const Instr &i, uint32_t lanes) {
  T *d = warp.row<T>(i.d[0]);
  const T *a = warp.row<T>(i.a[0]), *b = warp.row<T>(i.a[1]);
  const auto *position = warp.row<uint32_t>(i.a[2]);
  const auto *length = warp.row<uint32_t>(i.a[3]);
  forLanes(lanes, [=](unsigned k) {
    d[k] = InsertField::apply(a[k], b[k], position[k], length[k]);
  });
}

/// Any function of three bits; `mode` is its table.
static void logic3(Warp &warp, const Instr &i, uint32_t lanes) {
  auto *d = warp.row<uint32_t>(i.d[0]);
  const auto *a = warp.row<uint32_t>(i.a[0]);
  const auto *b = warp.row<uint32_t>(i.a[1]);
  const auto *c = warp.row<uint32_t>(i.a[2]);
  uint8_t table = i.mode;
  forLanes(lanes, [=](unsigned k) {
    uint32_t result = 0;
    for (unsigned n = 0; n < 8; ++n)
      if (table >> n & 1)
        result |= (n & 4 ? a[k] : ~a[k]) & (n & 2 ? b[k] : ~b[k]) &
                  (n & 1 ? c[k] : ~c[k]);
    d[k] = result;
  });
}

/// Products of 4 bytes, or of 2 halves with two of the bytes, added to c.
/// Bits of `mode`: a is signed, b is signed, pairs, upper bytes.
static void dotProduct(Warp &warp, const Instr &i, uint32_t lanes) {
  auto *d = warp.row<uint32_t>(i.d[0]);
  const auto *a = warp.row<uint32_t>(i.a[0]);
  const auto *b = warp.row<uint32_t>(i.a[1]);
  const auto *c = warp.row<uint32_t>(i.a[2]);
  bool signedA = i.mode & 1, signedB = i.mode & 2, pairs = i.mode & 4;
  unsigned first = i.mode & 8 ? 2 : 0;
  forLanes(lanes, [=](unsigned k) {
    uint32_t sum = c[k];
    for (unsigned n = 0; n < (pairs ? 2u : 4u); ++n) {
      uint32_t x = pairs ? a[k] >> (16 * n) & 0xffff : a[k] >> (8 * n) & 0xff;
      uint32_t y = b[k] >> (8 * (n + first)) & 0xff;
      uint32_t sign = pairs ? 0x8000 : 0x80;
      x = signedA ? (x ^ sign) - sign : x;
      y = signedB ? (y ^ 0x80) - 0x80 : y;
      sum += x * y;
    }
    d[k] = sum;
  });
}

template <class Op>
static void predicates(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t result = Op::apply(warp.predicate(i.a[0]), warp.predicate(i.a[1]));
  uint32_t &d = warp.predicate(i.d[0]);
  d = (d & ~lanes) | (result & lanes);
}

Handler ptx::predicateNot() {
  return [](Warp &warp, const Instr &i, uint32_t lanes) {
    uint32_t &d = warp.predicate(i.d[0]);
    d = (d & ~lanes) | (~warp.predicate(i.a[0]) & lanes);
  };
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

template <class Op> static Handler binary(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map2<Op, T, T, T>;
  });
  return handler;
}
template <class Op> static Handler unary(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map1<Op, T, T>;
  });
  return handler;
}
template <class Op> static Handler shift(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    handler = map2<Op, T, T, uint32_t>;
  });
  return handler;
}
/// One that returns 32 bits.
template <class Op> static Handler count(Type type) {
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) >= 4)
      handler = map1<Op, uint32_t, T>;
  });
  return handler;
}

static void decodeLogic(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  std::string_view name = opcode.name();
  bool isUnary = name == "not" || name == "cnot" || name == "brev";
  if (type == Type::Pred)
    i.run = name == "and"   ? predicates<And>
            : name == "or"  ? predicates<Or>
            : name == "xor" ? predicates<Xor>
            : name == "not" ? predicateNot()
                            : nullptr;
  else
    i.run = name == "and"    ? binary<And>(type)
            : name == "or"   ? binary<Or>(type)
            : name == "xor"  ? binary<Xor>(type)
            : name == "not"  ? unary<Not>(type)
            : name == "cnot" ? unary<LogicalNot>(type)
            : type == Type::B32 || type == Type::B64
                ? (type == Type::B32 ? map1<Reverse, uint32_t, uint32_t>
                                     : map1<Reverse, uint64_t, uint64_t>)
                : nullptr;
  if (!i.run)
    return decoder.fail("this form is not emulated");
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  if (!isUnary)
    i.a[1] = decoder.nextSource(type);
}

static void decodeShift(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  i.run =
      opcode.name() == "shl" ? shift<ShiftLeft>(type) : shift<ShiftRight>(type);
  if (!i.run)
    return decoder.fail("this form is not emulated");
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  i.a[1] = decoder.nextSource(Type::U32);
}

static void decodeFunnel(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool isLeft = opcode.has("l"), clamps = opcode.has("clamp");
  if (!isLeft)
    opcode.has("r");
  opcode.has("wrap");
  opcode.has("b32");
  i.run =
      isLeft ? clamps ? map3<Funnel<true, true>, uint32_t, uint32_t, uint32_t,
                             uint32_t>
                      : map3<Funnel<true, false>, uint32_t, uint32_t, uint32_t,
                             uint32_t>
      : clamps
          ? map3<Funnel<false, true>, uint32_t, uint32_t, uint32_t, uint32_t>
          : map3<Funnel<false, false>, uint32_t, uint32_t, uint32_t, uint32_t>;
  i.d[0] = decoder.destination(Type::B32);
  for (unsigned n = 0; n < 3; ++n)
    i.a[n] = decoder.nextSource(Type::B32);
}

static void decodeField(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  if (opcode.name() == "bfi") {
    i.a[1] = decoder.nextSource(type);
    i.a[2] = decoder.nextSource(Type::U32);
    i.a[3] = decoder.nextSource(Type::U32);
    i.run = type == Type::B64 ? insertField<uint64_t> : insertField<uint32_t>;
    return;
  }
  i.a[1] = decoder.nextSource(Type::U32);
  i.a[2] = decoder.nextSource(Type::U32);
  withInteger(type, [&](auto zero) {
    using T = decltype(zero);
    i.run = map3<ExtractField, T, T, uint32_t, uint32_t>;
  });
}

static void decodeCount(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool isShift = opcode.has("shiftamt");
  Type type = opcode.type();
  i.run = opcode.name() == "popc"  ? count<PopCount>(type)
          : opcode.name() == "clz" ? count<LeadingZeros>(type)
          : isShift                ? count<FindHighest<true>>(type)
                                   : count<FindHighest<false>>(type);
  if (!i.run)
    return decoder.fail("this form is not emulated");
  i.d[0] = decoder.destination(Type::U32);
  i.a[0] = decoder.nextSource(type);
}

static void decodePermute(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("b32");
  i.run = map3<Permute, uint32_t, uint32_t, uint32_t, uint32_t>;
  i.d[0] = decoder.destination(Type::B32);
  for (unsigned n = 0; n < 3; ++n)
    i.a[n] = decoder.nextSource(Type::B32);
}

static void decodeLogic3(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("b32");
  i.run = logic3;
  i.d[0] = decoder.destination(Type::B32);
  for (unsigned n = 0; n < 3; ++n)
    i.a[n] = decoder.nextSource(Type::B32);
  decoder.comma();
  i.mode = static_cast<uint8_t>(decoder.literal());
}

static void decodeDotProduct(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool pairs = opcode.name() == "dp2a";
  bool upper = opcode.has("hi");
  opcode.has("lo");
  Type a = opcode.type(), b = opcode.type();
  i.mode = static_cast<uint8_t>((a == Type::S32) | (b == Type::S32) << 1 |
                                pairs << 2 | upper << 3);
  i.run = dotProduct;
  i.d[0] = decoder.destination(Type::B32);
  for (unsigned n = 0; n < 3; ++n)
    i.a[n] = decoder.nextSource(Type::B32);
}

Decode ptx::findBits(std::string_view name) {
  if (name == "and" || name == "or" || name == "xor" || name == "not" ||
      name == "cnot" || name == "brev")
    return decodeLogic;
  if (name == "shl" || name == "shr")
    return decodeShift;
  if (name == "shf")
    return decodeFunnel;
  if (name == "bfe" || name == "bfi")
    return decodeField;
  if (name == "popc" || name == "clz" || name == "bfind")
    return decodeCount;
  if (name == "prmt")
    return decodePermute;
  if (name == "lop3")
    return decodeLogic3;
  if (name == "dp4a" || name == "dp2a")
    return decodeDotProduct;
  return nullptr;
}
