//===- DeviceMemory.cpp - memory of CUDA devices --------------------------===//

#include "pyfront/native/DeviceMemory.h"
#include "pyfront/native/HostMemory.h"

extern "C" {
#include "runtime/cellgrad_abi.h"
#include "runtime/cuda/driver.h"
}

#include <map>
#include <unordered_map>
#include <vector>

using namespace cellgrad::python;

namespace {
constexpr size_t kAlignment = 256;
/// Bytes that a device keeps for reuse.
constexpr size_t kKeepAtMost = size_t(1) << 30;

Device::Transfers counted;

/// Sizes that share blocks: steps of an eighth of the next lower power of two.
size_t sizeClass(size_t bytes) {
  size_t step = kAlignment;
  while (bytes >= 16 * step)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

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
  const char *name = nullptr, *words = nullptr;
  driver().cuGetErrorName(result, &name);
  driver().cuGetErrorString(result, &words);
  throw DeviceError(what + " failed: " + (words ? words : "unknown error") +
                    " (" + (name ? name : std::to_string(result).c_str()) +
                    ")");
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
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::unordered_map<size_t, std::vector<CUdeviceptr>> blocks;
  size_t kept = 0;
  CUdeviceptr scratch = 0;
  size_t scratchBytes = 0;
  bool scratchIsUsed = false;

  /// Frees all kept blocks; false if there were none.
  bool dropKept() {
    bool any = kept != 0;
    for (auto &[size, of] : blocks)
      for (CUdeviceptr block : of)
        driver().cuMemFree_v2(block);
    blocks.clear();
    kept = 0;
    return any;
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
  const cell_rt_cuda_driver &d = driver();
  int count = 0, major = 0, minor = 0;
  CUresult started = d.cuInit(0);
  if (started != CUDA_ERROR_NO_DEVICE) {
    check(started, "starting CUDA");
    check(d.cuDeviceGetCount(&count), "counting CUDA devices");
  }
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError("no CUDA device " + std::to_string(ordinal) +
                      ": the number of devices is " + std::to_string(count) +
                      ", the first is 0");
  check(d.cuDeviceGet(&state->device, ordinal), "finding the CUDA device");
  char text[256] = "";
  check(d.cuDeviceGetName(text, sizeof text - 1, state->device),
        "the name of the CUDA device");
  title = text;
  check(d.cuDeviceGetAttribute(&major,
                               CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                               state->device),
        "the chip of the CUDA device");
  check(d.cuDeviceGetAttribute(&minor,
                               CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                               state->device),
        "the chip of the CUDA device");
  version = static_cast<uint32_t>(10 * major + minor);
  check(d.cuDevicePrimaryCtxRetain(&state->context, state->device),
        "the primary CUDA context");
}

uint64_t Device::allocate(size_t bytes) {
  size_t size = sizeClass(bytes ? bytes : 1);
  auto found = state->blocks.find(size);
  if (found != state->blocks.end() && !found->second.empty()) {
    CUdeviceptr block = found->second.back();
    found->second.pop_back();
    state->kept -= size;
    return block;
  }
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
  size_t size = sizeClass(bytes ? bytes : 1);
  try {
    if (state->kept + size <= kKeepAtMost) {
      state->blocks[size].push_back(memory);
      state->kept += size;
      return;
    }
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
