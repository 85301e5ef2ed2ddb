//===- DriverLaunch.cpp - modules and launches ----------------------------===//

#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

using namespace emu;

using Pointer = unsigned long long;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Whether code for `target` runs on the chip: code for a lower one does; that
/// for "sm_90a" on sm_90 alone.
static bool runsHere(const Driver &driver, const std::string &target) {
  size_t digits = target.find_first_of("0123456789");
  if (digits == std::string::npos)
    return false;
  char *end = nullptr;
  unsigned long number = strtoul(target.c_str() + digits, &end, 10);
  return *end == 'a' ? number == driver.chip : number <= driver.chip;
}

/// Writes the text of a module to the folder CELL_EMU_PTX, once.
static void keep(const char *text) {
  const char *folder = getenv("CELL_EMU_PTX");
  if (!folder)
    return;
  char name[32];
  snprintf(name, sizeof(name), "/%016zx.ptx",
           std::hash<std::string_view>()(text));
  if (FILE *file = fopen((std::string(folder) + name).c_str(), "wx")) {
    fputs(text, file);
    fclose(file);
  }
}

static Result load(Entry &entry, void **handle, const void *image,
                   std::string &log) {
  Driver &driver = entry.driver;
  auto *text = static_cast<const char *>(image);
  uint32_t magic;
  memcpy(&magic, text, sizeof(magic));
  if (memcmp(text, "\177ELF", 4) == 0 || magic == 0xba55ed50)
    return driver.fail(NoBinaryForGpu, "the emulator takes PTX, no cubin");
  keep(text);
  auto module = std::make_unique<Module>();
  module->ptx = ptx::parse(text, log);
  if (!module->ptx)
    return driver.fail(InvalidPtx, log);
  if (!runsHere(driver, module->ptx->target)) {
    log = "PTX for " + module->ptx->target + " on " + driver.chipName;
    return driver.fail(NoBinaryForGpu, log);
  }
  module->context = entry.context;
  for (auto &variable : module->ptx->globals) {
    ptx::GlobalVariable &global = variable.second;
    driver.memory.add(reinterpret_cast<uint64_t>(global.data), global.bytes,
                      entry.context->device, ptx::Allocation::Kind::Variable,
                      true);
  }
  *handle = module.release();
  ++driver.counts["modules"];
  return Success;
}

CELL_DRIVER_API int cuModuleLoadData(void **module, const void *image) {
  CELL_ENTER();
  std::string log;
  return load(entry, module, image, log);
}

CELL_DRIVER_API int cuModuleLoadDataEx(void **module, const void *image,
                                       unsigned count, int *options,
                                       void **values) {
  CELL_ENTER();
  std::string log;
  Result result = load(entry, module, image, log);
  // CU_JIT_ERROR_LOG_BUFFER and its size, which becomes that of the text.
  char *buffer = nullptr;
  void **size = nullptr;
  for (unsigned n = 0; n < count; ++n) {
    if (options[n] == 5)
      buffer = static_cast<char *>(values[n]);
    if (options[n] == 6)
      size = &values[n];
  }
  if (buffer && size) {
    size_t room = reinterpret_cast<uintptr_t>(*size) & 0xffffffff;
    size_t length = room ? std::min(log.size(), room - 1) : 0;
    if (room) {
      memcpy(buffer, log.data(), length);
      buffer[length] = '\0';
    }
    *size = reinterpret_cast<void *>(length);
  }
  return result;
}

CELL_DRIVER_API int cuModuleUnload(void *handle) {
  CELL_ENTER();
  auto *module = static_cast<Module *>(handle);
  if (!module)
    return entry.driver.fail(InvalidHandle, "this is no module");
  Result result = entry.driver.wait(*entry.context);
  for (auto &variable : module->ptx->globals)
    entry.driver.memory.remove(
        reinterpret_cast<uint64_t>(variable.second.data));
  delete module;
  return result;
}

