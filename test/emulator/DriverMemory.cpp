//===- DriverMemory.cpp - allocations and copies --------------------------===//

#include "Driver.h"

#include <cstdlib>
#include <cstring>

using namespace emu;

using Pointer = unsigned long long;
using ptx::Allocation;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// Bytes that no pattern of data looks like: NaN as floats, -1 as integers.
static constexpr int kPoison = 0xff;

static Result allocate(Entry &entry, Pointer *pointer, size_t bytes) {
  Driver &driver = entry.driver;
  if (bytes == 0 || !pointer)
    return driver.fail(InvalidValue, "an allocation of 0 bytes");
  void *memory = nullptr;
  // What lies behind an allocation belongs to nobody.
  if (bytes > driver.memoryLimit - driver.memoryUsed ||
      posix_memalign(&memory, 256, (bytes + 511) / 256 * 256) != 0)
    return driver.fail(OutOfMemory, std::to_string(bytes) + " bytes wanted, " +
                                        std::to_string(driver.memoryLimit -
                                                       driver.memoryUsed) +
                                        " are left (CELL_EMU_MEMORY)");
  memset(memory, kPoison, bytes);
  driver.memoryUsed += bytes;
  *pointer = reinterpret_cast<Pointer>(memory);
  driver.memory.add(*pointer, bytes, entry.context->device,
                    Allocation::Kind::Device, false);
  ++driver.counts["allocations"];
  return Success;
}

static Allocation *allocationAt(Driver &driver, Pointer pointer,
                                Allocation::Kind kind) {
  Allocation *allocation = driver.memory.find(pointer);
  return allocation && allocation->base == pointer && allocation->kind == kind
             ? allocation
             : nullptr;
}

static void release(Driver &driver, Pointer pointer) {
  Allocation *allocation =
      allocationAt(driver, pointer, Allocation::Kind::Device);
  if (!allocation)
    return;
  driver.memoryUsed -= allocation->bytes;
  driver.memory.remove(pointer);
  free(reinterpret_cast<void *>(pointer));
}

CELL_DRIVER_API int cuMemAlloc_v2(Pointer *pointer, size_t bytes) {
  CELL_ENTER();
  return allocate(entry, pointer, bytes);
}

CELL_DRIVER_API int cuMemFree_v2(Pointer pointer) {
  CELL_ENTER();
  if (!pointer)
    return Success;
  if (!allocationAt(entry.driver, pointer, Allocation::Kind::Device))
    return entry.driver.fail(InvalidValue, "free of what is not allocated");
  Result result = entry.driver.wait(*entry.context);
  release(entry.driver, pointer);
  return result;
}

CELL_DRIVER_API int cuMemAllocAsync(Pointer *pointer, size_t bytes,
                                    void *handle) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  if (stream->capture) {
    stream->capture->invalid = true;
    return entry.driver.fail(NotSupported,
                             "allocations in graphs are not emulated");
  }
  ++entry.driver.counts["async_allocations"];
  return allocate(entry, pointer, bytes);
}

CELL_DRIVER_API int cuMemFreeAsync(Pointer pointer, void *handle) {
  CELL_ENTER();
  if (!pointer)
    return Success;
  Driver &driver = entry.driver;
  if (!allocationAt(driver, pointer, Allocation::Kind::Device))
    return driver.fail(InvalidValue, "free of what is not allocated");
  Operation operation;
  operation.run = [&driver, pointer] { release(driver, pointer); };
  return driver.enqueue(handle, std::move(operation));
}

CELL_DRIVER_API int cuMemAllocHost_v2(void **pointer, size_t bytes) {
  CELL_ENTER();
  if (bytes == 0 || posix_memalign(pointer, 64, bytes) != 0)
    return entry.driver.fail(bytes ? OutOfMemory : InvalidValue,
                             "pinned memory of " + std::to_string(bytes) +
                                 " bytes");
  entry.driver.memory.add(reinterpret_cast<Pointer>(*pointer), bytes,
                          entry.context->device, Allocation::Kind::Host, true);
  return Success;
}

CELL_DRIVER_API int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  return cuMemAllocHost_v2(pointer, bytes);
}

