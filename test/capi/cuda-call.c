// Calls with host and with device pointers: what they compute, what waits for
// what, and what is left when any call of the driver fails.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -D_POSIX_C_SOURCE=200809L -shared -fPIC -I%root %S/Inputs/fake-cuda.c -o %t/fake.so -pthread
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%S %s %runtime/cuda/*.c %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/run
// RUN: %t/run %t/fake.so

#include "Inputs/cuda-model.h"

#include <pthread.h>

static const float start[N] = {1, 2, 3, 4, 5}, x[N] = {0.5f, 1, 0, 2, 8},
                   bad[N] = {1, 1, -1, 1, 1};

// Whether `steps` updates with x were made.
static int updated(const float *w, int steps) {
  for (int i = 0; i < N; ++i)
    if (w[i] != start[i] - (float)steps * 2 * x[i])
      return 0;
  return 1;
}

static cg_context with(cg_cuda *cuda, CUstream stream) {
  return (cg_context){
      .struct_size = sizeof(cg_context), .cuda = cuda, .stream = stream};
}

static void host(void) {
  float w[N], y[N] = {0};
  cg_cuda *cuda = open_device();
  cg_context context = with(cuda, NULL);
  memcpy(w, start, sizeof w);
  int waits = fake_count("cuStreamSynchronize");
  for (int step = 1; step < 9; ++step) {
    EXPECT(step_host(w, x, y, &context) == CG_OK);
    EXPECT(updated(w, step) && y[4] == 2 * x[4]);
    EXPECT(fake_count("cuStreamSynchronize") == waits + 2 * step);
    EXPECT(strcmp(cell_rt_cuda_message(cuda), "") == 0);
  }
  EXPECT(fake_count("cuMemAllocAsync") == 1 && fake.shared == 0);
  // A check that fails leaves no trace in the calls after it.
  float before[N];
  memcpy(before, w, sizeof w);
  waits = fake_count("cuStreamSynchronize");
  EXPECT(step_host(w, bad, y, &context) == NEGATIVE);
  EXPECT(fake_count("cuStreamSynchronize") == waits + 1);
  EXPECT(memcmp(before, w, sizeof w) == 0);
  EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, 9));
  cell_rt_cuda_close(cuda);
}

static void device(void) {
  float w[N], y[N], other[N];
  cg_cuda *cuda = open_device();
  cg_context context = with(cuda, NULL);
  _Alignas(256) char arena[ARENA];
  context.arena = arena;
  context.arena_bytes = sizeof arena;
  memcpy(w, start, sizeof w);
  uint64_t at = (uintptr_t)w, to = (uintptr_t)y;
  long waits = fake_count("cuStreamSynchronize");
  for (int step = 0; step < 5; ++step)
    EXPECT(step_device(at, (uintptr_t)x, to, &context) == CG_OK);
  EXPECT(fake_count("cuStreamSynchronize") == waits && updated(w, 0));
  EXPECT(fake_count("cuMemAllocAsync") == 0);
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK && updated(w, 5));
  // After a check that fails nothing is updated until someone waits.
  EXPECT(step_device(at, (uintptr_t)x, to, &context) == CG_OK);
  EXPECT(step_device(at, (uintptr_t)bad, to, &context) == CG_OK);
  EXPECT(step_device(at, (uintptr_t)x, to, &context) == CG_OK);
  EXPECT(cell_rt_cuda_wait(&context, &program) == NEGATIVE && updated(w, 6));
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
  EXPECT(step_device(at, (uintptr_t)x, to, &context) == CG_OK);
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK && updated(w, 7));
  // A call with host pointers hears of it, too.
  EXPECT(step_device(at, (uintptr_t)bad, to, &context) == CG_OK);
  memcpy(other, start, sizeof other);
  EXPECT(step_host(other, x, y, &context) == NEGATIVE && updated(other, 0));
  EXPECT(step_host(other, x, y, &context) == CG_OK && updated(other, 1));
  cell_rt_cuda_close(cuda);
}

// Calls of one handle are in order on two streams, of which one is waited for.
static void streams(void) {
  float w[N], y[N];
  cg_cuda *cuda = open_device();
  CUcontext primary;
  CUstream a, b;
  struct cell_rt_cuda_call call;
  EXPECT(cuDevicePrimaryCtxRetain(&primary, 0) == CUDA_SUCCESS);
  EXPECT(cuCtxPushCurrent_v2(primary) == CUDA_SUCCESS);
  EXPECT(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  EXPECT(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  memcpy(w, start, sizeof w);
  cg_context on_a = with(cuda, a), on_b = with(cuda, b);
  for (int step = 0; step < 10; step += 2) {
    EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &on_a) ==
           CG_OK);
    EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &on_b) ==
           CG_OK);
  }
  EXPECT(updated(w, 0));
  EXPECT(cell_rt_cuda_wait(&on_b, &program) == CG_OK && updated(w, 10));
  // Also where that cannot be told to the device.
  fake.log[0] = 0;
  EXPECT(cell_rt_cuda_enter(&on_a, &program, ARENA, &call) == CG_OK);
  EXPECT(step_list(&call, (const uint64_t[]){(uintptr_t)w, (uintptr_t)x,
                                             (uintptr_t)y}) == CG_OK);
  fake.fail_at = fake.calls + 1;
  EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_ERROR_DEVICE);
  EXPECT(fake_count("cuEventRecord") == 1);
  EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &on_b) == CG_OK);
  EXPECT(cell_rt_cuda_wait(&on_b, &program) == CG_OK && updated(w, 12));
  // What was waited for needs no order.
  long ordered = fake_count("cuStreamWaitEvent");
  EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &on_a) == CG_OK);
  EXPECT(fake_count("cuStreamWaitEvent") == ordered);
  cell_rt_cuda_close(cuda); // it waits
  EXPECT(updated(w, 13));
  EXPECT(cuStreamDestroy_v2(a) == CUDA_SUCCESS);
  EXPECT(cuStreamDestroy_v2(b) == CUDA_SUCCESS);
  EXPECT(cuCtxPopCurrent_v2(&primary) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
}

static void contexts(void) {
  float w[N], y[N];
  _Alignas(256) char arena[ARENA + 256];
  struct cell_rt_cuda_program another = program;
  struct cell_rt_cuda_call call;
  cg_cuda *cuda = open_device();
  cg_context context = with(cuda, NULL);
  memcpy(w, start, sizeof w);
  EXPECT(step_host(w, x, y, NULL) == CG_ERROR_CONTEXT);
  context.struct_size = 40; // version 1
  EXPECT(step_host(w, x, y, &context) == CG_ERROR_CONTEXT);
  context.struct_size = sizeof context;
  context.cuda = NULL;
  EXPECT(step_host(w, x, y, &context) == CG_ERROR_CONTEXT);
  context.cuda = cuda;
  EXPECT(cell_rt_cuda_enter(&context, &another, 0, &call) == CG_ERROR_CONTEXT);
  EXPECT(cell_rt_cuda_wait(&context, &another) == CG_ERROR_CONTEXT);
  context.arena = arena;
  context.arena_bytes = ARENA - 1;
  EXPECT(step_host(w, x, y, &context) == CG_ERROR_ARENA);
  context.arena_bytes = ARENA + 1;
  for (int off = 1; off < 256; off *= 2) {
    context.arena = arena + off;
    EXPECT(step_host(w, x, y, &context) == CG_ERROR_ARENA);
  }
  EXPECT(updated(w, 0) && fake_depth() == 0);
  context.arena = arena + 256;
  context.arena_bytes = ARENA;
  EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, 1));
  EXPECT(fake_count("cuMemAllocAsync") == 0);
  // An arena of the handle's own grows, in the order of the streams.
  context.arena = NULL;
  EXPECT(cell_rt_cuda_enter(&context, &program, 64, &call) == CG_OK);
  EXPECT(call.arena % CG_CUDA_ARENA_ALIGNMENT == 0);
  EXPECT(cell_rt_cuda_enter(&context, &program, 64, &call) == CG_ERROR_BUSY);
  EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_OK);
  EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, 2));
  EXPECT(fake_count("cuMemAllocAsync") == 2 &&
         fake_count("cuMemFreeAsync") == 1);
  // What the caller has as current context stays that, device or not.
  fake.devices = 2;
  CUcontext mine = fake_context(1);
  EXPECT(cuCtxPushCurrent_v2(mine) == CUDA_SUCCESS);
  EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, 3));
  EXPECT(fake_depth() == 1 && fake_current() == mine);
  fake.fail_at = fake.calls + 5;
  EXPECT(step_host(w, x, y, &context) == CG_ERROR_DEVICE && updated(w, 3));
  EXPECT(fake_depth() == 1 && fake_current() == mine);
  cell_rt_cuda_close(cuda);
  EXPECT(fake_depth() == 1 && fake_current() == mine);
  EXPECT(cuCtxPopCurrent_v2(&mine) == CUDA_SUCCESS);
}

// Every call of the driver fails once. `form`: host pointers, or device
// pointers and a wait.
static void failures(int form) {
  float w[N], y[N];
  for (long n = 1;; ++n)
    for (int warm = 0; warm < 4; ++warm) {
      fake_reset();
      cg_cuda *cuda = open_device();
      cg_context context = with(cuda, NULL);
      memcpy(w, start, sizeof w);
      for (int i = 0; i < warm; ++i) // at the third it becomes a graph
        EXPECT(form ? step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y,
                                  &context) == CG_OK
                    : step_host(w, x, y, &context) == CG_OK);
      EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
      fake.log[0] = 0;
      fake.fail_at = fake.calls + n;
      int32_t status =
          form ? step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &context)
               : step_host(w, x, y, &context);
      if (form && status == CG_OK)
        status = cell_rt_cuda_wait(&context, &program);
      const char *words = cell_rt_cuda_message(cuda);
      int over = fake.calls < fake.fail_at;
      fake.fail_at = 0;
      EXPECT(fake_depth() == 0);
      // A graph that cannot be made is none; nothing else is hidden.
      int graphs = fake_count("cuStreamBeginCapture_v2");
      EXPECT(status == (over ? CG_OK : CG_ERROR_DEVICE) ||
             (graphs && status == CG_OK));
      EXPECT(status == CG_OK ||
             strstr(words, "a made up error (CUDA_ERROR_FAKE, 999)"));
      // Nothing of the call is left that would use the caller's memory.
      float now[N];
      memcpy(now, w, sizeof w);
      int copied = fake_count("cuMemcpyDtoHAsync_v2") > 2; // all but the end
      EXPECT(form || updated(w, warm + (status == CG_OK)) ||
             (copied && updated(w, warm + 1)));
      EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
      EXPECT(form || memcmp(now, w, sizeof w) == 0);
      // The next call is as any other.
      memcpy(w, start, sizeof w);
      EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, 1));
      cell_rt_cuda_close(cuda);
      EXPECT(fake_open() == 0 && host_blocks == 0);
      if (over && warm == 3) {
        EXPECT(n > 8);
        return;
      }
    }
}

// Host memory that cannot be had: the words of a list are then not kept.
static void hostMemory(void) {
  float w[N], y[N];
  fake_reset();
  cg_cuda *cuda = open_device();
  cg_context context = with(cuda, NULL);
  memcpy(w, start, sizeof w);
  for (int step = 1; step < 9; ++step) {
    host_left = step < 5 ? 0 : -1;
    EXPECT(step_host(w, x, y, &context) == CG_OK && updated(w, step));
  }
  EXPECT(fake.replays == 2);
  cell_rt_cuda_close(cuda);
}

static cg_cuda *shared;
static int refused;
static void *calls(void *own) {
  float w[N], y[N];
  cg_cuda *cuda = own ? open_device() : shared;
  cg_context context = with(cuda, NULL);
  memcpy(w, start, sizeof w);
  for (int step = 0; step < 200;) {
    int32_t status = step_host(w, x, y, &context);
    EXPECT(status == CG_OK || (!own && status == CG_ERROR_BUSY));
    step += status == CG_OK;
    __atomic_fetch_add(&refused, status != CG_OK, __ATOMIC_RELAXED);
    EXPECT(updated(w, step));
  }
  if (own)
    cell_rt_cuda_close(cuda);
  return NULL;
}

static void threads(void) {
  for (int own = 0; own < 2; ++own) {
    fake_reset();
    pthread_t other;
    shared = open_device();
    EXPECT(pthread_create(&other, NULL, calls, own ? &other : NULL) == 0);
    calls(own ? &other : NULL);
    pthread_join(other, NULL);
    cell_rt_cuda_close(shared);
    EXPECT(fake_open() == 0);
  }
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  setenv("CELLGRAD_CUDA_DRIVER", argv[1], 1);
  void (*const parts[])(void) = {host, device, streams, contexts, hostMemory};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    fake_reset();
    parts[i]();
    EXPECT(fake_open() == 0 && host_blocks == 0 && fake_depth() == 0);
  }
  failures(0);
  failures(1);
  threads();
  return 0;
}
