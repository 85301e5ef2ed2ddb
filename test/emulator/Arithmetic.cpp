//===- Arithmetic.cpp - arithmetic of floating-point numbers --------------===//
//
// Exact where PTX is: each operation rounds once, NaN results of 32 bits and
// less are the device's. What PTX calls an approximation is computed in double
// and rounded: the device differs in the last bits, tests need a tolerance.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Decoder.h"
#include "Map.h"
#include "Numbers.h"

#include <type_traits>

using namespace ptx;

namespace {

template <class T> constexpr bool kIsNarrow = sizeof(T) == 2;

struct Add {
  template <class T> static T apply(T a, T b) {
    return narrow<T>(widen(a) + widen(b));
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) {
    return narrow<T>(widen(a) - widen(b));
  }
};
struct Mul {
  template <class T> static T apply(T a, T b) {
    return narrow<T>(widen(a) * widen(b));
  }
};
struct Div {
  template <class T> static T apply(T a, T b) {
    return narrow<T>(widen(a) / widen(b));
  }
};
struct Fma {
  template <class T> static T apply(T a, T b, T c) {
    if constexpr (kIsNarrow<T>)
      return narrow<T>(fmaToOdd(widen(a), widen(b), widen(c)));
    else
      return narrow<T>(std::fma(a, b, c));
  }
};
struct Sqrt {
  template <class T> static T apply(T a) {
    return narrow<T>(std::sqrt(widen(a)));
  }
};
struct Reciprocal {
  template <class T> static T apply(T a) { return narrow<T>(1 / widen(a)); }
};

struct Neg {
  template <class T> static T apply(T a) {
    if constexpr (kIsNarrow<T>)
      return {static_cast<uint16_t>(a.bits ^ 0x8000)};
    else
      return -a;
  }
};
struct Abs {
  template <class T> static T apply(T a) {
    if constexpr (kIsNarrow<T>)
      return {static_cast<uint16_t>(a.bits & 0x7fff)};
    else
      return std::fabs(a);
  }
};

/// The smaller or larger one; -0 is below +0.
template <bool isMax, class W> W extreme(W a, W b) {
  if (a == b)
    return std::signbit(a) == isMax ? b : a;
  return (a > b) == isMax ? a : b;
}
template <bool isMax> struct Extreme { // a number rather than NaN
  template <class T> static T apply(T a, T b) {
    auto x = widen(a), y = widen(b);
    return narrow<T>(x != x ? y : y != y ? x : extreme<isMax>(x, y));
  }
};
template <bool isMax> struct ExtremeNaN { // NaN rather than a number
  template <class T> static T apply(T a, T b) {
    auto x = widen(a), y = widen(b);
    return narrow<T>(x != x ? x : y != y ? y : extreme<isMax>(x, y));
  }
};

struct CopySign { // the sign of a with the rest of b
  template <class T> static T apply(T a, T b) { return std::copysign(b, a); }
};

#define APPROXIMATION(Name, value)                                             \
  struct Name {                                                                \
    template <class T> static T apply(T a) {                                   \
      double x = widen(a);                                                     \
      return narrow<T>(static_cast<double>(value));                            \
    }                                                                          \
  };
APPROXIMATION(Rsqrt, 1 / std::sqrt(x))
APPROXIMATION(Exp2, std::exp2(x))
APPROXIMATION(Log2, std::log2(x))
APPROXIMATION(Sin, std::sin(x))
APPROXIMATION(Cos, std::cos(x))
APPROXIMATION(Tanh, std::tanh(x))
#undef APPROXIMATION

struct Saturate { // NaN becomes 0, and so does -0
  template <class T> static T apply(T a) {
    auto x = widen(a);
    using W = decltype(x);
    return narrow<T>(x > 0 ? (x < 1 ? x : W(1)) : W(0));
  }
};
struct Relu {
  template <class T> static T apply(T a) {
    auto x = widen(a);
    return narrow<T>(x != x || x > 0 ? x : decltype(x)(0));
  }
};
struct Flush { // subnormal numbers become zeros
  template <class T> static T apply(T a) {
    auto x = widen(a);
    using W = decltype(x);
    W least = std::is_same_v<T, Half> ? W(0x1p-14) : W(0x1p-126);
    return std::fabs(x) < least ? narrow<T>(std::copysign(W(0), x)) : a;
  }
};

} // namespace

template <class Op> static Handler unary(Type type) {
  switch (type) {
  case Type::F32:
    return map1<Op, float, float>;
  case Type::F64:
    return map1<Op, double, double>;
  case Type::F16:
    return map1<Op, Half, Half>;
  case Type::BF16:
    return map1<Op, BFloat, BFloat>;
  case Type::F16x2:
    return map1<Op, Half, Half, 2>;
  case Type::BF16x2:
    return map1<Op, BFloat, BFloat, 2>;
  default:
    return nullptr;
  }
}

template <class Op> static Handler binary(Type type) {
  switch (type) {
  case Type::F32:
    return map2<Op, float, float, float>;
  case Type::F64:
    return map2<Op, double, double, double>;
  case Type::F16:
    return map2<Op, Half, Half, Half>;
  case Type::BF16:
    return map2<Op, BFloat, BFloat, BFloat>;
  case Type::F16x2:
    return map2<Op, Half, Half, Half, 2>;
  case Type::BF16x2:
    return map2<Op, BFloat, BFloat, BFloat, 2>;
  default:
    return nullptr;
  }
}