CELL_DRIVER_API int cuMemFreeHost(void *pointer) {
  CELL_ENTER();
  auto address = reinterpret_cast<Pointer>(pointer);
  if (!allocationAt(entry.driver, address, Allocation::Kind::Host))
    return entry.driver.fail(InvalidValue, "free of what is not allocated");
  Result result = entry.driver.wait(*entry.context);
  entry.driver.memory.remove(address);
  free(pointer);
  return result;
}

CELL_DRIVER_API int cuMemGetInfo_v2(size_t *left, size_t *total) {
  CELL_ENTER();
  *total = entry.driver.memoryLimit;
  *left = entry.driver.memoryLimit - entry.driver.memoryUsed;
  return Success;
}

CELL_DRIVER_API int cuMemGetAddressRange_v2(Pointer *base, size_t *bytes,
                                            Pointer pointer) {
  CELL_ENTER();
  Allocation *allocation = entry.driver.memory.find(pointer);
  if (!allocation)
    return entry.driver.fail(NotFound, "not in any allocation");
  if (base)
    *base = allocation->base;
  if (bytes)
    *bytes = allocation->bytes;
  return Success;
}

CELL_DRIVER_API int cuPointerGetAttribute(void *value, int attribute,
                                          Pointer pointer) {
  CELL_ENTER(false);
  Driver &driver = entry.driver;
  Allocation *allocation = driver.memory.find(pointer);
  if (!allocation)
    return driver.fail(InvalidValue, "memory that the driver does not know");
  bool isHost = allocation->kind == Allocation::Kind::Host;
  switch (attribute) {
  case 1: // context
    *static_cast<void **>(value) =
        driver.contexts[static_cast<size_t>(allocation->device)].get();
    return Success;
  case 2: // kind of memory
    *static_cast<unsigned *>(value) = isHost ? 1 : 2;
    return Success;
  case 3: // address for the device, and for the host
    *static_cast<Pointer *>(value) = pointer;
    return Success;
  case 4:
    if (!isHost)
      return driver.fail(InvalidValue, "memory of the device");
    *static_cast<Pointer *>(value) = pointer;
    return Success;
  case 8: // managed
    *static_cast<unsigned *>(value) = 0;
    return Success;
  case 9: // ordinal of the device
    *static_cast<int *>(value) = allocation->device;
    return Success;
  case 11: // the range that holds it
    *static_cast<Pointer *>(value) = allocation->base;
    return Success;
  case 12:
    *static_cast<size_t *>(value) = allocation->bytes;
    return Success;
  default:
    return driver.fail(InvalidValue, "attribute " + std::to_string(attribute) +
                                         " of pointers is not emulated");
  }
}

//===----------------------------------------------------------------------===//
// Pools: one a device, and only its existence is emulated
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuDeviceGetDefaultMemPool(void **pool, int device) {
  CELL_ENTER(false);
  if (device < 0 || device >= static_cast<int>(entry.driver.contexts.size()))
    return entry.driver.fail(InvalidDevice, "no such device");
  *pool = entry.driver.contexts[static_cast<size_t>(device)].get();
  return Success;
}

CELL_DRIVER_API int cuDeviceGetMemPool(void **pool, int device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}

CELL_DRIVER_API int cuMemPoolSetAttribute(void *, int, void *) {
  CELL_ENTER(false);
  return Success;
}

