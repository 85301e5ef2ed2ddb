//===- Compare.cpp - comparisons and selections ---------------------------===//

#include "Arithmetic.h"
#include "Map.h"
#include "Numbers.h"

using namespace ptx;

namespace {
enum class Order : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  NaN
};
/// What joins a comparison with a predicate.
enum class Joint : uint8_t { None, And, Or, Xor };
} // namespace

template <Order order, class T> static bool compare(T a, T b) {
  bool unordered = a != a || b != b;
  switch (order) {
  case Order::Eq:
    return a == b;
  case Order::Ne:
    return !unordered && a != b;
  case Order::Lt:
    return a < b;
  case Order::Le:
    return a <= b;
  case Order::Gt:
    return a > b;
  case Order::Ge:
    return a >= b;
  case Order::Equ:
    return unordered || a == b;
  case Order::Neu:
    return unordered || a != b;
  case Order::Ltu:
    return unordered || a < b;
  case Order::Leu:
    return unordered || a <= b;
  case Order::Gtu:
    return unordered || a > b;
  case Order::Geu:
    return unordered || a >= b;
  case Order::Num:
    return !unordered;
  case Order::NaN:
    return unordered;
  }
  return false;
}

static float comparable(Half x) { return widen(x); }
static float comparable(BFloat x) { return widen(x); }
template <class T> static T comparable(T x) { return x; }

/// The lanes in which a comparison holds.
template <Order order, class T> static uint32_t holds(const T *a, const T *b) {
  uint8_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    results[lane] = compare<order>(comparable(a[lane]), comparable(b[lane]));
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    mask |= static_cast<uint32_t>(results[lane]) << lane;
  return mask;
}

static uint32_t join(Warp &warp, const Instr &i, uint32_t result) {
  if (i.mode == 0)
    return result;
  uint32_t other = warp.predicate(i.a[2]);
  switch (static_cast<Joint>(i.mode)) {
  case Joint::And:
    return result & other;
  case Joint::Or:
    return result | other;
  default:
    return result ^ other;
  }
}

template <Order order, class T>
static void setPredicate(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t result = holds<order>(warp.row<T>(i.a[0]), warp.row<T>(i.a[1]));
  uint32_t both = join(warp, i, result);
  if (i.d[1] != kNoRow) {
    uint32_t inverse = join(warp, i, ~result);
    uint32_t &d = warp.predicate(i.d[1]);
    d = (d & ~lanes) | (inverse & lanes);
  }
  uint32_t &d = warp.predicate(i.d[0]);
  d = (d & ~lanes) | (both & lanes);
}

/// Two comparisons in each lane, with a predicate each: low half first.
template <Order order, class T>
static void setPredicates(Warp &warp, const Instr &i, uint32_t lanes) {
  for (unsigned half = 0; half < 2; ++half) {
    T a[kLanes], b[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      a[lane] = warp.row<T>(i.a[0])[2 * lane + half];
      b[lane] = warp.row<T>(i.a[1])[2 * lane + half];
    }
    uint32_t result = join(warp, i, holds<order>(a, b));
    uint32_t &d = warp.predicate(i.d[half]);
    d = (d & ~lanes) | (result & lanes);
  }
}

/// set: all ones for an integer result, 1.0 for a float; `offset` holds it.
template <Order order, class T>
static void setValue(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t result =
      join(warp, i, holds<order>(warp.row<T>(i.a[0]), warp.row<T>(i.a[1])));
  forLanes(lanes, [&](unsigned k) {
    int64_t value = result >> k & 1 ? i.offset : 0;
    memcpy(warp.row<char>(i.d[0]) + k * i.bytes, &value, i.bytes);
  });
}

