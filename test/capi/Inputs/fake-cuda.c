// See fake-cuda.h. A stream runs only when someone waits for it, alone but for
// the events it waits for: what was not ordered or not waited for shows.
#include "fake-cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kStreams = 16, kDevices = 4, kDepth = 8, kArguments = 8 };

struct CUctx_st {
  int device, retained;
};
struct CUmod_st {
  char text[512];
  struct CUfunc_st {
    int kernel;
    unsigned shared;
  } functions[8];
};
typedef struct op {
  struct op *next;
  enum { kLaunch, kCopy, kFill, kFree, kWait } kind;
  int kernel;
  void *to;
  const void *from;
  size_t count, size;
  unsigned value;
  CUstream stream; // that is waited for, until `count` are done
  uint64_t arguments[kArguments];
} op;
struct CUgraph_st {
  op *first, **end;
};
struct CUgraphExec_st {
  op *first;
};
struct CUstream_st {
  int live;
  op *first, **end;
  size_t enqueued, done;
  CUgraph capture; // NULL: not captured
};
struct CUevent_st {
  CUstream stream;
  size_t upto;
  int captured; // into a graph: no work outside of it can wait for it
};

fake_state fake;
static struct CUctx_st primary[kDevices], own[kDevices];
static struct CUstream_st streams[kStreams]; // the first is the legacy one
static _Thread_local CUcontext stack[kDepth];
static _Thread_local int depth;
static CUresult fault;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Notes the call; whether it is to fail.
static int fails(const char *name) {
  size_t length = strlen(fake.log);
  if (length + strlen(name) + 2 < sizeof fake.log)
    snprintf(fake.log + length, sizeof fake.log - length, "%s ", name);
  return ++fake.calls == fake.fail_at;
}
static CUresult leave(CUresult result) {
  pthread_mutex_unlock(&mutex);
  return result;
}
#define BEGIN                                                                  \
  pthread_mutex_lock(&mutex);                                                  \
  if (fails(__func__))                                                         \
  return leave(fake.fail_with)
#define BEGIN_IN_CONTEXT                                                       \
  BEGIN;                                                                       \
  if (!depth || fault)                                                         \
  return leave(depth ? fault : 201)
// What gives something back does so also if it fails.
#define BEGIN_END                                                              \
  pthread_mutex_lock(&mutex);                                                  \
  CUresult result_ = fails(__func__) ? fake.fail_with : fault
#define END return leave(result_)
#define OK return leave(CUDA_SUCCESS)

static const char *const kernels[] = {"axpy", "check", "update", "halve",
                                      "fault"};
static const int arguments[] = {4, 4, 4, 2, 0};
static const int sizes[][4] = {
    {8, 8, 4, 4}, {8, 8, 4, 4}, {8, 8, 8, 4}, {8, 8}};