CELL_DRIVER_API int cuMemPoolTrimTo(void *, size_t) {
  CELL_ENTER(false);
  return Success;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The allocation that holds all these bytes; else null, and the failure.
static Allocation *rangeOf(Driver &driver, Pointer pointer, size_t bytes,
                           const char *what) {
  Allocation *allocation = driver.memory.find(pointer, bytes);
  if (!allocation) {
    std::string why = std::string(what) + " of " + std::to_string(bytes) +
                      " bytes goes beyond an allocation";
    if (Allocation *near = driver.memory.nearest(pointer))
      why += "; the nearest has " + std::to_string(near->bytes) +
             " bytes, from " + std::to_string(pointer - near->base) +
             " before it";
    driver.fail(InvalidValue, why);
  }
  return allocation;
}

static void markWritten(Driver &driver, Pointer pointer, size_t bytes) {
  Allocation *allocation = driver.memory.find(pointer, bytes);
  if (allocation && bytes)
    allocation->shadow.setWriter(pointer - allocation->base, bytes, ptx::kHost);
}

static bool isWritten(Driver &driver, Pointer pointer, size_t bytes) {
  Allocation *allocation = driver.memory.find(pointer, bytes);
  return !allocation || !bytes ||
         allocation->shadow.isWritten(pointer - allocation->base, bytes);
}

/// Checks again when the copy runs: the memory may be gone by then.
static bool isThere(Driver &driver, Context &context, Pointer pointer,
                    size_t bytes, const char *what) {
  if (rangeOf(driver, pointer, bytes, what))
    return true;
  driver.failContext(context, IllegalAddress,
                     std::string(what) + ": its memory has been freed");
  return false;
}

static Result toDevice(Entry &entry, Pointer to, const void *from, size_t bytes,
                       void *handle) {
  Driver &driver = entry.driver;
  if (bytes == 0)
    return Success;
  if (!rangeOf(driver, to, bytes, "the target of a copy to the device"))
    return InvalidValue;
  auto stream = driver.streamOf(handle);
  if (!stream)
    return driver.fail(InvalidHandle, "this is no stream");
  // Memory that is not pinned is copied before the call returns; of pinned
  // memory what it holds later is copied.
  bool isPinned =
      driver.memory.find(reinterpret_cast<Pointer>(from)) != nullptr;
  std::shared_ptr<std::vector<char>> staged;
  if (!isPinned && !stream->capture) {
    auto *begin = static_cast<const char *>(from);
    staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
  }
  Context *context = entry.context;
  Operation operation;
  operation.kind = Operation::Kind::Copy;
  operation.run = [&driver, context, to, from, bytes, staged] {
    if (!isThere(driver, *context, to, bytes, "copy to the device"))
      return;
    memcpy(reinterpret_cast<void *>(to), staged ? staged->data() : from, bytes);
    markWritten(driver, to, bytes);
    ++driver.counts["copies_to_device"];
    driver.counts["bytes_to_device"] += bytes;
  };
  return driver.enqueue(stream, std::move(operation));
}

static Result toHost(Entry &entry, void *to, Pointer from, size_t bytes,
                     void *handle) {
  Driver &driver = entry.driver;
  if (bytes == 0)
    return Success;
  if (!rangeOf(driver, from, bytes, "the source of a copy to the host"))
    return InvalidValue;
  Context *context = entry.context;
  Operation operation;
  operation.kind = Operation::Kind::Copy;
  operation.run = [&driver, context, to, from, bytes] {
    if (!isThere(driver, *context, from, bytes, "copy to the host"))
      return;
    if (!isWritten(driver, from, bytes))
      ++driver.counts["copies_of_unwritten"];
    memcpy(to, reinterpret_cast<void *>(from), bytes);
    ++driver.counts["copies_to_host"];
    driver.counts["bytes_to_host"] += bytes;
  };
  return driver.enqueue(handle, std::move(operation));
}

static Result betweenDevices(Entry &entry, Pointer to, Pointer from,
                             size_t bytes, void *handle) {
  Driver &driver = entry.driver;
  if (bytes == 0)
    return Success;
  if (!rangeOf(driver, to, bytes, "the target of a copy") ||
      !rangeOf(driver, from, bytes, "the source of a copy"))
    return InvalidValue;
  Context *context = entry.context;
  Operation operation;
  operation.kind = Operation::Kind::Copy;
  operation.run = [&driver, context, to, from, bytes] {
    if (!isThere(driver, *context, to, bytes, "copy on the device") ||
        !isThere(driver, *context, from, bytes, "copy on the device"))
      return;
    if (to < from + bytes && from < to + bytes)
      return driver.failContext(*context, InvalidValue,
                                "source and target of a copy overlap");
    memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    if (isWritten(driver, from, bytes)) {
      markWritten(driver, to, bytes);
    } else {
      for (size_t n = 0; n < bytes; ++n)
        if (isWritten(driver, from + n, 1))
          markWritten(driver, to + n, 1);
    }
    ++driver.counts["copies_on_device"];
    driver.counts["bytes_on_device"] += bytes;
  };
  return driver.enqueue(handle, std::move(operation));
}

static Result fill(Entry &entry, Pointer to, uint32_t value, size_t size,
                   size_t count, void *handle) {
  Driver &driver = entry.driver;
  size_t bytes = size * count;
  if (bytes == 0)
    return Success;
  if (to % size != 0 || !rangeOf(driver, to, bytes, "a fill"))
    return InvalidValue;
  Context *context = entry.context;
  Operation operation;
  operation.kind = Operation::Kind::Set;
  operation.run = [&driver, context, to, value, size, bytes] {
    if (!isThere(driver, *context, to, bytes, "fill"))
      return;
    for (size_t at = 0; at < bytes; at += size)
      memcpy(reinterpret_cast<char *>(to) + at, &value, size);
    markWritten(driver, to, bytes);
    ++driver.counts["fills"];
    driver.counts["bytes_filled"] += bytes;
  };
  return driver.enqueue(handle, std::move(operation));
}

CELL_DRIVER_API int cuMemcpyHtoDAsync_v2(Pointer to, const void *from,
                                         size_t bytes, void *stream) {
  CELL_ENTER();
  return toDevice(entry, to, from, bytes, stream);
}

CELL_DRIVER_API int cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t bytes,
                                         void *stream) {
  CELL_ENTER();
  return toHost(entry, to, from, bytes, stream);
}

