//===- Move.cpp - copies of registers and kinds of addresses --------------===//

#include "Arithmetic.h"
#include "Map.h"

#include <cstring>

using namespace ptx;

struct Copy {
  template <class T> static T apply(T a) { return a; }
};

static void movePredicate(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t &d = warp.predicate(i.d[0]);
  d = (d & ~lanes) | (warp.predicate(i.a[0]) & lanes);
}

static Handler mover(Type type) {
  switch (sizeOf(type)) {
  case 2:
    return map1<Copy, uint16_t, uint16_t>;
  case 4:
    return type == Type::Pred ? movePredicate : map1<Copy, uint32_t, uint32_t>;
  case 8:
    return map1<Copy, uint64_t, uint64_t>;
  default:
    return nullptr;
  }
}

/// A whole of several parts, and back; parts have `bytes` bytes each.
static void packRow(Warp &warp, const Instr &i, uint32_t lanes) {
  unsigned size = i.bytes;
  forLanes(lanes, [&](unsigned k) {
    char *d = warp.row<char>(i.d[0]) + k * size * i.count;
    for (unsigned n = 0; n < i.count; ++n)
      memcpy(d + n * size, warp.row<char>(i.a[n]) + k * size, size);
  });
}

static void unpackRow(Warp &warp, const Instr &i, uint32_t lanes) {
  unsigned size = i.bytes;
  forLanes(lanes, [&](unsigned k) {
    const char *a = warp.row<char>(i.a[0]) + k * size * i.count;
    for (unsigned n = 0; n < i.count; ++n)
      memcpy(warp.row<char>(i.d[n]) + k * size, a + n * size, size);
  });
}

static void readClock(Warp &warp, const Instr &i, uint32_t lanes) {
  uint64_t now = warp.executed >> i.offset;
  forLanes(lanes, [&](unsigned k) {
    memcpy(warp.row<char>(i.d[0]) + k * i.bytes, &now, i.bytes);
  });
}

static bool isClock(std::string_view token) {
  return token == "%clock" || token == "%clock64" || token == "%clock_hi" ||
         token == "%globaltimer" || token == "%globaltimer_lo";
}

/// How many elements "{a, b}" has, without taking it.
static unsigned countElements(Lexer &lex) {
  Lexer::Place place = lex.place();
  unsigned count = 1;
  for (std::string_view token = lex.next(); !token.empty() && token != "}";
       token = lex.next())
    count += token == ",";
  lex.goTo(place);
  return count;
}

static Type partOf(Type whole, unsigned count) {
  switch (sizeOf(whole) / count) {
  case 1:
    return Type::B8;
  case 2:
    return Type::B16;
  case 4:
    return Type::B32;
  default:
    return Type::B64;
  }
}

static void decodeMove(Decoder &decoder, Opcode &opcode, Instr &i) {
  Type type = opcode.type();
  i.run = mover(type);
  if (!i.run)
    return decoder.fail("this form of 'mov' is not emulated");
  if (decoder.lex.peek() == "{") {
    i.count = static_cast<uint8_t>(countElements(decoder.lex));
    Type part = partOf(type, i.count);
    i.bytes = static_cast<uint8_t>(sizeOf(part));
    i.run = unpackRow;
    decoder.destinations(part, i.d, 4);
    i.a[0] = decoder.nextSource(type);
    return;
  }
  i.d[0] = decoder.destination(type);
  decoder.comma();
  if (decoder.lex.peek() == "{") {
    i.count = static_cast<uint8_t>(countElements(decoder.lex));
    Type part = partOf(type, i.count);
    i.bytes = static_cast<uint8_t>(sizeOf(part));
    i.run = packRow;
    decoder.sources(part, i.a, 4, true);
    return;
  }
  if (isClock(decoder.lex.peek())) {
    i.offset = decoder.lex.next() == "%clock_hi" ? 32 : 0;
    i.bytes = static_cast<uint8_t>(sizeOf(type));
    i.run = readClock;
    return;
  }
  i.a[0] = decoder.source(type);
}

//===----------------------------------------------------------------------===//
// Windows of the generic address space
//===----------------------------------------------------------------------===//

struct Include {
  template <class T> static T apply(T a, T window) { return a | window; }
};
struct Exclude {
  template <class T> static T apply(T a, T window) { return a & ~window; }
};

static uint64_t windowOf(Space space) {
  return space == Space::Shared  ? kSharedWindow
         : space == Space::Local ? kLocalWindow
                                 : 0;
}

static void decodeAddressCast(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool fromGeneric = opcode.has("to");
  Space space = opcode.space();
  if (opcode.type() != Type::U64)
    return decoder.fail("only addresses of 64 bits are emulated");
  i.run = fromGeneric ? map2<Exclude, uint64_t, uint64_t, uint64_t>
                      : map2<Include, uint64_t, uint64_t, uint64_t>;
  if (space == Space::Param)
    return decoder.fail("addresses of parameters are not emulated");
  i.d[0] = decoder.destination(Type::U64);
  i.a[0] = decoder.nextSource(Type::U64);
  i.a[1] = decoder.constant(windowOf(space), 8);
}

static void testSpace(Warp &warp, const Instr &i, uint32_t lanes) {
  const auto *a = warp.row<uint64_t>(i.a[0]);
  constexpr uint64_t both = kSharedWindow | kLocalWindow;
  uint32_t result = 0;
  for (unsigned k = 0; k < kLanes; ++k)
    result |= uint32_t((a[k] & both) == static_cast<uint64_t>(i.offset)) << k;
  uint32_t &d = warp.predicate(i.d[0]);
  d = (d & ~lanes) | (result & lanes);
}

static void decodeSpaceTest(Decoder &decoder, Opcode &opcode, Instr &i) {
  i.offset = static_cast<int64_t>(windowOf(opcode.space()));
  i.run = testSpace;
  i.d[0] = decoder.destination(Type::Pred);
  i.a[0] = decoder.nextSource(Type::U64);
}

Decode ptx::findMove(std::string_view name) {
  return name == "mov"        ? decodeMove
         : name == "cvta"     ? decodeAddressCast
         : name == "isspacep" ? decodeSpaceTest
                              : nullptr;
}