template <class Op> static Handler ternary(Type type) {
  switch (type) {
  case Type::F32:
    return map3<Op, float, float, float, float>;
  case Type::F64:
    return map3<Op, double, double, double, double>;
  case Type::F16:
    return map3<Op, Half, Half, Half, Half>;
  case Type::BF16:
    return map3<Op, BFloat, BFloat, BFloat, BFloat>;
  case Type::F16x2:
    return map3<Op, Half, Half, Half, Half, 2>;
  case Type::BF16x2:
    return map3<Op, BFloat, BFloat, BFloat, BFloat, 2>;
  default:
    return nullptr;
  }
}

/// Only for numbers of 32 and 64 bits.
template <class Op> static Handler wideBinary(Type type) {
  return type == Type::F32   ? map2<Op, float, float, float>
         : type == Type::F64 ? map2<Op, double, double, double>
                             : Handler(nullptr);
}
template <class Op> static Handler wideUnary(Type type) {
  return type == Type::F32   ? map1<Op, float, float>
         : type == Type::F64 ? map1<Op, double, double>
                             : Handler(nullptr);
}

/// The handler for a name and the number of operands.
static Handler floatHandler(std::string_view name, Type type, bool wantsNaN,
                            unsigned &operands) {
  operands = 2;
  if (name == "add")
    return binary<Add>(type);
  if (name == "sub")
    return binary<Sub>(type);
  if (name == "mul")
    return binary<Mul>(type);
  if (name == "div")
    return wideBinary<Div>(type);
  if (name == "copysign")
    return wideBinary<CopySign>(type);
  if (name == "min")
    return wantsNaN ? binary<ExtremeNaN<false>>(type)
                    : binary<Extreme<false>>(type);
  if (name == "max")
    return wantsNaN ? binary<ExtremeNaN<true>>(type)
                    : binary<Extreme<true>>(type);
  operands = 3;
  if (name == "fma" || name == "mad")
    return ternary<Fma>(type);
  operands = 1;
  if (name == "neg")
    return unary<Neg>(type);
  if (name == "abs")
    return unary<Abs>(type);
  if (name == "sqrt")
    return wideUnary<Sqrt>(type);
  if (name == "rcp")
    return wideUnary<Reciprocal>(type);
  if (name == "rsqrt")
    return wideUnary<Rsqrt>(type);
  if (name == "ex2")
    return unary<Exp2>(type);
  if (name == "tanh")
    return unary<Tanh>(type);
  if (name == "lg2")
    return wideUnary<Log2>(type);
  if (name == "sin")
    return wideUnary<Sin>(type);
  if (name == "cos")
    return wideUnary<Cos>(type);
  return nullptr;
}

Handler ptx::saturater(Type type) { return unary<Saturate>(type); }
Handler ptx::reluer(Type type) { return unary<Relu>(type); }
Handler ptx::flusher(Type type) {
  return type == Type::F64 ? nullptr : unary<Flush>(type);
}

/// Applies `run` to the row `from`; the result is `to`.
static Instr onRow(Handler run, Row from, Row to) {
  Instr instr;
  instr.counted = false;
  instr.run = run;
  instr.a[0] = from;
  instr.d[0] = to;
  return instr;
}

static void decodeFloat(Decoder &decoder, Opcode &opcode, Instr &i, Type type) {
  opcode.has("rn");
  if (opcode.name() != "add" && opcode.name() != "sub" &&
      opcode.name() != "mul" && opcode.name() != "fma" &&
      opcode.name() != "neg" && opcode.name() != "abs")
    opcode.oneOf({"approx", "full"});
  bool isSaturated = opcode.has("sat"), isRelu = opcode.has("relu");
  bool flushes = opcode.has("ftz"), wantsNaN = opcode.has("NaN");
  unsigned operands = 0;
  i.run = floatHandler(opcode.name(), type, wantsNaN, operands);
  if (!i.run)
    return decoder.fail("this type of '" + std::string(opcode.name()) +
                        "' is not emulated");
  i.d[0] = decoder.destination(type);
  for (unsigned n = 0; n < operands; ++n) {
    i.a[n] = decoder.nextSource(type);
    if (flushes && flusher(type)) {
      Row flushed = decoder.newRow(sizeOf(type));
      decoder.emit(onRow(flusher(type), i.a[n], flushed));
      i.a[n] = flushed;
    }
  }
  if (flushes) {
    if (!flusher(type))
      return decoder.fail("'.ftz' of this type is not emulated");
    decoder.emitAfter(onRow(flusher(type), i.d[0], i.d[0]));
  }
  if (isSaturated)
    decoder.emitAfter(onRow(saturater(type), i.d[0], i.d[0]));
  if (isRelu)
    decoder.emitAfter(onRow(reluer(type), i.d[0], i.d[0]));
}

static void decode(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  if (isFloat(type))
    return decodeFloat(decoder, opcode, i, type);
  decodeInteger(decoder, opcode, i, type);
}

Decode ptx::findArithmetic(std::string_view name) {
  for (std::string_view known :
       {"add",   "sub", "mul",  "mad", "fma",  "div",      "rem",
        "neg",   "abs", "min",  "max", "sqrt", "rcp",      "rsqrt",
        "ex2",   "lg2", "sin",  "cos", "tanh", "copysign", "mul24",
        "mad24", "sad", "addc", "subc"})
    if (known == name)
      return decode;
  return nullptr;
}
