//===- Access.cpp - loads, stores and atomic updates ----------------------===//

#include "Arithmetic.h"
#include "Map.h"
#include "Numbers.h"

#include <algorithm>
#include <type_traits>

using namespace ptx;

static uint64_t addressOf(Warp &warp, const Instr &i, Row row, unsigned lane) {
  uint64_t base = row == kNoRow ? 0 : warp.row<uint64_t>(row)[lane];
  return base + static_cast<uint64_t>(i.offset);
}

/// Calls f(lane) from the lowest lane to the highest, until it fails.
template <class F> static void inOrder(uint32_t lanes, F f) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    if (!f(static_cast<unsigned>(__builtin_ctz(rest))))
      return;
}

template <class T>
static void load(Warp &warp, const Instr &i, uint32_t lanes) {
  auto how = static_cast<Access>(i.mode);
  Block &block = *warp.block;
  inOrder(lanes, [&](unsigned lane) {
    const char *from =
        block.access(warp, i, lane, i.space, addressOf(warp, i, i.a[0], lane),
                     sizeof(T) * i.count, how);
    if (!from)
      return false;
    for (unsigned n = 0; n < i.count; ++n)
      memcpy(warp.row<T>(i.d[n]) + lane, from + n * sizeof(T), sizeof(T));
    return true;
  });
}

template <class T>
static void store(Warp &warp, const Instr &i, uint32_t lanes) {
  auto how = static_cast<Access>(i.mode);
  Block &block = *warp.block;
  inOrder(lanes, [&](unsigned lane) {
    char *to =
        block.access(warp, i, lane, i.space, addressOf(warp, i, i.a[0], lane),
                     sizeof(T) * i.count, how);
    if (!to)
      return false;
    for (unsigned n = 0; n < i.count; ++n)
      memcpy(to + n * sizeof(T), warp.row<T>(i.a[1 + n]) + lane, sizeof(T));
    return true;
  });
}

Handler ptx::argumentCopier() {
  return [](Warp &warp, const Instr &i, uint32_t lanes) {
    inOrder(lanes, [&](unsigned lane) {
      for (uint32_t b = 0; b < i.d[0]; ++b) {
        const char *from = warp.block->access(
            warp, i, lane, Space::Local, static_cast<uint64_t>(i.offset) + b, 1,
            Access::Load);
        char *to = from ? warp.block->access(warp, i, lane, Space::Local,
                                             i.target + b, 1, Access::Store)
                        : nullptr;
        if (!to)
          return false;
        *to = *from;
      }
      return true;
    });
  };
}

/// Takes modifiers about order and caches; whether the access is "strong":
/// meant to meet accesses of other threads.
static bool takeOrder(Opcode &opcode) {
  bool strong = opcode.oneOf({"volatile", "relaxed", "acquire", "release",
                              "acq_rel"}) >= 0;
  opcode.has("weak");
  opcode.oneOf({"cta", "cluster", "gpu", "sys"});
  opcode.oneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  opcode.oneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                "L1::evict_last", "L1::no_allocate"});
  opcode.oneOf({"L2::64B", "L2::128B", "L2::256B"});
  return strong;
}

template <bool isLoad> static Handler accessHandler(unsigned bytes) {
  switch (bytes) {
  case 1:
    return isLoad ? load<uint8_t> : store<uint8_t>;
  case 2:
    return isLoad ? load<uint16_t> : store<uint16_t>;
  case 4:
    return isLoad ? load<uint32_t> : store<uint32_t>;
  case 8:
    return isLoad ? load<uint64_t> : store<uint64_t>;
  default:
    return nullptr;
  }
}

static void decodeLoad(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool strong = takeOrder(opcode), readOnly = opcode.has("nc");
  i.space = opcode.space();
  i.count = opcode.vector();
  Type type = opcode.type();
  i.run = accessHandler<true>(sizeOf(type));
  if (!i.run)
    return decoder.fail("this type of 'ld' is not emulated");
  i.mode = static_cast<uint8_t>(strong     ? Access::Strong
                                : readOnly ? Access::ReadOnly
                                           : Access::Load);
  unsigned count = decoder.destinations(type, i.d, 4);
  if (count != i.count)
    return decoder.fail("the vector has " + std::to_string(i.count) +
                        " elements");
  decoder.comma();
  i.a[0] = decoder.address(i.space, i.offset);
}