CELL_DRIVER_API int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes,
                                         void *stream) {
  CELL_ENTER();
  return betweenDevices(entry, to, from, bytes, stream);
}

CELL_DRIVER_API int cuMemcpyPeerAsync(Pointer to, void *, Pointer from, void *,
                                      size_t bytes, void *stream) {
  CELL_ENTER();
  return betweenDevices(entry, to, from, bytes, stream);
}

/// What a call that waits returns, when `result` came from enqueueing: it waits
/// for the legacy stream, not for streams that are apart from it.
static Result waited(Entry &entry, Result result) {
  if (result != Success)
    return result;
  entry.driver.runUpTo(*entry.context->legacy, entry.driver.tickets);
  return entry.context->error;
}

CELL_DRIVER_API int cuMemcpyHtoD_v2(Pointer to, const void *from,
                                    size_t bytes) {
  CELL_ENTER();
  return waited(entry, toDevice(entry, to, from, bytes, nullptr));
}

CELL_DRIVER_API int cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  CELL_ENTER();
  return waited(entry, toHost(entry, to, from, bytes, nullptr));
}

CELL_DRIVER_API int cuMemcpyDtoD_v2(Pointer to, Pointer from, size_t bytes) {
  CELL_ENTER();
  return betweenDevices(entry, to, from, bytes, nullptr);
}

CELL_DRIVER_API int cuMemsetD8Async(Pointer to, unsigned char value,
                                    size_t count, void *stream) {
  CELL_ENTER();
  return fill(entry, to, value, 1, count, stream);
}

CELL_DRIVER_API int cuMemsetD16Async(Pointer to, unsigned short value,
                                     size_t count, void *stream) {
  CELL_ENTER();
  return fill(entry, to, value, 2, count, stream);
}

CELL_DRIVER_API int cuMemsetD32Async(Pointer to, unsigned value, size_t count,
                                     void *stream) {
  CELL_ENTER();
  return fill(entry, to, value, 4, count, stream);
}

CELL_DRIVER_API int cuMemsetD8_v2(Pointer to, unsigned char value,
                                  size_t count) {
  CELL_ENTER();
  return fill(entry, to, value, 1, count, nullptr);
}

CELL_DRIVER_API int cuMemsetD32_v2(Pointer to, unsigned value, size_t count) {
  CELL_ENTER();
  return fill(entry, to, value, 4, count, nullptr);
}

//===----------------------------------------------------------------------===//
// For libraries that compute on emulated devices
//===----------------------------------------------------------------------===//

/// Whether these bytes are within an allocation; before they are read (0), that
/// they have been written; before they are written (1), notes that.
CELL_DRIVER_API int cellEmuAccess(Pointer pointer, uint64_t bytes, int writes) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  if (!rangeOf(driver, pointer, bytes, "the access of a library"))
    return 0;
  if (writes == 0)
    return isWritten(driver, pointer, bytes);
  if (writes == 1)
    markWritten(driver, pointer, bytes);
  return 1;
}

/// What is enqueued in the current context fails, as by a kernel.
CELL_DRIVER_API void cellEmuFail(const char *why) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  if (Context *context = currentContext())
    driver.failContext(*context, LaunchFailed, why);
}
