/*===- device.c - devices are opened and closed ---------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/cuda/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kSharedByDefault = 48 << 10, /* bytes a block may have without asking */
  kLog = 1024                  /* bytes of the driver's compiler's words */
};

void *cell_rt_cuda_zeros(uint64_t bytes) {
  uint64_t size = (bytes + 63) / 64 * 64;
  void *memory = aligned_alloc(64, size ? size : 64);
  if (memory)
    memset(memory, 0, size);
  return memory;
}

/* Fails with the words `what` where `call` does. */
#define TRY(call, what)                                                        \
  do {                                                                         \
    CUresult result_ = (call);                                                 \
    if (result_ != CUDA_SUCCESS)                                               \
      return cell_rt_cuda_failed(cuda, result_, what, kNoKernel);              \
  } while (0)

/* The current context if it is of the device, else the primary one. */
static int32_t findContext(cg_cuda *cuda) {
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  CUcontext current = 0;
  CUdevice device;
  TRY(d->cuCtxGetCurrent(&current), "asking for the current CUDA context");
  if (current) {
    TRY(d->cuCtxGetDevice(&device), "asking for the device of the context");
    if (device == cuda->device.device) {
      cuda->context = current;
      return CG_OK;
    }
  }
  TRY(d->cuDevicePrimaryCtxRetain(&cuda->context, cuda->device.device),
      "the primary CUDA context");
  cuda->retained = 1;
  return CG_OK;
}

/* How well code fits a chip; 0: not at all. */
static uint32_t rank(const struct cell_rt_cuda_image *image, uint32_t chip) {
  if (image->kind == CELL_RT_CUDA_PTX)
    return image->chip <= chip ? 2 * image->chip : 0;
  return image->chip == chip ? 2 * chip + 1 : 0;
}

/* The best machine code, or the best text, for a chip; NULL: there is none. */
static const struct cell_rt_cuda_image *
best(const struct cell_rt_cuda_program *program, uint32_t chip, int machine) {
  const struct cell_rt_cuda_image *found = 0;
  for (uint32_t i = 0; i < program->image_count; ++i) {
    const struct cell_rt_cuda_image *image = &program->images[i];
    if ((image->kind == CELL_RT_CUDA_CUBIN) == machine &&
        rank(image, chip) > (found ? rank(found, chip) : 0))
      found = image;
  }
  return found;
}

static int32_t loadImage(cg_cuda *cuda,
                         const struct cell_rt_cuda_image *image) {
  char log[kLog] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  CUresult result = cuda->driver.cuModuleLoadDataEx(&cuda->module, image->data,
                                                    2, options, values);
  if (result == CUDA_SUCCESS)
    return CG_OK;
  char what[256];
  int version = 0;
  cuda->module = 0;
  cuda->driver.cuDriverGetVersion(&version);
  snprintf(what, sizeof what,
           "loading the %s for sm_%u on %s (sm_%u, driver of CUDA %d.%d)",
           image->kind == CELL_RT_CUDA_CUBIN ? "machine code" : "PTX",
           image->chip, cuda->device.name, cuda->device.chip, version / 1000,
           version % 1000 / 10);
  int32_t status = cell_rt_cuda_failed(cuda, result, what, kNoKernel);
  size_t length = strlen(cuda->message);
  log[sizeof log - 1] = 0;
  if (*log)
    snprintf(cuda->message + length, sizeof cuda->message - length, ":\n%s",
             log);
  return status;
}

/* Says which chips the model has code for. */
static int32_t lacksCode(cg_cuda *cuda) {
  const struct cell_rt_cuda_program *program = cuda->program;
  char *text = cuda->message;
  size_t size = sizeof cuda->message;
  size_t length = (size_t)snprintf(text, size,
                                   "the model has no code for %s (sm_%u): "
                                   "compile it for that chip; it has code for",
                                   cuda->device.name, cuda->device.chip);
  for (uint32_t i = 0; i < program->image_count && length < size; ++i) {
    const struct cell_rt_cuda_image *image = &program->images[i];
    length += (size_t)snprintf(
        text + length, size - length, "%s sm_%u%s", i ? "," : "", image->chip,
        image->kind == CELL_RT_CUDA_PTX ? " and later" : " alone");
  }
  return CG_ERROR_NO_DEVICE;
}

/* Loads the best code that the driver takes. */
static int32_t loadModule(cg_cuda *cuda) {
  const struct cell_rt_cuda_program *program = cuda->program;
  uint32_t chip = cuda->device.chip;
  const struct cell_rt_cuda_image *cubin = best(program, chip, 1);
  const struct cell_rt_cuda_image *text = best(program, chip, 0);
  if (!text && !cubin)
    return lacksCode(cuda);
  /* Machine code of a newer compiler may be more than the driver knows. */
  if (cubin) {
    int32_t status = loadImage(cuda, cubin);
    if (status == CG_OK || !text)
      return status;
  }
  return loadImage(cuda, text);
}