template <Order order, bool asValue> static Handler handlerFor(Type type) {
  switch (type) {
  case Type::F32:
    return asValue ? setValue<order, float> : setPredicate<order, float>;
  case Type::F64:
    return asValue ? setValue<order, double> : setPredicate<order, double>;
  case Type::F16:
    return asValue ? setValue<order, Half> : setPredicate<order, Half>;
  case Type::BF16:
    return asValue ? setValue<order, BFloat> : setPredicate<order, BFloat>;
  case Type::F16x2:
    return asValue ? nullptr : setPredicates<order, Half>;
  case Type::BF16x2:
    return asValue ? nullptr : setPredicates<order, BFloat>;
  default:
    break;
  }
  Handler handler = nullptr;
  if constexpr (order <= Order::Ge)
    withInteger(type, [&](auto zero) {
      using T = decltype(zero);
      handler = asValue ? setValue<order, T> : setPredicate<order, T>;
    });
  return handler;
}

template <bool asValue> static Handler handlerFor(Order order, Type type) {
  switch (order) {
#define CASE(name)                                                             \
  case Order::name:                                                            \
    return handlerFor<Order::name, asValue>(type);
    CASE(Eq)
    CASE(Ne)
    CASE(Lt)
    CASE(Le)
    CASE(Gt)
    CASE(Ge)
    CASE(Equ)
    CASE(Neu)
    CASE(Ltu)
    CASE(Leu)
    CASE(Gtu)
    CASE(Geu)
    CASE(Num)
    CASE(NaN)
#undef CASE
  }
  return nullptr;
}

Handler ptx::equality() { return setPredicate<Order::Eq, uint32_t>; }

/// Takes ".lt" and the like; false where there is none.
static bool takeOrder(Opcode &opcode, Order &order) {
  int found =
      opcode.oneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
                    "leu", "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"});
  if (found < 0)
    return false;
  static constexpr Order kUnsigned[] = {Order::Lt, Order::Le, Order::Gt,
                                        Order::Ge};
  order = found < 14 ? static_cast<Order>(found) : kUnsigned[found - 14];
  return true;
}

static void decodeOperands(Decoder &decoder, Opcode &opcode, Instr &i,
                           Type type) {
  i.mode = static_cast<uint8_t>(opcode.oneOf({"and", "or", "xor"}) + 1);
  bool flushes = opcode.has("ftz");
  for (unsigned n = 0; n < 2; ++n) {
    i.a[n] = decoder.nextSource(type);
    if (flushes && flusher(type)) {
      Instr flush;
      flush.counted = false;
      flush.run = flusher(type);
      flush.a[0] = i.a[n];
      flush.d[0] = i.a[n] = decoder.newRow(sizeOf(type));
      decoder.emit(flush);
    }
  }
  if (i.mode)
    i.a[2] = decoder.nextSource(Type::Pred);
}

static void decodeSetp(Decoder &decoder, Opcode &opcode, Instr &i) {
  Order order;
  bool known = takeOrder(opcode, order);
  Type type = opcode.type();
  i.run = known ? handlerFor<false>(order, type) : nullptr;
  if (!i.run)
    return decoder.fail("this comparison is not emulated");
  i.d[0] = decoder.destination(Type::Pred);
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  if (isPair)
    decoder.lex.expect("|");
  if (isPair || decoder.lex.eat("|"))
    i.d[1] = decoder.destination(Type::Pred);
  decodeOperands(decoder, opcode, i, type);
}

