//===- Execute.cpp - a grid of threads on one thread of the host ----------===//

#include "Execute.h"

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace ptx;

Options Options::fromEnvironment() {
  Options options;
  if (const char *text = getenv("CELL_EMU_SCHEDULE"))
    options.schedule = static_cast<unsigned>(strtoul(text, nullptr, 0));
  if (const char *text = getenv("CELL_EMU_LIMIT"))
    options.limit = strtoull(text, nullptr, 0);
  if (const char *text = getenv("CELL_EMU_UNWRITTEN"))
    options.allowUnwritten = !strcmp(text, "allow");
  return options;
}

Block::Block(const Launch &launch, Memory &memory, Counters &counters)
    : launch(launch), kernel(*launch.kernel), memory(memory),
      counters(counters), threads(static_cast<uint32_t>(launch.block.count())),
      launchEpoch(memory.beginLaunch()), random(launch.options.schedule) {
  sharedSize = kernel.sharedBytes;
  if (launch.dynamicShared)
    sharedSize = (sharedSize + 15) / 16 * 16 + launch.dynamicShared;
  shared.resize(sharedSize + 16);
  sharedShadow = Shadow(sharedSize);
  local.resize(uint64_t(kernel.localBytes) * threads);
  localWritten.resize(local.size());
  lastAllocation.resize(kernel.code.size());
  warps.resize((threads + kLanes - 1) / kLanes);
  for (uint32_t n = 0; n < warps.size(); ++n) {
    Warp &warp = warps[n];
    warp.block = this;
    warp.number = n;
    uint32_t left = threads - n * kLanes;
    warp.present = left >= kLanes ? kAllLanes : (1u << left) - 1;
  }
  fillRegisters();
}

/// Rows begin with bits that are NaN and -1; those of constants hold them.
void Block::fillRegisters() {
  size_t size = (kernel.registerBytes + 63) / 64 * 64;
  registers.assign(size * warps.size() + 64, '\xff');
  auto begin = reinterpret_cast<uintptr_t>(registers.data());
  char *first = registers.data() + (64 - begin % 64) % 64;
  for (Warp &warp : warps)
    warp.registers = first + size * warp.number;
  for (const Constant &constant : kernel.constants) {
    char *row = first + constant.row;
    if (constant.bytes == 0) // a predicate: one mask
      memcpy(row, &constant.value, sizeof(uint32_t));
    for (unsigned lane = 0; lane < kLanes; ++lane)
      memcpy(row + lane * constant.bytes, &constant.value, constant.bytes);
    size_t bytes = constant.bytes ? kLanes * constant.bytes : sizeof(uint32_t);
    for (size_t n = 1; n < warps.size(); ++n)
      memcpy(row + n * size, row, bytes);
  }
}

/// What special registers hold in a lane.
static uint32_t specialValue(Special special, const Launch &launch,
                             const Dim3 &index, uint64_t linear,
                             uint32_t thread, uint32_t shared) {
  const Dim3 &block = launch.block, &grid = launch.grid;
  uint32_t lane = thread % kLanes, bit = 1u << lane;
  switch (special) {
  case Special::TidX:
    return thread % block.x;
  case Special::TidY:
    return thread / block.x % block.y;
  case Special::TidZ:
    return thread / block.x / block.y;
  case Special::NtidX:
    return block.x;
  case Special::NtidY:
    return block.y;
  case Special::NtidZ:
    return block.z;
  case Special::CtaidX:
    return index.x;
  case Special::CtaidY:
    return index.y;
  case Special::CtaidZ:
    return index.z;
  case Special::NctaidX:
    return grid.x;
  case Special::NctaidY:
    return grid.y;
  case Special::NctaidZ:
    return grid.z;
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return thread / kLanes;
  case Special::NWarpId:
    return static_cast<uint32_t>((block.count() + kLanes - 1) / kLanes);
  case Special::SmId:
    return static_cast<uint32_t>(linear % launch.options.multiprocessors);
  case Special::NSmId:
    return launch.options.multiprocessors;
  case Special::LaneEq:
    return bit;
  case Special::LaneLt:
    return bit - 1;
  case Special::LaneLe:
    return bit | (bit - 1);
  case Special::LaneGt:
    return ~(bit | (bit - 1));
  case Special::LaneGe:
    return ~(bit - 1);
  case Special::DynamicShared:
    return launch.dynamicShared;
  case Special::TotalShared:
    return shared;
  case Special::GridId:
    return 0;
  }
  return 0;
}

void Block::fillSpecials(bool first) {
  for (auto &[special, row] : kernel.specials) {
    bool differs = special == Special::CtaidX || special == Special::CtaidY ||
                   special == Special::CtaidZ || special == Special::SmId;
    if (!first && !differs)
      continue;
    for (Warp &warp : warps) {
      uint32_t *values = warp.row<uint32_t>(row);
      uint32_t thread = warp.number * kLanes;
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        values[lane] = lane != 0 && differs
                           ? values[0]
                           : specialValue(special, launch, index, linear,
                                          thread + lane, sharedSize);
    }
  }
}