static void launch(const op *o) {
  const uint64_t *a = o->arguments;
  void *first = (void *)(uintptr_t)a[0], *second = (void *)(uintptr_t)a[1];
  uint32_t n = (uint32_t)a[o->kernel == 1 ? 2 : 3];
  switch (o->kernel) {
  case 0: {
    float scale;
    memcpy(&scale, &a[2], sizeof scale);
    for (uint32_t i = 0; i < n; ++i)
      ((float *)first)[i] += scale * ((const float *)second)[i];
    return;
  }
  case 1:
    for (uint32_t i = 0; i < n; ++i)
      if (((const float *)second)[i] < 0 && !*(int32_t *)first)
        *(int32_t *)first = (int32_t)a[3];
    return;
  case 2:
    for (uint32_t i = 0; i < n && !*(const int32_t *)first; ++i)
      ((float *)second)[i] -= ((const float *)(uintptr_t)a[2])[i];
    return;
  case 3:
    *(uint8_t *)second = (*(float *)first /= 2) > 1;
    return;
  default:
    fault = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
}

static void runUntil(CUstream s, size_t done);
static void run(const op *o) {
  if (o->kind == kWait)
    runUntil(o->stream, o->count);
  else if (o->kind == kFree)
    free(o->to);
  else if (fault)
    return;
  else if (o->kind == kLaunch)
    launch(o);
  else if (o->kind == kCopy)
    memmove(o->to, o->from, o->count);
  else
    for (size_t i = 0; i < o->count; ++i)
      memcpy((char *)o->to + i * o->size, &o->value, o->size);
}
static void runUntil(CUstream s, size_t done) {
  while (s->first && s->done < done) {
    op *o = s->first;
    s->first = o->next;
    if (!s->first)
      s->end = &s->first;
    ++s->done;
    run(o);
    free(o);
  }
}
static CUstream of(CUstream s) {
  if (!s)
    s = &streams[0];
  if (!s->end)
    s->end = &s->first;
  return s;
}
static void enqueue(CUstream s, op o) {
  s = of(s);
  op *copy = malloc(sizeof o);
  *copy = o;
  copy->next = NULL;
  op ***end = s->capture ? &s->capture->end : &s->end;
  **end = copy;
  *end = &copy->next;
  s->enqueued += !s->capture;
}
static op *copyOps(const op *from) {
  op *first = NULL;
  for (op **end = &first; from; from = from->next, end = &(*end)->next) {
    *end = malloc(sizeof *from);
    **end = *from;
    (*end)->next = NULL;
  }
  return first;
}
static void freeOps(op *o) {
  while (o) {
    op *next = o->next;
    free(o);
    o = next;
  }
}

CUresult cuInit(unsigned flags) {
  BEGIN;
  return leave(flags ? 1 : fake.devices ? 0 : CUDA_ERROR_NO_DEVICE);
}
CUresult cuDriverGetVersion(int *version) {
  BEGIN;
  *version = 12040;
  OK;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = NULL;
  if (fake.speechless)
    return 1;
  *name = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                              : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **words) {
  *words = NULL;
  if (fake.speechless)
    return 1;
  *words = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access"
                                               : "a made up error";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  BEGIN;
  *count = fake.devices;
  OK;
}
CUresult cuDeviceGet(CUdevice *device, int number) {
  BEGIN;
  *device = number;
  OK;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  BEGIN;
  snprintf(name, (size_t)size, "fake device %d", device);
  OK;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  BEGIN;
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? fake.chip / 10
               : fake.chip % 10;
  OK;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  BEGIN;
  *context = &primary[device];
  primary[device].device = device;
  ++primary[device].retained;
  ++fake.contexts;
  OK;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  BEGIN_END;
  --primary[device].retained;
  --fake.contexts;
  END;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  BEGIN;
  *context = fake_current();
  OK;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  BEGIN;
  *device = fake_current()->device;
  OK;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  BEGIN;
  if (depth == kDepth)
    return leave(1);
  stack[depth++] = context;
  OK;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  BEGIN_END;
  *context = stack[--depth];
  END;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  BEGIN_IN_CONTEXT;
  if (atoi((const char *)image + strlen("sm_")) > fake.newest) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        snprintf(values[i], (size_t)(uintptr_t)values[i + 1],
                 "ptxas: line 1: too new");
    return leave(218);
  }
  *module = calloc(1, sizeof **module);
  snprintf((*module)->text, sizeof(*module)->text, "%s ", (const char *)image);
  ++fake.modules;
  OK;
}
CUresult cuModuleUnload(CUmodule module) {
  BEGIN_END;
  free(module);
  --fake.modules;
  END;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  BEGIN_IN_CONTEXT;
  char word[64];
  snprintf(word, sizeof word, " %s ", name);
  for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); ++i)
    if (strcmp(name, kernels[i]) == 0 && strstr(module->text, word)) {
      *function = &module->functions[i];
      **function = (struct CUfunc_st){i, 48 << 10};
      OK;
    }
  return leave(500);
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  BEGIN_IN_CONTEXT;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value > 227 << 10)
    return leave(1);
  function->shared = (unsigned)value;
  OK;
}