static void decodeSet(Decoder &decoder, Opcode &opcode, Instr &i) {
  Order order;
  bool known = takeOrder(opcode, order);
  Type result = opcode.type(), type = opcode.type();
  i.run = known ? handlerFor<true>(order, type) : nullptr;
  i.bytes = static_cast<uint8_t>(sizeOf(result));
  i.offset = result == Type::F32    ? 0x3f800000
             : result == Type::F16  ? 0x3c00
             : result == Type::BF16 ? 0x3f80
                                    : -1;
  if (!i.run || i.bytes < 2)
    return decoder.fail("this comparison is not emulated");
  i.d[0] = decoder.destination(result);
  decodeOperands(decoder, opcode, i, type);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

template <class T>
static void select(Warp &warp, const Instr &i, uint32_t lanes) {
  T *d = warp.row<T>(i.d[0]);
  const T *a = warp.row<T>(i.a[0]), *b = warp.row<T>(i.a[1]);
  uint32_t chosen = warp.predicate(i.a[2]);
  forLanes(lanes, [=](unsigned k) { d[k] = chosen >> k & 1 ? a[k] : b[k]; });
}

static Handler selector(Type type) {
  switch (sizeOf(type)) {
  case 2:
    return select<uint16_t>;
  case 4:
    return select<uint32_t>;
  case 8:
    return select<uint64_t>;
  default:
    return nullptr;
  }
}

static void decodeSelp(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  i.run = selector(type);
  if (!i.run || type == Type::Pred)
    return decoder.fail("this form is not emulated");
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  i.a[1] = decoder.nextSource(type);
  i.a[2] = decoder.nextSource(Type::Pred);
}

/// slct: a where c >= 0, which is false for NaN.
static void decodeSlct(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool flushes = opcode.has("ftz");
  Type type = opcode.type(), by = opcode.type();
  i.run = selector(type);
  if (!i.run || (by != Type::S32 && by != Type::F32))
    return decoder.fail("this form is not emulated");
  (void)flushes; // a subnormal c is -0 or +0, and both are >= 0
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  i.a[1] = decoder.nextSource(type);
  Instr sign;
  sign.counted = false;
  sign.a[0] = decoder.nextSource(by);
  sign.a[1] = decoder.constant(0, 4);
  sign.d[0] = i.a[2] = decoder.newRow(1);
  sign.run = by == Type::S32 ? setPredicate<Order::Ge, int32_t>
                             : setPredicate<Order::Ge, float>;
  if (flushes) {
    Instr flush;
    flush.counted = false;
    flush.run = flusher(by);
    flush.a[0] = sign.a[0];
    flush.d[0] = sign.a[0] = decoder.newRow(4);
    if (by == Type::F32)
      decoder.emit(flush);
  }
  decoder.emit(sign);
}

//===----------------------------------------------------------------------===//
// Classes of numbers
//===----------------------------------------------------------------------===//

enum class Class : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

template <class T>
static void testClass(Warp &warp, const Instr &i, uint32_t lanes) {
  const T *a = warp.row<T>(i.a[0]);
  uint32_t result = 0;
  for (unsigned k = 0; k < kLanes; ++k) {
    int kind = std::fpclassify(a[k]);
    bool is = false;
    switch (static_cast<Class>(i.mode)) {
    case Class::Finite:
      is = std::isfinite(a[k]);
      break;
    case Class::Infinite:
      is = kind == FP_INFINITE;
      break;
    case Class::Number:
      is = kind != FP_NAN;
      break;
    case Class::NotANumber:
      is = kind == FP_NAN;
      break;
    case Class::Normal: // zeros are, for PTX
      is = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    case Class::Subnormal:
      is = kind == FP_SUBNORMAL;
      break;
    }
    result |= uint32_t(is) << k;
  }
  uint32_t &d = warp.predicate(i.d[0]);
  d = (d & ~lanes) | (result & lanes);
}

static void decodeTestp(Decoder &decoder, Opcode &opcode, Instr &i) {
  int found = opcode.oneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = opcode.type();
  if (found < 0 || (type != Type::F32 && type != Type::F64))
    return decoder.fail("this form is not emulated");
  i.mode = static_cast<uint8_t>(found);
  i.run = type == Type::F32 ? testClass<float> : testClass<double>;
  i.d[0] = decoder.destination(Type::Pred);
  i.a[0] = decoder.nextSource(type);
}

Decode ptx::findCompare(std::string_view name) {
  return name == "setp"    ? decodeSetp
         : name == "set"   ? decodeSet
         : name == "selp"  ? decodeSelp
         : name == "slct"  ? decodeSlct
         : name == "testp" ? decodeTestp
                           : nullptr;
}