void Block::begin(Dim3 blockIndex, uint64_t linearIndex) {
  index = blockIndex;
  linear = linearIndex;
  if (memory.isClockFull())
    launchEpoch = memory.beginLaunch();
  blockEpoch = barrierEpoch = now = memory.nextEpoch();
  fenced = false;
  std::fill(std::begin(barriers), std::end(barriers), Barrier());
  for (Warp &warp : warps) {
    for (auto &lane : warp.copies)
      for (auto &group : lane)
        for (PendingCopy &copy : group)
          sharedShadow.setWriter(copy.to, copy.bytes, kNever);
    warp.copies.clear();
    warp.alive = warp.present;
    warp.groups.assign(1, Group());
    warp.groups[0].lanes = warp.present;
    warp.lastSync = 0;
    warp.executed = 0;
    warp.turned = false;
  }
  std::fill(shared.begin(), shared.end(), '\xff');
  std::fill(local.begin(), local.end(), '\xff');
  std::fill(localWritten.begin(), localWritten.end(), 0);
  fillSpecials(isFirst);
  isFirst = false;
}

//===----------------------------------------------------------------------===//
// Groups of lanes
//===----------------------------------------------------------------------===//

void Block::joinGroups(Warp &warp) {
  auto &groups = warp.groups;
  for (size_t a = 0; a < groups.size(); ++a) {
    for (size_t b = a + 1; b < groups.size();) {
      Group &left = groups[a], &right = groups[b];
      if (left.lanes && right.lanes &&
          (left.pc != right.pc || left.arrived != right.arrived ||
           left.returns != right.returns)) {
        ++b;
        continue;
      }
      if (left.lanes == 0) {
        left = std::move(right);
      } else if (right.lanes != 0) {
        left.lanes |= right.lanes;
        left.waiting = left.arrived;
      }
      groups.erase(groups.begin() + static_cast<ptrdiff_t>(b));
    }
  }
  if (groups.size() == 1 && groups[0].lanes == 0)
    groups.clear();
}

/// Runs one group until it splits, meets another or waits; false on a fault.
bool Block::advance(Warp &warp, size_t which, uint64_t quantum) {
  uint32_t pc = warp.groups[which].pc, lanes = warp.groups[which].lanes;
  size_t depth = warp.groups[which].returns.size();
  uint32_t stop = ~0u;
  for (const Group &other : warp.groups)
    if (other.returns.size() == depth && other.pc > pc)
      stop = std::min(stop, other.pc);
  bool alone = warp.groups.size() == 1, leave = false;
  const Instr *code = kernel.code.data();
  uint64_t done = 0;
  uint32_t started = lanes;
  // The part of the group that goes elsewhere.
  auto split = [&](uint32_t part, uint32_t target) {
    Group other = warp.groups[which];
    other.pc = target;
    other.lanes = part;
    lanes &= ~part;
    warp.groups.push_back(std::move(other));
    leave = true;
  };
  while (pc != stop && !leave && done < quantum) {
    const Instr &i = code[pc];
    uint32_t active = lanes;
    done += i.counted;
    if (i.guard != kNoRow) {
      uint32_t bits = warp.predicate(i.guard);
      active &= i.negated ? ~bits : bits;
      if (!active) {
        ++pc;
        continue;
      }
    }
    switch (i.flow) {
    case Flow::Next:
      i.run(warp, i, active);
      ++pc;
      leave = failed;
      break;
    case Flow::Branch:
      if (active != lanes) {
        split(active, i.target);
        ++pc;
      } else {
        pc = i.target;
        leave = !alone;
      }
      break;
    case Flow::Call:
      if (active != lanes) {
        split(active, i.target);
        warp.groups.back().returns.push_back(++pc);
      } else {
        warp.groups[which].returns.push_back(pc + 1);
        pc = i.target;
        leave = !alone;
      }
      break;
    case Flow::Return:
      if (!warp.groups[which].returns.empty()) {
        if (active != lanes) {
          split(active, warp.groups[which].returns.back());
          warp.groups.back().returns.pop_back();
          ++pc;
        } else {
          pc = warp.groups[which].returns.back();
          warp.groups[which].returns.pop_back();
          leave = !alone;
        }
        break;
      }
      [[fallthrough]];
    case Flow::Exit:
      warp.alive &= ~active;
      lanes &= ~active;
      ++pc;
      leave = true;
      break;
    case Flow::Barrier:
      if (active != lanes)
        split(lanes & ~active, pc + 1);
      warp.groups[which].lanes = lanes;
      barrier(warp, i, warp.groups[which]);
      pc += warp.groups[which].arrived ? 0 : 1; // bar.arrive goes on
      leave = true;
      break;
    case Flow::Together:
      if (together(warp, i, active)) {
        ++pc;
        leave = failed;
        break;
      }
      if (active != lanes)
        split(lanes & ~active, pc + 1);
      warp.groups[which].waiting = true;
      leave = true;
      break;
    }
  }
  warp.groups[which].pc = pc;
  warp.groups[which].lanes = lanes;
  warp.executed += done;
  counters.instructions += done;
  counters.laneInstructions += done * __builtin_popcount(started);
  if (warp.executed > launch.options.limit && !failed)
    fail(Fault::Timeout, code[std::min<size_t>(pc, kernel.code.size() - 1)],
         warp, static_cast<unsigned>(__builtin_ctz(started)),
         "a warp has executed more than " +
             std::to_string(launch.options.limit) +
             " instructions; an infinite loop? (CELL_EMU_LIMIT)");
  return !failed;
}