static int32_t findKernels(cg_cuda *cuda) {
  const struct cell_rt_cuda_program *program = cuda->program;
  cuda->functions = (CUfunction *)cell_rt_cuda_zeros(program->kernel_count *
                                                     sizeof *cuda->functions);
  cuda->slots = (struct slot *)cell_rt_cuda_zeros(program->slot_count *
                                                  sizeof *cuda->slots);
  if (!cuda->functions || !cuda->slots) {
    snprintf(cuda->message, sizeof cuda->message, "out of memory");
    return CG_ERROR_ALLOCATION;
  }
  for (uint32_t i = 0; i < program->kernel_count; ++i) {
    const struct cell_rt_cuda_kernel *kernel = &program->kernels[i];
    CUresult result = cuda->driver.cuModuleGetFunction(
        &cuda->functions[i], cuda->module, kernel->name);
    if (result != CUDA_SUCCESS)
      return cell_rt_cuda_failed(cuda, result, "loading", (int32_t)i);
    if (kernel->shared <= kSharedByDefault)
      continue;
    result = cuda->driver.cuFuncSetAttribute(
        cuda->functions[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        (int)kernel->shared);
    if (result != CUDA_SUCCESS) {
      char what[64];
      snprintf(what, sizeof what, "%u bytes of shared memory for a block",
               kernel->shared);
      return cell_rt_cuda_failed(cuda, result, what, (int32_t)i);
    }
  }
  return CG_OK;
}

/* What calls need; the context is current. */
static int32_t prepare(cg_cuda *cuda) {
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  int32_t status = loadModule(cuda);
  if (status == CG_OK)
    status = findKernels(cuda);
  if (status != CG_OK)
    return status;
  TRY(d->cuStreamCreate(&cuda->own, CU_STREAM_NON_BLOCKING), "a stream");
  TRY(d->cuEventCreate(&cuda->last, CU_EVENT_DISABLE_TIMING), "an event");
  TRY(d->cuMemAllocHost_v2(&cuda->page, kPage), "page-locked memory");
  TRY(d->cuMemAlloc_v2(&cuda->status, sizeof(int32_t)), "memory for checks");
  TRY(d->cuMemsetD32Async(cuda->status, 0, 1, cuda->own), "memory for checks");
  TRY(d->cuStreamSynchronize(cuda->own), "memory for checks");
  return CG_OK;
}

/* Frees all that the handle has in its context, which is current. */
static void release(cg_cuda *cuda) {
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  /* What still runs uses what is freed. */
  if (cuda->recorded)
    d->cuEventSynchronize(cuda->last);
  if (cuda->own)
    d->cuStreamSynchronize(cuda->own);
  for (uint32_t i = 0; cuda->slots && i < cuda->program->slot_count; ++i)
    if (cuda->slots[i].graph)
      d->cuGraphExecDestroy(cuda->slots[i].graph);
  cell_rt_cuda_close_transfers(cuda);
  if (cuda->arena)
    d->cuMemFree_v2(cuda->arena);
  if (cuda->status)
    d->cuMemFree_v2(cuda->status);
  if (cuda->page)
    d->cuMemFreeHost(cuda->page);
  if (cuda->last)
    d->cuEventDestroy_v2(cuda->last);
  if (cuda->own)
    d->cuStreamDestroy_v2(cuda->own);
  if (cuda->module)
    d->cuModuleUnload(cuda->module);
}

void cell_rt_cuda_close(cg_cuda *cuda) {
  if (!cuda)
    return;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  /* What belongs to a context that the caller has destroyed went with it. */
  if (cuda->context && d->cuCtxPushCurrent_v2(cuda->context) == CUDA_SUCCESS) {
    CUcontext popped;
    release(cuda);
    d->cuCtxPopCurrent_v2(&popped);
  }
  if (cuda->retained)
    d->cuDevicePrimaryCtxRelease_v2(cuda->device.device);
  cell_rt_cuda_unload_driver(&cuda->driver);
  for (uint32_t i = 0; cuda->slots && i < cuda->program->slot_count; ++i)
    free(cuda->slots[i].words);
  free(cuda->slots);
  free(cuda->functions);
  free(cuda->host);
  free(cuda);
}

/* Opens what of the handle is not open. */
static int32_t start(cg_cuda *cuda, int32_t device) {
  int32_t status = cell_rt_cuda_load_driver(&cuda->driver, cuda->message,
                                            sizeof cuda->message);
  if (status == CG_OK)
    status = cell_rt_cuda_find_device(&cuda->driver, device, &cuda->device,
                                      cuda->message, sizeof cuda->message);
  if (status == CG_OK)
    status = findContext(cuda);
  if (status != CG_OK)
    return status;
  CUcontext popped;
  TRY(cuda->driver.cuCtxPushCurrent_v2(cuda->context), "the CUDA context");
  status = prepare(cuda);
  CUresult left = cuda->driver.cuCtxPopCurrent_v2(&popped);
  if (status == CG_OK && left != CUDA_SUCCESS)
    status =
        cell_rt_cuda_failed(cuda, left, "leaving the CUDA context", kNoKernel);
  return status;
}

int32_t cell_rt_cuda_open(const struct cell_rt_cuda_program *program,
                          int32_t device, cg_cuda **out, char *message,
                          uint64_t size) {
  *out = 0;
  if (!message)
    size = 0;
  cg_cuda *cuda = (cg_cuda *)cell_rt_cuda_zeros(sizeof *cuda);
  if (!cuda) {
    snprintf(message, size, "out of memory");
    return CG_ERROR_ALLOCATION;
  }
  const char *wait = secure_getenv("CELLGRAD_CUDA_SYNC");
  cuda->program = program;
  cuda->first = kNoKernel;
  cuda->wait = wait && *wait && strcmp(wait, "0") != 0;
  int32_t status = start(cuda, device);
  if (status != CG_OK) {
    snprintf(message, size, "%s", cuda->message);
    cell_rt_cuda_close(cuda);
    return status;
  }
  cuda->message[0] = 0;
  *out = cuda;
  return CG_OK;
}
