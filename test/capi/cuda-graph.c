// Lists of launches become graphs at the third call with the same pointers, and
// the caller captures calls into graphs of its own.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -D_POSIX_C_SOURCE=200809L -shared -fPIC -I%root %S/Inputs/fake-cuda.c -o %t/fake.so -pthread
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%S %s %runtime/cuda/*.c %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/run
// RUN: %t/run %t/fake.so

#include "Inputs/cuda-model.h"

static const float x[N] = {0.5f, 1, 0, 2, 8}, other[N] = {1, 2, 3, 4, 5};
static float w[N], y[N];
static cg_cuda *cuda;
static cg_context context;

static void begin(void) {
  fake_reset();
  memset(w, 0, sizeof w);
  cuda = open_device();
  context = (cg_context){.struct_size = sizeof context, .cuda = cuda};
}

static void end(void) {
  cell_rt_cuda_close(cuda);
  EXPECT(fake_open() == 0 && host_blocks == 0 && fake_depth() == 0);
}

static void step(const float *by) {
  EXPECT(step_device((uintptr_t)w, (uintptr_t)by, (uintptr_t)y, &context) ==
         CG_OK);
}

// Whether so many updates with each were made, and so many from a graph.
static void made(int line, int with_x, int with_other, long replays) {
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
  for (int i = 0; i < N; ++i)
    if (w[i] != -2 * (float)with_x * x[i] - 2 * (float)with_other * other[i] ||
        fake.replays != replays) {
      fprintf(stderr, "line %d: %g at %d, %ld replays\n", line, (double)w[i], i,
              fake.replays);
      exit(1);
    }
}
#define MADE(...) made(__LINE__, __VA_ARGS__)

static void pointers(void) {
  begin();
  step(x);
  step(x);
  MADE(2, 0, 0);
  EXPECT(fake_count("cuLaunchKernel") == 6);
  long memory = fake.memory, waits = fake_count("cuStreamSynchronize");
  step(x);
  EXPECT(fake.memory == memory && fake_count("cuStreamSynchronize") == waits);
  MADE(3, 0, 1);
  EXPECT(fake_count("cuGraphInstantiateWithFlags") == 1);
  step(x);
  step(x);
  MADE(5, 0, 3);
  EXPECT(fake_count("cuLaunchKernel") == 9); // three of them recorded
  // Others are captured again, and the graph changed.
  for (int i = 0; i < 4; ++i)
    step(other);
  MADE(5, 4, 5);
  EXPECT(fake_count("cuGraphInstantiateWithFlags") == 1);
  EXPECT(fake_count("cuGraphExecUpdate_v2") == 1);
  // Those that alternate are not worth it.
  for (int i = 0; i < 6; ++i)
    step(i % 2 ? other : x);
  MADE(8, 7, 5);
  // A graph that cannot be changed is made anew.
  fake.static_graphs = 1;
  for (int i = 0; i < 3; ++i)
    step(x);
  MADE(11, 7, 6);
  EXPECT(fake_count("cuGraphInstantiateWithFlags") == 2);
  EXPECT(fake_count("cuGraphExecDestroy") == 1);
  // A larger arena is another place for what the list keeps there.
  struct cell_rt_cuda_call call;
  EXPECT(cell_rt_cuda_enter(&context, &program, 2 * ARENA, &call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_OK);
  step(x);
  MADE(12, 7, 6);
  end();
}

// Each call of the driver fails in the call that captures, or changes, the
// graph: that computes the same, and so do the ones after it.
static void failures(int again) {
  for (long n = 1;; ++n) {
    begin();
    for (int i = 0; i < 3 * again; ++i)
      step(other);
    step(x);
    step(x);
    EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
    fake.log[0] = 0;
    fake.fail_at = fake.calls + n;
    int32_t status =
        step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &context);
    int over = fake.calls < fake.fail_at;
    fake.fail_at = 0;
    int done = 3;
    if (status != CG_OK) {
      EXPECT(strstr(cell_rt_cuda_message(cuda), "a made up error"));
      // What failed at the end of the call has been done.
      done = fake_count("cuGraphLaunch") && fake_count("cuEventRecord") ? 3 : 2;
    }
    EXPECT(fake_depth() == 0);
    EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
    long replays = fake.replays;
    step(x);
    step(x);
    EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
    MADE(done + 2, 3 * again, fake.replays);
    EXPECT(!over || fake.replays == replays + 2);
    end();
    if (over) {
      EXPECT(n > 10);
      return;
    }
  }
}

// An error of the list itself, while it is captured, is the call's.
static int32_t wrong(struct cell_rt_cuda_call *call, const uint64_t *words) {
  (void)words;
  return cell_rt_cuda_launch(call, FAULT, one, warp, 64 << 10, NULL);
}

static int32_t reads(struct cell_rt_cuda_call *call, const uint64_t *words) {
  int32_t value;
  (void)words;
  return cell_rt_cuda_read(call, &value, call->status, sizeof value);
}

static void wrongLists(void) {
  struct cell_rt_cuda_call call;
  begin();
  for (int i = 0; i < 5; ++i) {
    EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
    int32_t status = cell_rt_cuda_run(&call, 1, wrong, NULL, 0);
    EXPECT(cell_rt_cuda_leave(&call, status) == CG_ERROR_DEVICE);
    EXPECT(strstr(cell_rt_cuda_message(cuda), "launch of kernel \"fault\""));
  }
  for (int i = 0; i < 3; ++i) {
    const uint64_t words[] = {1};
    EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
    int32_t status = cell_rt_cuda_run(&call, 1, reads, words, 1);
    EXPECT(cell_rt_cuda_leave(&call, status) ==
           (i < 2 ? CG_OK : CG_ERROR_DEVICE));
  }
  EXPECT(strstr(cell_rt_cuda_message(cuda),
                "reading a value from the device cannot be part of a graph"));
  EXPECT(fake.replays == 0 && fake.graphs == 0);
  end();
}

static int32_t halves(struct cell_rt_cuda_call *call, const uint64_t *words) {
  uint64_t at = words[0], to = words[1];
  return cell_rt_cuda_launch(call, HALVE, one, warp, 0, (void *[]){&at, &to});
}

// A fault after a graph: that one's first kernel is named, or what was launched
// before it, also in the call that captures it.
static void faults(int before, int calls, const char *named) {
  static float value = 64;
  static uint8_t more;
  const uint64_t words[] = {(uintptr_t)&value, (uintptr_t)&more};
  struct cell_rt_cuda_call call;
  begin();
  for (int i = 1; i <= calls; ++i) {
    EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
    if (before)
      step(i % 2 ? x : other);
    EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
    EXPECT(cell_rt_cuda_run(&call, 1, halves, words, 2) == CG_OK);
    if (i == calls)
      EXPECT(cell_rt_cuda_launch(&call, FAULT, one, warp, 0, NULL) == CG_OK);
    EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_OK);
  }
  EXPECT(fake.replays == calls - 2);
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_ERROR_DEVICE);
  EXPECT(strstr(cell_rt_cuda_message(cuda), named));
  end();
}

static void refused(void) {
  begin();
  for (int i = 0; i < 3; ++i)
    step(x);
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_OK);
  fake.fail_at = fake.calls + 2;
  EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &context) ==
         CG_ERROR_DEVICE);
  EXPECT(strcmp(cell_rt_cuda_message(cuda),
                "launch of a graph that begins with that of kernel \"axpy\" "
                "(net.py:3): a made up error (CUDA_ERROR_FAKE, 999)") == 0);
  end();
}

// Nothing is captured where every launch is waited for.
static void waited(void) {
  setenv("CELLGRAD_CUDA_SYNC", "1", 1);
  begin();
  for (int i = 0; i < 5; ++i)
    step(x);
  MADE(5, 0, 0);
  end();
  unsetenv("CELLGRAD_CUDA_SYNC");
}

// The caller captures a stream of its own.
static void ofTheCaller(void) {
  begin();
  CUcontext primary;
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  _Alignas(256) static char arena[ARENA];
  EXPECT(cuDevicePrimaryCtxRetain(&primary, 0) == CUDA_SUCCESS);
  EXPECT(cuCtxPushCurrent_v2(primary) == CUDA_SUCCESS);
  EXPECT(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  context.stream = stream;
  context.arena = arena;
  context.arena_bytes = sizeof arena;
  step(x); // that the captured call has to follow one does not hinder it
  EXPECT(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED) ==
         CUDA_SUCCESS);
  for (int i = 0; i < 4; ++i)
    step(other);
  EXPECT(fake.replays == 0);
  // What waits, or needs memory that may move, is refused.
  float host[N] = {0};
  EXPECT(step_host(host, x, host, &context) == CG_ERROR_DEVICE);
  EXPECT(strstr(cell_rt_cuda_message(cuda),
                "a copy to the device cannot be part of a graph, and the "
                "stream of the call is being captured"));
  EXPECT(cell_rt_cuda_wait(&context, &program) == CG_ERROR_DEVICE);
  context.arena = NULL;
  EXPECT(step_device((uintptr_t)w, (uintptr_t)x, (uintptr_t)y, &context) ==
         CG_ERROR_DEVICE);
  EXPECT(strstr(cell_rt_cuda_message(cuda), "without an arena"));
  struct cell_rt_cuda_call call;
  uint64_t memory;
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, cell_rt_cuda_allocate(&call, 64, &memory)) ==
         CG_ERROR_DEVICE);
  EXPECT(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
  EXPECT(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
  MADE(1, 0, 0);
  EXPECT(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
  EXPECT(cuGraphLaunch(exec, stream) == CUDA_SUCCESS);
  MADE(1, 8, 2);
  EXPECT(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  EXPECT(cuGraphDestroy(graph) == CUDA_SUCCESS);
  cell_rt_cuda_close(cuda);
  EXPECT(cuStreamDestroy_v2(stream) == CUDA_SUCCESS);
  EXPECT(cuCtxPopCurrent_v2(&primary) == CUDA_SUCCESS);
  EXPECT(cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
  EXPECT(fake_open() == 0 && host_blocks == 0 && fake_depth() == 0);
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  setenv("CELLGRAD_CUDA_DRIVER", argv[1], 1);
  pointers();
  failures(0);
  failures(1);
  wrongLists();
  for (int calls = 3; calls < 5; ++calls) {
    faults(0, calls, "wait: kernel \"halve\" (net.py:12)");
    faults(1, calls, "wait: kernel \"axpy\" (net.py:3)");
  }
  refused();
  waited();
  ofTheCaller();
  return 0;
}