/// Executes what needs all lanes of a mask, if they are all here.
bool Block::together(Warp &warp, const Instr &i, uint32_t lanes) {
  if (i.mask == kNoRow) {
    if ((lanes & warp.alive) != warp.alive)
      return false;
    i.run(warp, i, lanes);
    return true;
  }
  // Lanes with different masks may stand at one instruction.
  const uint32_t *masks = warp.row<uint32_t>(i.mask);
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t rest = lanes; rest && !failed;) {
      auto first = static_cast<unsigned>(__builtin_ctz(rest));
      uint32_t mask = masks[first], members = 0;
      for (unsigned lane = first; lane < kLanes; ++lane)
        if ((rest >> lane & 1) && masks[lane] == mask)
          members |= 1u << lane;
      rest &= ~members;
      if (members & ~mask) {
        fail(Fault::Launch, i, warp,
             static_cast<unsigned>(__builtin_ctz(members & ~mask)),
             "a lane that is not in the mask executes this");
        return true;
      }
      if ((members & warp.alive & mask) != (mask & warp.alive))
        return false;
      if (pass == 1)
        i.run(warp, i, members);
    }
  }
  return true;
}

void Block::warpSync(Warp &warp) {
  warp.lastSync = now;
  now = memory.nextEpoch();
}

