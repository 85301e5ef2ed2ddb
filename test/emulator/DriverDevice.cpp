//===- DriverDevice.cpp - devices, contexts, errors, counters -------------===//

#include "Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace emu;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuInit(unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  return flags == 0 ? driver.initialize()
                    : driver.fail(InvalidValue, "cuInit takes no flags");
}

CELL_DRIVER_API int cuDriverGetVersion(int *version) {
  *version = 13000;
  return Success;
}

CELL_DRIVER_API int cuDeviceGetCount(int *count) {
  CELL_ENTER(false);
  *count = static_cast<int>(entry.driver.contexts.size());
  return Success;
}

CELL_DRIVER_API int cuDeviceGet(int *device, int ordinal) {
  CELL_ENTER(false);
  auto count = static_cast<int>(entry.driver.contexts.size());
  if (ordinal < 0 || ordinal >= count)
    return entry.driver.fail(InvalidDevice, "device " +
                                                std::to_string(ordinal) +
                                                " of " + std::to_string(count));
  *device = ordinal;
  return Success;
}

static bool isDevice(const Driver &driver, int device) {
  return device >= 0 && device < static_cast<int>(driver.contexts.size());
}

CELL_DRIVER_API int cuDeviceGetName(char *name, int bytes, int device) {
  CELL_ENTER(false);
  if (!isDevice(entry.driver, device) || bytes <= 0)
    return entry.driver.fail(InvalidDevice, "no such device");
  snprintf(name, static_cast<size_t>(bytes), "PTX emulator (%s)",
           entry.driver.chipName.c_str());
  return Success;
}

CELL_DRIVER_API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  CELL_ENTER(false);
  if (!isDevice(entry.driver, device))
    return entry.driver.fail(InvalidDevice, "no such device");
  *bytes = entry.driver.memoryLimit;
  return Success;
}

