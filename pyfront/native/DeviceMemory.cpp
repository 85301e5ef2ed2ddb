//===- DeviceMemory.cpp - memory of CUDA devices --------------------------===//

#include "pyfront/native/DeviceMemory.h"
#include "pyfront/native/HostMemory.h"
#include "pyfront/native/MemoryPool.h"

extern "C" {
#include "runtime/cellgrad_abi.h"
#include "runtime/cuda/driver.h"
}

#include <map>

using namespace cellgrad::python;

namespace {
constexpr size_t kAlignment = 256;
/// Bytes that a device keeps for reuse.
constexpr size_t kKeepAtMost = size_t(1) << 30;

Device::Transfers counted;

/// The driver, loaded once; throws DeviceError where there is none.
const cell_rt_cuda_driver &driver() {
  static const cell_rt_cuda_driver *loaded = [] {
    auto *made = new cell_rt_cuda_driver{};
    char message[512] = "";
    if (cell_rt_cuda_load_driver(made, message, sizeof message) != CG_OK) {
      delete made;
      throw DeviceError(message);
    }
    return made;
  }();
  return *loaded;
}

void check(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS)
    return;
  const char *name, *words;
  cell_rt_cuda_words(&driver(), result, &name, &words);
  throw DeviceError(what + " failed: " + words + " (" + name + ", " +
                    std::to_string(result) + ")");
}

/// Makes a context current, and again the one that was.
class Current {
public:
  explicit Current(CUcontext context) {
    check(driver().cuCtxPushCurrent_v2(context), "the CUDA context");
  }
  ~Current() {
    CUcontext popped;
    driver().cuCtxPopCurrent_v2(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
};
} // namespace

struct Device::State {
  CUcontext context = nullptr;
  MemoryPool<CUdeviceptr, kAlignment> pool{kKeepAtMost};
  CUdeviceptr scratch = 0;
  size_t scratchBytes = 0;
  bool scratchIsUsed = false;

  /// Frees all kept blocks; false if there were none.
  bool dropKept() {
    return pool.drop([](CUdeviceptr block) { driver().cuMemFree_v2(block); });
  }
};

const Device::Transfers &Device::transfers() { return counted; }

Device &Device::get(int32_t ordinal) {
  // Never destroyed: the driver may be gone when the process ends.
  static auto *devices = new std::map<int32_t, std::unique_ptr<Device>>;
  std::unique_ptr<Device> &found = (*devices)[ordinal];
  if (!found)
    found.reset(new Device(ordinal));
  return *found;
}

Device::Device(int32_t ordinal)
    : state(std::make_unique<State>()), number(ordinal) {
  cell_rt_cuda_device found;
  char message[512] = "";
  if (cell_rt_cuda_find_device(&driver(), ordinal, &found, message,
                               sizeof message) != CG_OK)
    throw DeviceError(message);
  title = found.name;
  version = found.chip;
  check(driver().cuDevicePrimaryCtxRetain(&state->context, found.device),
        "the primary CUDA context");
}

uint64_t Device::allocate(size_t bytes) {
  size_t size = state->pool.sizeFor(bytes);
  if (std::optional<CUdeviceptr> block = state->pool.take(size))
    return *block;
  Current current(state->context);
  CUdeviceptr memory = 0;
  CUresult result = driver().cuMemAlloc_v2(&memory, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && state->dropKept())
    result = driver().cuMemAlloc_v2(&memory, size);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw HostMemoryError(
        "out of memory on CUDA device " + std::to_string(number) + ": " +
        std::to_string(bytes) + " bytes could not be allocated");
  check(result, "allocating memory of the device");
  return memory;
}

Device::Scratch::Scratch(Device &device, size_t bytes)
    : device(device), bytes(bytes), isShared(!device.state->scratchIsUsed) {
  State &state = *device.state;
  if (!isShared) {
    memory = device.allocate(bytes);
    return;
  }
  if (bytes > state.scratchBytes) {
    if (state.scratchBytes)
      device.release(state.scratch, state.scratchBytes);
    state.scratchBytes = 0;
    state.scratch = device.allocate(bytes);
    state.scratchBytes = bytes;
  }
  memory = state.scratch;
  state.scratchIsUsed = true;
}

Device::Scratch::~Scratch() {
  if (isShared)
    device.state->scratchIsUsed = false;
  else
    device.release(memory, bytes);
}

void Device::release(uint64_t memory, size_t bytes) noexcept {
  if (state->pool.keep(memory, state->pool.sizeFor(bytes)))
    return;
  try {
    Current current(state->context);
    driver().cuMemFree_v2(memory); // waits for what is enqueued
  } catch (const std::exception &) {
    // The process ends, or has lost the device: so has the memory.
  }
}

void Device::upload(uint64_t to, const void *from, size_t bytes) {
  if (!bytes)
    return;
  Current current(state->context);
  check(driver().cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr),
        "a copy to the device");
  check(driver().cuStreamSynchronize(nullptr), "a copy to the device");
  ++counted.uploads;
  counted.uploadedBytes += bytes;
}

void Device::download(void *to, uint64_t from, size_t bytes) {
  if (!bytes)
    return;
  Current current(state->context);
  check(driver().cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr),
        "a copy from the device");
  check(driver().cuStreamSynchronize(nullptr), "a copy from the device");
  ++counted.downloads;
  counted.downloadedBytes += bytes;
}

void Device::copy(uint64_t to, uint64_t from, size_t bytes) {
  if (!bytes)
    return;
  Current current(state->context);
  check(driver().cuMemcpyDtoDAsync_v2(to, from, bytes, nullptr),
        "a copy on the device");
}

void Device::orderBefore(uint64_t stream) {
  Current current(state->context);
  CUevent event = nullptr;
  check(driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "an event");
  CUresult result = driver().cuEventRecord(event, nullptr);
  if (result == CUDA_SUCCESS)
    result = driver().cuStreamWaitEvent(reinterpret_cast<CUstream>(stream),
                                        event, 0);
  driver().cuEventDestroy_v2(event); // when it has been reached
  check(result, "ordering a stream of the caller's after the work so far");
}

void Device::with(llvm::function_ref<void()> what) {
  Current current(state->context);
  what();
}

void Device::finish() noexcept {
  try {
    Current current(state->context);
    driver().cuStreamSynchronize(nullptr);
  } catch (const std::exception &) {
    // The process ends, or has lost the device: nothing runs there.
  }
}