static void decodeStore(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool strong = takeOrder(opcode);
  i.space = opcode.space();
  i.count = opcode.vector();
  Type type = opcode.type();
  i.run = accessHandler<false>(sizeOf(type));
  if (!i.run)
    return decoder.fail("this type of 'st' is not emulated");
  i.mode = static_cast<uint8_t>(strong ? Access::StrongStore : Access::Store);
  i.a[0] = decoder.address(i.space, i.offset);
  decoder.comma();
  if (decoder.sources(type, i.a + 1, 4, true) != i.count)
    return decoder.fail("the vector has " + std::to_string(i.count) +
                        " elements");
}

Decode ptx::findAccess(std::string_view name) {
  return name == "ld" || name == "ldu" ? decodeLoad
         : name == "st"                ? decodeStore
                                       : nullptr;
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

namespace {
enum class Update : uint8_t {
  Add,
  Min,
  Max,
  Inc,
  Dec,
  Exch,
  Cas,
  And,
  Or,
  Xor
};
} // namespace

/// PTX: additions in global memory take and give no subnormal f32.
static float withoutSubnormals(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}

template <class T>
static T updated(Update update, T old, T b, T c, bool isGlobal) {
  if (update == Update::Exch)
    return b;
  if constexpr (std::is_same_v<T, float>) {
    if (isGlobal)
      return withoutSubnormals(
          narrow<float>(withoutSubnormals(old) + withoutSubnormals(b)));
    return narrow<float>(old + b);
  } else if constexpr (!std::is_integral_v<T>) {
    return narrow<T>(widen(old) + widen(b));
  } else {
    switch (update) {
    case Update::Add:
      return static_cast<T>(uint64_t(old) + uint64_t(b));
    case Update::Min:
      return std::min(old, b);
    case Update::Max:
      return std::max(old, b);
    case Update::Inc:
      return old >= b ? T(0) : static_cast<T>(old + 1);
    case Update::Dec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case Update::Cas:
      return old == b ? c : old;
    case Update::And:
      return old & b;
    case Update::Or:
      return old | b;
    case Update::Xor:
      return old ^ b;
    default:
      return b;
    }
  }
}

template <class T, unsigned per = 1>
static void update(Warp &warp, const Instr &i, uint32_t lanes) {
  Block &block = *warp.block;
  // Which lane comes first is not defined; another schedule takes the last.
  bool descends = block.launch.options.schedule & 1;
  for (unsigned n = 0; n < kLanes; ++n) {
    unsigned lane = descends ? kLanes - 1 - n : n;
    if (!(lanes >> lane & 1))
      continue;
    uint64_t address = addressOf(warp, i, i.a[0], lane);
    bool isGlobal = i.space == Space::Global ||
                    (i.space == Space::Generic &&
                     !(address & (kSharedWindow | kLocalWindow)));
    char *at = block.access(warp, i, lane, i.space, address, sizeof(T) * per,
                            Access::Update);
    if (!at)
      return;
    for (unsigned p = 0; p < per; ++p) {
      T old, c = T();
      memcpy(&old, at + p * sizeof(T), sizeof(T));
      if (i.a[2] != kNoRow)
        c = warp.row<T>(i.a[2])[lane];
      T result = updated(static_cast<Update>(i.mode), old,
                         warp.row<T>(i.a[1])[lane * per + p], c, isGlobal);
      memcpy(at + p * sizeof(T), &result, sizeof(T));
      if (i.d[0] != kNoRow)
        warp.row<T>(i.d[0])[lane * per + p] = old;
    }
  }
}

static Handler updateHandler(Type type, Update how) {
  bool adds = how == Update::Add, exchanges = how == Update::Exch;
  switch (type) {
  case Type::F32:
    return adds || exchanges ? update<float> : nullptr;
  case Type::F64:
    return adds || exchanges ? update<double> : nullptr;
  case Type::F16:
    return adds ? update<Half> : nullptr;
  case Type::BF16:
    return adds ? update<BFloat> : nullptr;
  case Type::F16x2:
    return adds ? update<Half, 2> : nullptr;
  case Type::BF16x2:
    return adds ? update<BFloat, 2> : nullptr;
  default:
    break;
  }
  Handler handler = nullptr;
  withInteger(type, [&](auto zero) { handler = update<decltype(zero)>; });
  return handler;
}

static void decodeUpdate(Decoder &decoder, Opcode &opcode, Instr &i) {
  takeOrder(opcode);
  opcode.has("noftz");
  i.space = opcode.space();
  int how = opcode.oneOf(
      {"add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor"});
  Type type = opcode.type();
  i.mode = static_cast<uint8_t>(how);
  i.run = how < 0 ? nullptr : updateHandler(type, static_cast<Update>(how));
  if (!i.run)
    return decoder.fail("this form of '" + std::string(opcode.name()) +
                        "' is not emulated");
  if (opcode.name() == "atom") {
    i.d[0] = decoder.destination(type);
    decoder.comma();
  }
  i.a[0] = decoder.address(i.space, i.offset);
  i.a[1] = decoder.nextSource(type);
  if (static_cast<Update>(how) == Update::Cas)
    i.a[2] = decoder.nextSource(type);
}

Decode ptx::findAtomic(std::string_view name) {
  return name == "atom" || name == "red" ? decodeUpdate : nullptr;
}

//===----------------------------------------------------------------------===//
// Copies to shared memory that go on beside the thread
//===----------------------------------------------------------------------===//

static void startCopy(Warp &warp, const Instr &i, uint32_t lanes) {
  Block &block = *warp.block;
  warp.copies.resize(kLanes);
  inOrder(lanes, [&](unsigned lane) {
    PendingCopy copy;
    copy.bytes = i.count;
    copy.to = i.a[0] == kNoRow ? 0 : warp.row<uint64_t>(i.a[0])[lane];
    copy.to += warp.row<uint64_t>(i.a[3])[lane];
    copy.to &= ~kSharedWindow;
    memset(copy.data, 0, sizeof(copy.data));
    uint32_t size =
        i.a[2] == kNoRow ? i.count : warp.row<uint32_t>(i.a[2])[lane];
    if (size > i.count) {
      block.fail(Fault::Launch, i, warp, lane,
                 "cp.async reads more than it writes");
      return false;
    }
    uint64_t from = addressOf(warp, i, i.a[1], lane);
    if (from % i.count != 0) {
      block.fail(Fault::Misaligned, i, warp, lane,
                 "misaligned source of cp.async");
      return false;
    }
    // The part that is read may have any size.
    for (uint32_t b = 0; b < size;) {
      unsigned step = size - b >= 4 ? 4 : 1;
      const char *data = block.access(warp, i, lane, Space::Global, from + b,
                                      step, Access::Load);
      if (!data)
        return false;
      memcpy(copy.data + b, data, step);
      b += step;
    }
    if (!block.asyncAccess(warp, i, lane, copy.to, copy.bytes, false))
      return false;
    if (warp.copies[lane].empty())
      warp.copies[lane].emplace_back();
    warp.copies[lane].back().push_back(copy);
    return true;
  });
}

static void commitCopies(Warp &warp, const Instr &, uint32_t lanes) {
  warp.copies.resize(kLanes);
  inOrder(lanes, [&](unsigned lane) {
    if (warp.copies[lane].empty())
      warp.copies[lane].emplace_back();
    warp.copies[lane].emplace_back();
    return true;
  });
}

/// Waits until at most `offset` committed groups are under way; for all copies
/// where it is negative.
static void waitForCopies(Warp &warp, const Instr &i, uint32_t lanes) {
  warp.copies.resize(kLanes);
  inOrder(lanes, [&](unsigned lane) {
    auto &groups = warp.copies[lane];
    while (!groups.empty() &&
           static_cast<int64_t>(groups.size()) - 1 > i.offset) {
      for (PendingCopy &copy : groups.front())
        memcpy(
            warp.block->asyncAccess(warp, i, lane, copy.to, copy.bytes, true),
            copy.data, copy.bytes);
      groups.pop_front();
    }
    return true;
  });
}

static void decodeAsyncCopy(Decoder &decoder, Opcode &opcode, Instr &i) {
  if (!opcode.has("async") || opcode.has("bulk"))
    return decoder.fail("this form of 'cp' is not emulated");
  if (opcode.has("commit_group")) {
    i.run = commitCopies;
    return;
  }
  if (opcode.has("wait_all") || opcode.has("wait_group")) {
    i.run = waitForCopies;
    i.offset = decoder.lex.peek() == ";"
                   ? -1
                   : static_cast<int64_t>(decoder.literal());
    return;
  }
  takeOrder(opcode);
  opcode.space(); // ".shared" and
  opcode.space(); // ".global"
  i.run = startCopy;
  Space shared = Space::Shared, global = Space::Global;
  int64_t to = 0;
  i.a[0] = decoder.address(shared, to);
  decoder.comma();
  i.a[1] = decoder.address(global, i.offset);
  i.a[3] = decoder.constant(static_cast<uint64_t>(to), 8);
  decoder.comma();
  i.count = static_cast<uint8_t>(decoder.literal());
  if (i.count != 4 && i.count != 8 && i.count != 16)
    return decoder.fail("cp.async copies 4, 8 or 16 bytes");
  if (decoder.lex.eat(","))
    i.a[2] = decoder.source(Type::U32);
}

Decode ptx::findAsyncCopy(std::string_view name) {
  return name == "cp" ? decodeAsyncCopy : nullptr;
}
