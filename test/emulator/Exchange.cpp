//===- Exchange.cpp - values of other lanes -------------------------------===//

#include "Decoder.h"
#include "Execute.h"
#include "Numbers.h"

#include <algorithm>

using namespace ptx;

/// Calls f(lane) for each of `lanes`.
template <class F> static void each(uint32_t lanes, F f) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    f(static_cast<unsigned>(__builtin_ctz(rest)));
}

static void setPredicate(Warp &warp, Row row, uint32_t value, uint32_t lanes) {
  uint32_t &d = warp.predicate(row);
  d = (d & ~lanes) | (value & lanes);
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

namespace {
enum class Shuffle : uint8_t { Xor, Up, Down, Index };
} // namespace

/// The lane that `lane` reads from, and whether it lies in its segment.
static bool sourceLane(Shuffle how, unsigned lane, uint32_t b, uint32_t c,
                       unsigned &from) {
  uint32_t segment = c >> 8 & 31, clamp = c & 31;
  b &= 31;
  auto most = static_cast<int>((lane & segment) | (clamp & ~segment));
  int source = 0;
  switch (how) {
  case Shuffle::Xor:
    source = static_cast<int>(lane ^ b);
    break;
  case Shuffle::Up:
    source = static_cast<int>(lane) - static_cast<int>(b);
    break;
  case Shuffle::Down:
    source = static_cast<int>(lane + b);
    break;
  case Shuffle::Index:
    source = static_cast<int>((lane & segment) | (b & ~segment));
    break;
  }
  bool inside = how == Shuffle::Up ? source >= most : source <= most;
  from = inside ? static_cast<unsigned>(source) : lane;
  return inside;
}

static void shuffle(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t old[kLanes];
  memcpy(old, warp.row<uint32_t>(i.a[0]), sizeof(old));
  const auto *b = warp.row<uint32_t>(i.a[1]), *c = warp.row<uint32_t>(i.a[2]);
  auto *d = warp.row<uint32_t>(i.d[0]);
  uint32_t insides = 0;
  uint32_t results[kLanes];
  each(lanes, [&](unsigned lane) {
    unsigned from = lane;
    if (sourceLane(static_cast<Shuffle>(i.mode), lane, b[lane], c[lane], from))
      insides |= 1u << lane;
    // What a lane gives that takes no part is not defined.
    results[lane] = lanes >> from & 1 ? old[from] : ~0u;
  });
  each(lanes, [&](unsigned lane) { d[lane] = results[lane]; });
  if (i.d[1] != kNoRow)
    setPredicate(warp, i.d[1], insides, lanes);
}

static void decodeShuffle(Decoder &decoder, Opcode &opcode, Instr &i) {
  int how = opcode.oneOf({"bfly", "up", "down", "idx"});
  if (!opcode.has("sync") || how < 0 || !opcode.has("b32"))
    return decoder.fail("this form of 'shfl' is not emulated");
  i.flow = Flow::Together;
  i.mode = static_cast<uint8_t>(how);
  i.run = shuffle;
  i.d[0] = decoder.destination(Type::B32);
  if (decoder.lex.eat("|"))
    i.d[1] = decoder.destination(Type::Pred);
  for (unsigned n = 0; n < 3; ++n)
    i.a[n] = decoder.nextSource(Type::B32);
  i.mask = decoder.nextSource(Type::B32);
}

//===----------------------------------------------------------------------===//
// vote.sync, activemask, elect.sync
//===----------------------------------------------------------------------===//

namespace {
enum class Vote : uint8_t { All, Any, Uniform, Ballot };
} // namespace

static void vote(Warp &warp, const Instr &i, uint32_t lanes) {
  uint32_t yes = warp.predicate(i.a[0]) & lanes;
  bool result = false;
  switch (static_cast<Vote>(i.mode)) {
  case Vote::All:
    result = yes == lanes;
    break;
  case Vote::Any:
    result = yes != 0;
    break;
  case Vote::Uniform:
    result = yes == 0 || yes == lanes;
    break;
  case Vote::Ballot:
    return each(lanes,
                [&](unsigned lane) { warp.row<uint32_t>(i.d[0])[lane] = yes; });
  }
  setPredicate(warp, i.d[0], result ? kAllLanes : 0, lanes);
}

static void decodeVote(Decoder &decoder, Opcode &opcode, Instr &i) {
  int how = opcode.oneOf({"all", "any", "uni", "ballot"});
  if (!opcode.has("sync") || how < 0)
    return decoder.fail("this form of 'vote' is not emulated");
  Type type = opcode.type();
  if (type != (static_cast<Vote>(how) == Vote::Ballot ? Type::B32 : Type::Pred))
    return decoder.fail("'vote' has another type");
  i.flow = Flow::Together;
  i.mode = static_cast<uint8_t>(how);
  i.run = vote;
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(Type::Pred);
  i.mask = decoder.nextSource(Type::B32);
}

static void decodeActive(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("b32");
  i.run = [](Warp &warp, const Instr &i, uint32_t lanes) {
    each(lanes,
         [&](unsigned lane) { warp.row<uint32_t>(i.d[0])[lane] = lanes; });
  };
  i.d[0] = decoder.destination(Type::B32);
}

static void decodeElect(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("sync");
  i.flow = Flow::Together;
  i.run = [](Warp &warp, const Instr &i, uint32_t lanes) {
    auto leader = static_cast<uint32_t>(__builtin_ctz(lanes));
    each(lanes,
         [&](unsigned lane) { warp.row<uint32_t>(i.d[0])[lane] = leader; });
    setPredicate(warp, i.d[1], 1u << leader, lanes);
  };
  i.d[0] = decoder.destination(Type::B32);
  decoder.lex.expect("|");
  i.d[1] = decoder.destination(Type::Pred);
  i.mask = decoder.nextSource(Type::B32);
}

//===----------------------------------------------------------------------===//
// redux.sync, match.sync
//===----------------------------------------------------------------------===//

namespace {
enum class Reduction : uint8_t { Add, Min, Max, And, Or, Xor };
} // namespace

template <class T> static T combine(Reduction how, T a, T b) {
  switch (how) {
  case Reduction::Add:
    return static_cast<T>(uint32_t(a) + uint32_t(b));
  case Reduction::Min:
    return std::min(a, b);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  case Reduction::Xor:
    return a ^ b;
  }
  return a;
}

template <class T>
static void reduce(Warp &warp, const Instr &i, uint32_t lanes) {
  const T *a = warp.row<T>(i.a[0]);
  auto first = static_cast<unsigned>(__builtin_ctz(lanes));
  T result = a[first];
  each(lanes & (lanes - 1), [&](unsigned lane) {
    result = combine(static_cast<Reduction>(i.mode), result, a[lane]);
  });
  each(lanes, [&](unsigned lane) { warp.row<T>(i.d[0])[lane] = result; });
}

static void decodeReduction(Decoder &decoder, Opcode &opcode, Instr &i) {
  int how = opcode.oneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = opcode.type();
  if (!opcode.has("sync") || how < 0 || sizeOf(type) != 4 || isFloat(type))
    return decoder.fail("this form of 'redux' is not emulated");
  i.flow = Flow::Together;
  i.mode = static_cast<uint8_t>(how);
  i.run = type == Type::S32 ? reduce<int32_t> : reduce<uint32_t>;
  i.d[0] = decoder.destination(type);
  i.a[0] = decoder.nextSource(type);
  i.mask = decoder.nextSource(Type::B32);
}

/// Lanes with the same value; or whether all have it.
template <class T, bool all>
static void match(Warp &warp, const Instr &i, uint32_t lanes) {
  const T *a = warp.row<T>(i.a[0]);
  uint32_t same[kLanes];
  each(lanes, [&](unsigned lane) {
    same[lane] = 0;
    each(lanes, [&](unsigned other) {
      same[lane] |= uint32_t(a[other] == a[lane]) << other;
    });
  });
  auto *d = warp.row<uint32_t>(i.d[0]);
  bool equal = same[__builtin_ctz(lanes)] == lanes;
  each(lanes,
       [&](unsigned lane) { d[lane] = all ? equal ? lanes : 0 : same[lane]; });
  if (i.d[1] != kNoRow)
    setPredicate(warp, i.d[1], equal ? kAllLanes : 0, lanes);
}

static void decodeMatch(Decoder &decoder, Opcode &opcode, Instr &i) {
  int how = opcode.oneOf({"any", "all"});
  Type type = opcode.type();
  if (!opcode.has("sync") || how < 0 || sizeOf(type) < 4)
    return decoder.fail("this form of 'match' is not emulated");
  bool wide = sizeOf(type) == 8;
  i.flow = Flow::Together;
  i.run = how == 0 ? wide ? match<uint64_t, false> : match<uint32_t, false>
          : wide   ? match<uint64_t, true>
                   : match<uint32_t, true>;
  i.d[0] = decoder.destination(Type::B32);
  if (decoder.lex.eat("|"))
    i.d[1] = decoder.destination(Type::Pred);
  i.a[0] = decoder.nextSource(type);
  i.mask = decoder.nextSource(Type::B32);
}

Decode ptx::findExchange(std::string_view name) {
  return name == "shfl"         ? decodeShuffle
         : name == "vote"       ? decodeVote
         : name == "activemask" ? decodeActive
         : name == "elect"      ? decodeElect
         : name == "redux"      ? decodeReduction
         : name == "match"      ? decodeMatch
                                : nullptr;
}