CELL_DRIVER_API int cuDeviceGetAttribute(int *value, int attribute,
                                         int device) {
  CELL_ENTER(false);
  Driver &driver = entry.driver;
  if (!isDevice(driver, device))
    return driver.fail(InvalidDevice, "no such device");
  const std::map<int, int> values = {
      {1, 1024}, // threads of a block
      {2, 1024}, // and its sizes
      {3, 1024},
      {4, 64},
      {5, 0x7fffffff}, // sizes of a grid
      {6, 65535},
      {7, 65535},
      {8, 48 << 10},    // shared memory of a block
      {9, 64 << 10},    // constant memory
      {10, 32},         // lanes of a warp
      {11, 0x7fffffff}, // pitch
      {12, 65536},      // registers of a block
      {13, 1980000},    // clock, kHz
      {14, 512},        // alignment of textures
      {16, 16},         // multiprocessors
      {17, 0},          // limit of a kernel's time
      {18, 0},          // integrated
      {19, 1},          // maps memory of the host
      {20, 0},          // compute mode
      {31, 1},          // concurrent kernels
      {33, device},     // bus
      {34, 0},          // place on the bus
      {36, 2619000},    // clock of the memory, kHz
      {37, 5120},       // bits of its bus
      {38, 50 << 20},   // second level cache
      {39, 2048},       // threads of a multiprocessor
      {40, 3},          // copy engines
      {41, 1},          // unified addresses
      {75, static_cast<int>(driver.chip / 10)},
      {76, static_cast<int>(driver.chip % 10)},
      {81, static_cast<int>(driver.sharedLimit() + 1024)},
      {82, 65536}, // registers of a multiprocessor
      {83, 0},     // managed memory
      {95, 0},     // cooperative launches
      {97, static_cast<int>(driver.sharedLimit())},
      {106, 32},   // blocks of a multiprocessor
      {111, 1024}, // shared memory that the system takes
      {115, 1},    // memory pools
  };
  auto found = values.find(attribute);
  if (found == values.end())
    return driver.fail(InvalidValue, "attribute " + std::to_string(attribute) +
                                         " of devices is not emulated");
  *value = found->second;
  return Success;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuDevicePrimaryCtxRetain(void **context, int device) {
  CELL_ENTER(false);
  if (!isDevice(entry.driver, device))
    return entry.driver.fail(InvalidDevice, "no such device");
  Context &primary = *entry.driver.contexts[static_cast<size_t>(device)];
  ++primary.references;
  *context = &primary;
  return Success;
}

static void reset(Context &context) {
  for (auto &stream : context.streams)
    stream->queue.clear();
  context.error = Success;
  context.message.clear();
}

CELL_DRIVER_API int cuDevicePrimaryCtxRelease_v2(int device) {
  CELL_ENTER(false);
  if (!isDevice(entry.driver, device))
    return entry.driver.fail(InvalidDevice, "no such device");
  Context &primary = *entry.driver.contexts[static_cast<size_t>(device)];
  if (primary.references == 0)
    return entry.driver.fail(InvalidContext, "it has been released");
  if (--primary.references == 0) {
    entry.driver.runAll(primary);
    reset(primary);
  }
  return Success;
}

CELL_DRIVER_API int cuDevicePrimaryCtxReset_v2(int device) {
  CELL_ENTER(false);
  if (!isDevice(entry.driver, device))
    return entry.driver.fail(InvalidDevice, "no such device");
  reset(*entry.driver.contexts[static_cast<size_t>(device)]);
  return Success;
}

static Context *contextOf(Driver &driver, void *handle) {
  for (auto &context : driver.contexts)
    if (context.get() == handle && context->references > 0)
      return context.get();
  return nullptr;
}

CELL_DRIVER_API int cuCtxGetCurrent(void **context) {
  CELL_ENTER(false);
  *context = entry.context;
  return Success;
}

CELL_DRIVER_API int cuCtxSetCurrent(void *handle) {
  CELL_ENTER(false);
  Context *context = contextOf(entry.driver, handle);
  if (handle && !context)
    return entry.driver.fail(InvalidContext, "this is no context");
  auto &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return Success;
}

CELL_DRIVER_API int cuCtxPushCurrent_v2(void *handle) {
  CELL_ENTER(false);
  Context *context = contextOf(entry.driver, handle);
  if (!context)
    return entry.driver.fail(InvalidContext, "this is no context");
  contextStack().push_back(context);
  return Success;
}

CELL_DRIVER_API int cuCtxPopCurrent_v2(void **context) {
  CELL_ENTER(false);
  if (!entry.context)
    return entry.driver.fail(InvalidContext, "no context is current");
  if (context)
    *context = entry.context;
  contextStack().pop_back();
  return Success;
}

CELL_DRIVER_API int cuCtxGetDevice(int *device) {
  CELL_ENTER();
  *device = entry.context->device;
  return Success;
}

CELL_DRIVER_API int cuCtxSynchronize() {
  CELL_ENTER();
  for (auto &stream : entry.context->streams) {
    if (stream->capture) {
      stream->capture->invalid = true;
      return entry.driver.fail(CaptureUnsupported,
                               "a stream of this context is captured");
    }
  }
  return entry.driver.wait(*entry.context);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
struct ErrorWords {
  Result result;
  const char *name, *words;
};
} // namespace

static constexpr ErrorWords kErrors[] = {
    {Success, "CUDA_SUCCESS", "no error"},
    {InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {InvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {InvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {InvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {LaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {ContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
     "context is destroyed"},
    {IllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {MisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {CaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {CaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {CaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "dependency created on uncaptured work in another stream"},
    {GraphExecUpdateFailure, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which "
     "violated constraints specific to instantiated graph update"},
};

static const ErrorWords *findError(int result) {
  for (const ErrorWords &error : kErrors)
    if (error.result == result)
      return &error;
  return nullptr;
}

CELL_DRIVER_API int cuGetErrorName(int result, const char **name) {
  const ErrorWords *error = findError(result);
  *name = error ? error->name : nullptr;
  return error ? Success : InvalidValue;
}

/// The device's words and, if `result` is the last failure, what it was.
CELL_DRIVER_API int cuGetErrorString(int result, const char **words) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  static thread_local std::string text;
  const ErrorWords *error = findError(result);
  *words = nullptr;
  if (!error)
    return InvalidValue;
  text = error->words;
  Context *context = currentContext();
  if (result != Success && context && context->error == result)
    text += ": " + context->message;
  else if (result != Success && driver.lastResult == result)
    text += ": " + driver.lastError;
  *words = text.c_str();
  return Success;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// What happened since the last reset, by name; see docs/emulator.md.
CELL_DRIVER_API uint64_t cellEmuCounter(const char *name) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  const ptx::Counters &counters = driver.counters;
  const std::map<std::string, uint64_t> kernels = {
      {"instructions", counters.instructions},
      {"lane_instructions", counters.laneInstructions},
      {"barriers", counters.barriers},
      {"blocks", counters.blocks},
      {"bytes_loaded", counters.bytesLoaded},
      {"bytes_stored", counters.bytesStored},
      {"bytes_read", counters.bytesRead},
      {"bytes_written", counters.bytesWritten},
      {"memory_used", driver.memoryUsed},
      {"live_allocations", driver.memory.count()},
  };
  auto found = kernels.find(name);
  if (found != kernels.end())
    return found->second;
  auto counted = driver.counts.find(name);
  return counted == driver.counts.end() ? 0 : counted->second;
}

CELL_DRIVER_API void cellEmuReset() {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  driver.counters = ptx::Counters();
  driver.counts.clear();
  driver.launched.clear();
}