CELL_DRIVER_API int cuModuleGetFunction(void **function, void *handle,
                                        const char *name) {
  CELL_ENTER();
  auto *module = static_cast<Module *>(handle);
  auto kernel = module->ptx->kernels.find(name);
  if (kernel == module->ptx->kernels.end())
    return entry.driver.fail(NotFound, "no kernel '" + std::string(name) +
                                           "' in this module");
  auto &entryPoint = module->functions[name];
  if (!entryPoint) {
    entryPoint = std::make_unique<Function>();
    entryPoint->kernel = kernel->second.get();
    entryPoint->context = module->context;
    uint32_t used = kernel->second->sharedBytes;
    entryPoint->maxDynamic = used < 48u << 10 ? (48u << 10) - used : 0;
  }
  *function = entryPoint.get();
  return Success;
}

CELL_DRIVER_API int cuModuleGetGlobal_v2(Pointer *pointer, size_t *bytes,
                                         void *handle, const char *name) {
  CELL_ENTER();
  auto *module = static_cast<Module *>(handle);
  auto global = module->ptx->globals.find(name);
  if (global == module->ptx->globals.end())
    return entry.driver.fail(NotFound, "no variable '" + std::string(name) +
                                           "' in this module");
  if (pointer)
    *pointer = reinterpret_cast<Pointer>(global->second.data);
  if (bytes)
    *bytes = global->second.bytes;
  return Success;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuFuncSetAttribute(void *handle, int attribute, int value) {
  CELL_ENTER();
  auto *function = static_cast<Function *>(handle);
  if (attribute != 8 && attribute != 9)
    return entry.driver.fail(InvalidValue, "attribute " +
                                               std::to_string(attribute) +
                                               " of functions cannot be set");
  if (attribute == 9) // part of the cache that is shared memory: a hint
    return Success;
  uint32_t limit = entry.driver.sharedLimit();
  uint32_t fixed = function->kernel->sharedBytes;
  if (value < 0 || static_cast<uint32_t>(value) + fixed > limit)
    return entry.driver.fail(
        InvalidValue, function->kernel->name + ": " + std::to_string(value) +
                          " bytes of shared memory and " +
                          std::to_string(fixed) + " fixed ones, of " +
                          std::to_string(limit));
  function->maxDynamic = static_cast<uint32_t>(value);
  return Success;
}

CELL_DRIVER_API int cuFuncGetAttribute(int *value, int attribute,
                                       void *handle) {
  CELL_ENTER();
  auto *function = static_cast<Function *>(handle);
  const ptx::Kernel &kernel = *function->kernel;
  switch (attribute) {
  case 0:
    *value = static_cast<int>(kernel.maxThreads ? kernel.maxThreads : 1024);
    return Success;
  case 1:
    *value = static_cast<int>(kernel.sharedBytes);
    return Success;
  case 3:
    *value = static_cast<int>(kernel.localBytes);
    return Success;
  case 8:
    *value = static_cast<int>(function->maxDynamic);
    return Success;
  default:
    return entry.driver.fail(InvalidValue, "attribute " +
                                               std::to_string(attribute) +
                                               " of functions is not emulated");
  }
}

CELL_DRIVER_API int
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle,
                                            int threads, size_t dynamicShared) {
  CELL_ENTER();
  auto *function = static_cast<Function *>(handle);
  if (threads <= 0 || threads > 1024)
    return entry.driver.fail(InvalidValue, "blocks of 1 to 1024 threads");
  size_t shared = function->kernel->sharedBytes + dynamicShared + 1024;
  size_t most = (entry.driver.sharedLimit() + 1024) / shared;
  most = std::min<size_t>(most, 2048u / static_cast<unsigned>(threads));
  *blocks = static_cast<int>(std::min<size_t>(most, 32));
  return Success;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static Result resultOf(ptx::Fault fault) {
  switch (fault) {
  case ptx::Fault::None:
    return Success;
  case ptx::Fault::Address:
    return IllegalAddress;
  case ptx::Fault::Misaligned:
    return MisalignedAddress;
  case ptx::Fault::Trap:
    return IllegalInstruction;
  case ptx::Fault::Timeout:
    return LaunchTimeout;
  case ptx::Fault::Launch:
    return LaunchFailed;
  }
  return LaunchFailed;
}

/// What is wrong with the sizes of a launch; empty if nothing is.
static std::string wrongSize(const Function &function, const ptx::Dim3 &grid,
                             const ptx::Dim3 &block, uint32_t dynamicShared) {
  const ptx::Kernel &kernel = *function.kernel;
  if (grid.count() == 0 || block.count() == 0)
    return "a grid or block of nothing";
  if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return "the grid is too large";
  if (block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.count() > ptx::kMaxThreads)
    return "the block has more than 1024 threads, or 64 along z";
  if (kernel.maxThreads && block.count() > kernel.maxThreads)
    return std::to_string(block.count()) + " threads, but .maxntid is " +
           std::to_string(kernel.maxThreads);
  const uint32_t *required = kernel.required;
  if (required[0] && (block.x != required[0] || block.y != required[1] ||
                      block.z != required[2]))
    return "another block than .reqntid says";
  if (dynamicShared > function.maxDynamic)
    return std::to_string(dynamicShared) +
           " bytes of dynamic shared memory, but " +
           std::to_string(function.maxDynamic) +
           " are allowed (cuFuncSetAttribute)";
  return "";
}

static Result launch(Entry &entry, Function *function, const ptx::Dim3 &grid,
                     const ptx::Dim3 &block, uint32_t dynamicShared,
                     void *stream, void **params, void **extra) {
  Driver &driver = entry.driver;
  if (!function)
    return driver.fail(InvalidHandle, "this is no function");
  const ptx::Kernel &kernel = *function->kernel;
  if (function->context != entry.context)
    return driver.fail(InvalidContext,
                       kernel.name + " was loaded in another context");
  std::string wrong = wrongSize(*function, grid, block, dynamicShared);
  if (!wrong.empty())
    return driver.fail(InvalidValue, kernel.name + ": " + wrong);
  auto arguments = std::make_shared<std::vector<char>>(kernel.paramBytes + 16);
  if (params) {
    for (size_t n = 0; n < kernel.params.size(); ++n)
      memcpy(arguments->data() + kernel.params[n].offset, params[n],
             kernel.params[n].bytes);
  } else if (extra) { // pairs: 1 is the buffer, 2 points to its size
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra; extra += 2) {
      if (*extra == reinterpret_cast<void *>(1))
        buffer = extra[1];
      else
        size = *static_cast<size_t *>(extra[1]);
    }
    if (size < kernel.paramBytes)
      return driver.fail(InvalidValue, kernel.name + ": too few parameters");
    memcpy(arguments->data(), buffer, kernel.paramBytes);
  } else if (!kernel.params.empty()) {
    return driver.fail(InvalidValue, kernel.name + ": no parameters");
  }
  Context *context = entry.context;
  Operation operation;
  operation.kind = Operation::Kind::Kernel;
  operation.run = [=, &driver, &kernel] {
    ++driver.counts["launches"];
    driver.counts["launches_of_one_block"] +=
        uint64_t(grid.x) * grid.y * grid.z == 1;
    driver.counts["kernels"] += driver.launched.insert(&kernel).second;
    ptx::Launch launch;
    launch.kernel = &kernel;
    launch.grid = grid;
    launch.block = block;
    launch.params = arguments->data();
    launch.dynamicShared = dynamicShared;
    launch.device = context->device;
    launch.options = ptx::Options::fromEnvironment();
    ptx::Outcome outcome = ptx::run(launch, driver.memory, driver.counters);
    if (outcome.fault != ptx::Fault::None)
      driver.failContext(*context, resultOf(outcome.fault), outcome.message);
  };
  return driver.enqueue(stream, std::move(operation));
}

CELL_DRIVER_API int cuLaunchKernel(void *function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned dynamicShared,
                                   void *stream, void **params, void **extra) {
  CELL_ENTER();
  return launch(entry, static_cast<Function *>(function), {gridX, gridY, gridZ},
                {blockX, blockY, blockZ}, dynamicShared, stream, params, extra);
}

namespace {
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicShared;
  void *stream, *attributes;
  unsigned attributeCount;
};
} // namespace

CELL_DRIVER_API int cuLaunchKernelEx(const LaunchConfig *config, void *function,
                                     void **params, void **extra) {
  CELL_ENTER();
  if (config->attributeCount != 0)
    return entry.driver.fail(NotSupported,
                             "attributes of launches are not emulated");
  return launch(entry, static_cast<Function *>(function),
                {config->gridX, config->gridY, config->gridZ},
                {config->blockX, config->blockY, config->blockZ},
                config->dynamicShared, config->stream, params, extra);
}