/// Runs a warp until it waits or its turn is over; whether it did anything.
bool Block::step(Warp &warp, uint64_t quantum) {
  bool any = false;
  uint64_t end = warp.executed + quantum;
  while (!failed && warp.executed < end) {
    // Deepest calls first, so that lanes meet again behind them; then the
    // lowest place.
    size_t best = warp.groups.size();
    for (size_t n = 0; n < warp.groups.size(); ++n) {
      const Group &group = warp.groups[n];
      if (group.waiting)
        continue;
      if (best == warp.groups.size() || warp.turned) {
        best = n;
        continue;
      }
      const Group &other = warp.groups[best];
      size_t depth = group.returns.size(), otherDepth = other.returns.size();
      if (depth != otherDepth ? depth > otherDepth : group.pc < other.pc)
        best = n;
    }
    if (best == warp.groups.size())
      return any;
    any = true;
    if (!advance(warp, best, end - warp.executed))
      return any;
    joinGroups(warp);
  }
  // Lanes that wait for others by spinning must not keep them from running.
  warp.turned = !warp.turned;
  return any;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Block::barrier(Warp &warp, const Instr &i, Group &group) {
  auto first = static_cast<unsigned>(__builtin_ctz(group.lanes));
  uint32_t id = warp.row<uint32_t>(i.a[0])[first];
  uint32_t expected = i.a[1] == kNoRow ? 0 : warp.row<uint32_t>(i.a[1])[first];
  if (id >= 16 || expected % kLanes != 0 || expected > threads)
    return fail(Fault::Launch, i, warp, first,
                "barrier " + std::to_string(id) + " of " +
                    std::to_string(expected) +
                    " threads: expected 0 to 15 and a multiple of 32");
  Barrier &barrier = barriers[id];
  if (barrier.arrived && barrier.expected != expected)
    return fail(Fault::Launch, i, warp, first,
                "barrier " + std::to_string(id) +
                    " has another count in line " +
                    std::to_string(barrier.line));
  barrier.expected = expected;
  barrier.line = i.line;
  barrier.arrived += static_cast<uint32_t>(__builtin_popcount(group.lanes));
  if (i.mode == 0)
    group.waiting = group.arrived = true;
}

bool Block::releaseBarriers() {
  uint32_t alive = 0;
  for (const Warp &warp : warps)
    alive += static_cast<uint32_t>(__builtin_popcount(warp.alive));
  for (uint32_t id = 0; id < 16; ++id) {
    Barrier &barrier = barriers[id];
    bool all = barrier.expected == 0;
    if (barrier.arrived == 0 ||
        barrier.arrived < (all ? alive : barrier.expected))
      continue;
    for (Warp &warp : warps) {
      uint32_t here = 0;
      const Group *place = nullptr;
      for (const Group &group : warp.groups) {
        const Instr &i = kernel.code[group.pc];
        if (!group.arrived ||
            warp.row<uint32_t>(i.a[0])[__builtin_ctz(group.lanes)] != id)
          continue;
        here |= group.lanes;
        auto lane = static_cast<unsigned>(__builtin_ctz(group.lanes));
        if (place && place->pc != group.pc)
          fail(Fault::Launch, i, warp, lane,
               "barrier in divergent code: lanes of this warp stand at the "
               "one in line " +
                   std::to_string(kernel.code[place->pc].line));
        if (all && alive < threads)
          fail(Fault::Launch, i, warp, lane,
               "barrier that not all threads reach: " +
                   std::to_string(threads - alive) + " have exited");
        place = &group;
      }
      if (place && here != warp.alive && !failed)
        fail(Fault::Launch, kernel.code[place->pc], warp,
             static_cast<unsigned>(__builtin_ctz(here)),
             "barrier in divergent code: other lanes of this warp are "
             "elsewhere");
    }
    if (failed)
      return false;
    for (Warp &warp : warps) {
      for (Group &group : warp.groups) {
        const Instr &i = kernel.code[group.pc];
        if (!group.arrived ||
            warp.row<uint32_t>(i.a[0])[__builtin_ctz(group.lanes)] != id)
          continue;
        group.waiting = group.arrived = false;
        ++group.pc;
      }
      joinGroups(warp);
    }
    barrier = Barrier();
    ++counters.barriers;
    if (memory.isClockFull()) {
      launchEpoch = memory.beginLaunch();
      uint32_t newBlock = memory.nextEpoch();
      sharedShadow.rebase(blockEpoch << kWhoBits, newBlock << kWhoBits);
      blockEpoch = newBlock;
    }
    barrierEpoch = now = memory.nextEpoch();
    return true;
  }
  return false;
}

void Block::reportDeadlock() {
  for (const Warp &warp : warps) {
    for (const Group &group : warp.groups) {
      const Instr &i = kernel.code[group.pc];
      auto lane = static_cast<unsigned>(__builtin_ctz(group.lanes));
      char lanes[64];
      snprintf(lanes, sizeof(lanes), "lanes %#x of warp %u", group.lanes,
               warp.number);
      return fail(Fault::Timeout, i, warp, lane,
                  group.arrived
                      ? std::string("barrier that not all threads reach: ") +
                            lanes + " wait here"
                      : std::string(lanes) +
                            " wait here for lanes that never come");
    }
  }
}

bool Block::run() {
  unsigned schedule = launch.options.schedule;
  std::vector<size_t> order(warps.size());
  std::iota(order.begin(), order.end(), 0);
  auto nextRandom = [&] {
    return (random = random * 1664525 + 1013904223) >> 8;
  };
  while (!failed) {
    if (schedule == 1)
      std::reverse(order.begin(), order.end());
    for (size_t n = order.size(); schedule > 1 && n > 1; --n)
      std::swap(order[n - 1], order[nextRandom() % n]);
    bool any = false, alive = false;
    for (size_t n : order) {
      uint64_t quantum = schedule > 1 ? 16 + nextRandom() % 256 : 1 << 20;
      any |= step(warps[n], quantum);
      alive |= warps[n].alive != 0;
      if (failed)
        return false;
    }
    if (!alive)
      return true;
    if (!releaseBarriers() && !any && !failed)
      reportDeadlock();
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

Outcome ptx::run(const Launch &launch, Memory &memory, Counters &counters) {
  // A caller may have asked for subnormals as zeros or another rounding.
  fenv_t environment;
  fegetenv(&environment);
  fesetenv(FE_DFL_ENV);
  Block block(launch, memory, counters);
  uint64_t count = launch.grid.count(), step = 1, start = 0;
  unsigned schedule = launch.options.schedule;
  if (schedule > 1) {
    start = schedule * 2654435761u % count;
    for (step = (schedule * 40503u + 1) % count; std::gcd(step, count) != 1;)
      ++step;
  }
  for (uint64_t n = 0; n < count; ++n) {
    uint64_t linear =
        schedule == 1 ? count - 1 - n : (start + n * step) % count;
    const Dim3 &grid = launch.grid;
    Dim3 index = {static_cast<uint32_t>(linear % grid.x),
                  static_cast<uint32_t>(linear / grid.x % grid.y),
                  static_cast<uint32_t>(linear / grid.x / grid.y)};
    block.begin(index, linear);
    ++counters.blocks;
    if (!block.run())
      break;
  }
  fesetenv(&environment);
  return block.outcome;
}
