//===- Check.cpp - what is wrong with an access to memory -----------------===//

#include "Execute.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace ptx;

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "%#" PRIx64, value);
  return text;
}

static std::string triple(const Dim3 &index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

static Dim3 threadIndex(const Launch &launch, uint32_t thread) {
  const Dim3 &block = launch.block;
  return {thread % block.x, thread / block.x % block.y,
          thread / block.x / block.y};
}

void Block::fail(Fault fault, const Instr &i, const Warp &warp, unsigned lane,
                 const std::string &why) {
  if (failed)
    return;
  failed = true;
  outcome.fault = fault;
  outcome.message =
      kernel.name + ", line " + std::to_string(i.line) + ": " + why + " (" +
      kernel.lineText(i.line) + " block " + triple(index) + ", thread " +
      triple(threadIndex(launch, warp.number * kLanes + lane)) + ")";
}

static bool isWrite(Access how) {
  return how == Access::Store || how == Access::StrongStore ||
         how == Access::Update;
}

void Block::failAccess(Warp &warp, const Instr &i, unsigned lane,
                       const std::string &memoryName, const Finding &finding) {
  std::string why = std::string(finding.problem) + " at byte " +
                    std::to_string(finding.place) + " of " + memoryName;
  Tag other = finding.other, who = other & kWhoMask;
  bool isOurs = other >= blockEpoch << kWhoBits;
  if (who == kPending)
    why += ": a cp.async to it has not been waited for";
  else if (who == kReadOnly)
    why += ": this launch reads it as ld.global.nc";
  else if (other == kNever || other == kHost)
    ; // the problem says it all
  else if (!isOurs)
    why += ": another block accessed it";
  else if (who < kMaxThreads)
    why += ": thread " + triple(threadIndex(launch, who)) +
           " accessed it since the last barrier";
  else
    why += ": other threads accessed it since the last barrier";
  fail(Fault::Launch, i, warp, lane, why);
}

Block::Bounds Block::globalBounds() const {
  Tag begin = launchEpoch << kWhoBits;
  return {kNever + 1, begin, fenced ? begin : blockEpoch << kWhoBits};
}

/// Whether an access of `thread` and the one that left `tag` are in no order.
inline bool Block::conflicts(Tag tag, Tag thread, const Bounds &bounds,
                             const Warp &warp, bool atomicsAgree) const {
  if (tag < bounds.launch)
    return false;
  Tag who = tag & kWhoMask;
  if (who == kReadOnly)
    return true;
  if (tag < bounds.block)
    return !(atomicsAgree && who == kAtomic);
  if (tag < barrierEpoch << kWhoBits || who == thread)
    return false;
  if (who == kAtomic)
    return !atomicsAgree;
  // bar.warp.sync orders the lanes of one warp.
  uint32_t otherWarp = who < kMaxThreads ? who / kLanes : who - kSomeOfWarp;
  return otherWarp != warp.number || tag >> kWhoBits > warp.lastSync;
}

/// The tag of an access of `thread` together with those that left `tag`: of one
/// thread, where all others are ordered before it.
inline Tag Block::joined(Tag tag, Tag thread, const Bounds &bounds,
                         const Warp &warp) const {
  if (tag >= bounds.launch && tag < bounds.block)
    return launchEpoch << kWhoBits | kSeveral;
  Tag who = tag & kWhoMask;
  if (tag < barrierEpoch << kWhoBits || who == thread ||
      !conflicts(tag, thread, bounds, warp, false))
    return now << kWhoBits | thread;
  bool sameWarp = who < kMaxThreads ? who / kLanes == warp.number
                                    : who == kSomeOfWarp + warp.number;
  return now << kWhoBits | (sameWarp ? kSomeOfWarp + warp.number : kSeveral);
}

bool Block::touch(Shadow &shadow, uint64_t offset, unsigned bytes, Tag thread,
                  Access how, const Bounds &bounds, const Warp &warp,
                  Finding &finding) {
  shadow.allow(offset, bytes);
  Tag mine = now << kWhoBits | thread;
  bool agrees = how == Access::Strong || how == Access::StrongStore ||
                how == Access::Update;
  uint64_t last = (offset + bytes - 1) >> shadow.shift;
  for (uint64_t n = offset >> shadow.shift; n <= last; ++n) {
    Tag &writer = shadow.writer[n], &reader = shadow.reader[n];
    // A plain access may follow atomic ones of its own thread.
    Tag last = writer;
    if (!agrees && (last & kWhoMask) == kAtomic && last >= bounds.block)
      last = shadow.updater[n];
    finding.other = last;
    finding.place = std::max(offset, n << shadow.shift);
    if (writer != mine) {
      if (writer < bounds.unwritten && how != Access::Store &&
          how != Access::StrongStore && !launch.options.allowUnwritten) {
        finding.problem = "read of what nothing has written";
        finding.other = kNever;
        return false;
      }
      if (how == Access::ReadOnly && writer >= bounds.launch) {
        finding.problem = "ld.global.nc of what the same launch writes";
        return false;
      }
      if (conflicts(last, thread, bounds, warp, agrees)) {
        finding.problem =
            isWrite(how) ? "race: two writes" : "race: read and write";
        return false;
      }
    }
    if (agrees)
      shadow.updater[n] = joined(shadow.updater[n], thread, bounds, warp);
    if (isWrite(how)) {
      finding.other = reader;
      if (reader != mine && conflicts(reader, thread, bounds, warp, agrees)) {
        finding.problem = "race: write and read";
        return false;
      }
      if (writer < bounds.launch)
        finding.newBytes += uint64_t(1) << shadow.shift;
      // A plain write stays one, which no other thread may update.
      bool isOwn =
          writer >= barrierEpoch << kWhoBits && (writer & kWhoMask) == thread;
      writer = how == Access::Store || isOwn ? mine : now << kWhoBits | kAtomic;
      continue;
    }
    if (writer < bounds.launch && reader < bounds.launch)
      finding.newBytes += uint64_t(1) << shadow.shift;
    if (how == Access::ReadOnly) {
      reader = launchEpoch << kWhoBits | kReadOnly;
    } else if (how == Access::Load && reader != mine) {
      if (reader < bounds.launch || (reader & kWhoMask) != kReadOnly)
        reader = joined(reader, thread, bounds, warp);
    }
  }
  return true;
}

char *Block::globalAccess(Warp &warp, const Instr &i, unsigned lane,
                          uint64_t address, unsigned bytes, Access how) {
  Allocation *&allocation = lastAllocation[&i - kernel.code.data()];
  if (!allocation || address - allocation->base >= allocation->bytes ||
      allocation->bytes - (address - allocation->base) < bytes) {
    allocation = memory.find(address, bytes);
    if (!allocation) {
      std::string why = (isWrite(how) ? "write of " : "read of ") +
                        std::to_string(bytes) + " bytes at " + hex(address) +
                        ", outside of any allocation";
      if (Allocation *near = memory.nearest(address))
        why += "; the nearest has " + std::to_string(near->bytes) +
               " bytes from " + hex(near->base);
      fail(Fault::Address, i, warp, lane, why);
      return nullptr;
    }
  }
  if (allocation->device != launch.device &&
      allocation->kind != Allocation::Kind::Host) {
    fail(Fault::Address, i, warp, lane,
         hex(address) + " is memory of device " +
             std::to_string(allocation->device));
    allocation = nullptr;
    return nullptr;
  }
  Tag thread = warp.number * kLanes + lane;
  Finding finding;
  uint64_t offset = address - allocation->base;
  if (!touch(allocation->shadow, offset, bytes, thread, how, globalBounds(),
             warp, finding)) {
    std::string name = "the allocation of " +
                       std::to_string(allocation->bytes) + " bytes from " +
                       hex(allocation->base);
    failAccess(warp, i, lane, name, finding);
    return nullptr;
  }
  (isWrite(how) ? counters.bytesStored : counters.bytesLoaded) += bytes;
  (isWrite(how) ? counters.bytesWritten : counters.bytesRead) +=
      finding.newBytes;
  return reinterpret_cast<char *>(address);
}

char *Block::localAccess(Warp &warp, const Instr &i, unsigned lane,
                         uint64_t address, unsigned bytes, Access how) {
  if (address > kernel.localBytes || bytes > kernel.localBytes - address) {
    fail(Fault::Address, i, warp, lane,
         "byte " + std::to_string(address) + " of local memory of " +
             std::to_string(kernel.localBytes) + " bytes");
    return nullptr;
  }
  uint64_t at =
      uint64_t(kernel.localBytes) * (warp.number * kLanes + lane) + address;
  for (unsigned b = 0; b < bytes; ++b) {
    if (isWrite(how)) {
      localWritten[at + b] = 1;
    } else if (!localWritten[at + b]) {
      failAccess(warp, i, lane, "local memory",
                 {"read of what nothing has written", address + b, kNever});
      return nullptr;
    }
  }
  return local.data() + at;
}

char *Block::access(Warp &warp, const Instr &i, unsigned lane, Space space,
                    uint64_t address, unsigned bytes, Access how) {
  if (space == Space::Generic) {
    space = address & kSharedWindow  ? Space::Shared
            : address & kLocalWindow ? Space::Local
                                     : Space::Global;
    if (space != Space::Global)
      address &= ~(kSharedWindow | kLocalWindow);
  }
  if (address % bytes != 0) {
    fail(Fault::Misaligned, i, warp, lane,
         "misaligned access of " + std::to_string(bytes) + " bytes at " +
             hex(address));
    return nullptr;
  }
  switch (space) {
  case Space::Shared: {
    if (address > sharedSize || bytes > sharedSize - address) {
      fail(Fault::Address, i, warp, lane,
           "byte " + std::to_string(address) + " of shared memory of " +
               std::to_string(sharedSize) + " bytes");
      return nullptr;
    }
    Tag begin = blockEpoch << kWhoBits;
    Finding finding;
    if (!touch(sharedShadow, address, bytes, warp.number * kLanes + lane, how,
               {begin, begin, begin}, warp, finding)) {
      failAccess(warp, i, lane, "shared memory", finding);
      return nullptr;
    }
    return shared.data() + address;
  }
  case Space::Local:
    return localAccess(warp, i, lane, address, bytes, how);
  case Space::Param:
    if (address > kernel.paramBytes || bytes > kernel.paramBytes - address) {
      fail(Fault::Address, i, warp, lane,
           "byte " + std::to_string(address) + " of the parameters");
      return nullptr;
    }
    return const_cast<char *>(launch.params) + address;
  default:
    return globalAccess(warp, i, lane, address, bytes, how);
  }
}

char *Block::asyncAccess(Warp &warp, const Instr &i, unsigned lane,
                         uint64_t address, unsigned bytes, bool done) {
  if (done) {
    Tag mine = now << kWhoBits | (warp.number * kLanes + lane);
    sharedShadow.setWriter(address, bytes, mine);
    return shared.data() + address;
  }
  char *at =
      access(warp, i, lane, Space::Shared, address, bytes, Access::Store);
  if (at)
    sharedShadow.setWriter(address, bytes, ~kWhoMask | kPending);
  return at;
}
