//===- Memory.cpp - memory that knows who wrote it ------------------------===//

#include "Memory.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace ptx;

// calloc of large blocks takes pages of zeros from the system: untouched tags
// take no memory.
Tags::Tags(uint64_t count)
    : data(static_cast<Tag *>(calloc(std::max<uint64_t>(count, 1), 4))) {
  if (!data)
    abort();
}
Tags::~Tags() { free(data); }
Tags::Tags(Tags &&other) noexcept : data(std::exchange(other.data, nullptr)) {}
Tags &Tags::operator=(Tags &&other) noexcept {
  std::swap(data, other.data);
  return *this;
}

Shadow::Shadow(uint64_t bytes)
    : size(bytes), writer(bytes / 4 + 1), reader(bytes / 4 + 1),
      updater(bytes / 4 + 1) {}

void Shadow::split() {
  Tags fineWriter(size + 4), fineReader(size + 4), fineUpdater(size + 4);
  for (uint64_t n = 0; n < size; ++n) {
    // Untouched pages stay so.
    if (Tag tag = writer[n >> 2])
      fineWriter[n] = tag;
    if (Tag tag = reader[n >> 2])
      fineReader[n] = tag;
    if (Tag tag = updater[n >> 2])
      fineUpdater[n] = tag;
  }
  writer = std::move(fineWriter);
  reader = std::move(fineReader);
  updater = std::move(fineUpdater);
  shift = 0;
}

void Shadow::setWriter(uint64_t offset, uint64_t bytes, Tag tag) {
  // The last word of an allocation may be incomplete.
  if (offset % 4 != 0 || (bytes % 4 != 0 && offset + bytes != size))
    allow(offset, bytes);
  uint64_t end = (offset + bytes + (1u << shift) - 1) >> shift;
  for (uint64_t n = offset >> shift; n < end; ++n)
    writer[n] = tag;
}

bool Shadow::isWritten(uint64_t offset, uint64_t bytes) {
  uint64_t end = (offset + bytes + (1u << shift) - 1) >> shift;
  for (uint64_t n = offset >> shift; n < end; ++n)
    if (writer[n] == kNever)
      return false;
  return true;
}

void Shadow::rebase(Tag bound, Tag tag) {
  for (uint64_t n = 0; n <= size >> shift; ++n) {
    // Untouched pages stay so.
    if (writer[n] != kNever)
      writer[n] = writer[n] >= bound ? tag : kNever;
    if (reader[n] != kNever)
      reader[n] = kNever;
    if (updater[n] != kNever)
      updater[n] = kNever;
  }
}

Allocation &Memory::add(uint64_t base, uint64_t bytes, int device,
                        Allocation::Kind kind, bool written) {
  Allocation &allocation = allocations[base];
  allocation.base = base;
  allocation.bytes = bytes;
  allocation.device = device;
  allocation.kind = kind;
  allocation.shadow = Shadow(bytes);
  if (written)
    allocation.shadow.setWriter(0, bytes, kHost);
  return allocation;
}

void Memory::remove(uint64_t base) { allocations.erase(base); }

Allocation *Memory::nearest(uint64_t address) {
  auto after = allocations.upper_bound(address);
  return after == allocations.begin() ? nullptr : &std::prev(after)->second;
}

Allocation *Memory::find(uint64_t address, uint64_t bytes) {
  Allocation *allocation = nearest(address);
  if (!allocation || address - allocation->base > allocation->bytes ||
      bytes > allocation->bytes - (address - allocation->base))
    return nullptr;
  return allocation;
}

Allocation *Memory::find(uint64_t address) { return find(address, 1); }

uint32_t Memory::beginLaunch() {
  if (epoch > kMaxEpoch / 2) {
    for (auto &entry : allocations)
      entry.second.shadow.rebase(kHost, kHost);
    epoch = 0;
  }
  return ++epoch;
}