// What starts at a multiple of 256 and no other does.
static void *take(size_t size, long *count) {
  void *memory = NULL;
  if (size == 0 || size > (size_t)1 << 40 || posix_memalign(&memory, 256, size))
    return NULL;
  memset(memory, 0xab, size);
  ++*count;
  return memory;
}
CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t size) {
  BEGIN_IN_CONTEXT;
  *out = (uintptr_t)take(size, &fake.memory);
  return leave(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream) {
  BEGIN_IN_CONTEXT;
  if (of(stream)->capture)
    return leave(900);
  *out = (uintptr_t)take(size, &fake.memory);
  return leave(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  BEGIN_END;
  free((void *)(uintptr_t)memory);
  --fake.memory;
  END;
}
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream) {
  BEGIN_END;
  enqueue(stream, (op){.kind = kFree, .to = (void *)(uintptr_t)memory});
  --fake.memory;
  END;
}
CUresult cuMemAllocHost_v2(void **out, size_t size) {
  BEGIN_IN_CONTEXT;
  *out = take(size, &fake.pinned);
  return leave(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
CUresult cuMemFreeHost(void *memory) {
  BEGIN_END;
  free(memory);
  --fake.pinned;
  END;
}
static CUresult copy(void *to, const void *from, size_t count, CUstream s) {
  enqueue(s, (op){.kind = kCopy, .to = to, .from = from, .count = count});
  OK;
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t count,
                              CUstream stream) {
  BEGIN_IN_CONTEXT;
  return copy((void *)(uintptr_t)to, from, count, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t count,
                              CUstream stream) {
  BEGIN_IN_CONTEXT;
  return copy(to, (void *)(uintptr_t)from, count, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t count,
                              CUstream stream) {
  BEGIN_IN_CONTEXT;
  return copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, count, stream);
}
static CUresult fill(CUdeviceptr to, unsigned value, size_t size, size_t count,
                     CUstream stream) {
  enqueue(stream, (op){.kind = kFill,
                       .to = (void *)(uintptr_t)to,
                       .value = value,
                       .size = size,
                       .count = count});
  OK;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  BEGIN_IN_CONTEXT;
  return fill(to, value, 1, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  BEGIN_IN_CONTEXT;
  return fill(to, value, 2, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  BEGIN_IN_CONTEXT;
  return fill(to, value, 4, count, stream);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  BEGIN_IN_CONTEXT;
  int i = 1;
  while (i < kStreams && streams[i].live)
    ++i;
  if (i == kStreams || flags != CU_STREAM_NON_BLOCKING)
    return leave(1);
  streams[i].live = 1;
  *stream = &streams[i];
  ++fake.streams;
  OK;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  BEGIN_END;
  runUntil(of(stream), stream->enqueued);
  stream->live = 0;
  --fake.streams;
  END;
}
CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN_IN_CONTEXT;
  if (of(stream)->capture)
    return leave(900);
  runUntil(of(stream), of(stream)->enqueued);
  return leave(fault);
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  BEGIN_IN_CONTEXT;
  if (of(stream)->capture || event->captured || flags)
    return leave(905);
  if (event->stream)
    enqueue(stream,
            (op){.kind = kWait, .stream = event->stream, .count = event->upto});
  OK;
}
CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  BEGIN_IN_CONTEXT;
  *status = of(stream)->capture != NULL;
  OK;
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  BEGIN_IN_CONTEXT;
  if (!stream || stream->capture || mode != CU_STREAM_CAPTURE_MODE_RELAXED)
    return leave(900);
  stream->capture = calloc(1, sizeof *stream->capture);
  stream->capture->end = &stream->capture->first;
  ++fake.graphs;
  OK;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  pthread_mutex_lock(&mutex);
  // A capture that fails has ended as well.
  *graph = stream->capture;
  stream->capture = NULL;
  if (!fails(__func__))
    OK;
  freeOps((*graph)->first);
  free(*graph);
  *graph = NULL;
  --fake.graphs;
  return leave(fake.fail_with);
}
CUresult cuEventCreate(CUevent *event, unsigned flags) {
  BEGIN_IN_CONTEXT;
  if (flags != CU_EVENT_DISABLE_TIMING)
    return leave(1);
  *event = calloc(1, sizeof **event);
  ++fake.events;
  OK;
}
CUresult cuEventDestroy_v2(CUevent event) {
  BEGIN_END;
  free(event);
  --fake.events;
  END;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  BEGIN_IN_CONTEXT;
  event->stream = of(stream);
  event->upto = event->stream->enqueued;
  event->captured = event->stream->capture != NULL;
  OK;
}
CUresult cuEventSynchronize(CUevent event) {
  BEGIN_IN_CONTEXT;
  if (event->stream)
    runUntil(event->stream, event->upto);
  return leave(fault);
}
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **values,
                        void **extra) {
  BEGIN_IN_CONTEXT;
  if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > 1024 || extra ||
      shared > function->shared)
    return leave(1);
  op o = {.kind = kLaunch, .kernel = function->kernel};
  for (int i = 0; i < arguments[o.kernel]; ++i)
    memcpy(&o.arguments[i], values[i], (size_t)sizes[o.kernel][i]);
  fake.shared = shared;
  enqueue(stream, o);
  OK;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  BEGIN_IN_CONTEXT;
  if (flags)
    return leave(1);
  *exec = calloc(1, sizeof **exec);
  (*exec)->first = copyOps(graph->first);
  ++fake.graphs;
  OK;
}
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  BEGIN_IN_CONTEXT;
  (void)info;
  if (fake.static_graphs)
    return leave(910);
  freeOps(exec->first);
  exec->first = copyOps(graph->first);
  OK;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  BEGIN_IN_CONTEXT;
  ++fake.replays;
  for (const op *o = exec->first; o; o = o->next)
    enqueue(stream, *o);
  OK;
}
CUresult cuGraphDestroy(CUgraph graph) {
  BEGIN_END;
  freeOps(graph->first);
  free(graph);
  --fake.graphs;
  END;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  BEGIN_END;
  freeOps(exec->first);
  free(exec);
  --fake.graphs;
  END;
}

void fake_reset(void) {
  memset(&fake, 0, sizeof fake);
  fault = CUDA_SUCCESS;
  fake.fail_with = 999;
  fake.devices = 1;
  fake.chip = fake.newest = 90;
}
long fake_open(void) {
  return fake.contexts + fake.modules + fake.streams + fake.events +
         fake.memory + fake.pinned + fake.graphs;
}
int fake_count(const char *function) {
  int count = 0;
  char word[64];
  snprintf(word, sizeof word, "%s ", function);
  for (const char *at = fake.log; (at = strstr(at, word)); at += strlen(word))
    ++count;
  return count;
}
CUcontext fake_context(int device) {
  own[device].device = device;
  return &own[device];
}
CUcontext fake_current(void) { return depth ? stack[depth - 1] : NULL; }
int fake_depth(void) { return depth; }
