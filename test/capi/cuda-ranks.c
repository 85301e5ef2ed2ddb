// A model for GPUs with collectives on two ranks, each a process with a device:
// through memory of the host, and by NCCL, which the host waits for in neither
// its call nor in what comes behind it. What ends a call, and that what was
// enqueued wrongly is noticed.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/ranks.mlir --device=cuda --chip=sm_80 -o %t/libranks.so
// RUN: %cc %strict -D_GNU_SOURCE -Wno-pedantic -I%root -I%t %s %runtime/comm/base.c %runtime/comm/combine.c %runtime/comm/messages.c %runtime/comm/nccl.c %runtime/comm/progress.c %runtime/comm/shared.c %runtime/halves.c -L%t -lranks -Wl,-rpath,%t -ldl -lm -lpthread -o %t/run
// RUN: env CELLGRAD_CUDA_DRIVER=%emulated_driver CELL_EMU_DEVICES=2 %t/run %emulated_driver %fake_nccl

#include "ranks.h"

#include "runtime/comm/comm.h"
#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "rank %d, line %d: not %s\n", rank, __LINE__,            \
              #condition);                                                     \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

enum { N = 1000 };

static int32_t rank;
static struct cg_cuda *cuda;
static cg_comm *comm;
static struct cell_rt_cuda_driver driver;
static uint64_t (*counter)(const char *);

/* What the entry computes with, on the host or the device. */
struct buffers {
  float *x, *w, *all, *most;
  int64_t *rank;
};

static float given(int32_t of, int i) {
  return (float)(i % 17 - 8) * (of ? 0.5f : 1.0f);
}

static void fill(float *x, float *w) {
  for (int i = 0; i < N; ++i) {
    x[i] = given(rank, i);
    w[i] = 3;
  }
}

/* Halves and whole numbers: exact. */
static void check(const float *w, const float *all, const float *most,
                  int64_t number, int steps) {
  EXPECT(number == rank);
  for (int i = 0; i < N; ++i) {
    float a = given(0, i), b = given(1, i);
    EXPECT(w[i] == 3 - (float)steps * (a * a + b * b));
    EXPECT(all[i] == a && all[N + i] == b && most[i] == (a > b ? a : b));
  }
}

static cg_context context(void) {
  return (cg_context){
      .struct_size = sizeof(cg_context), .comm = comm, .cuda = cuda};
}

static void *onDevice(const void *data, size_t bytes) {
  CUdeviceptr place;
  EXPECT(driver.cuMemAlloc_v2(&place, bytes) == CUDA_SUCCESS);
  if (data)
    EXPECT(driver.cuMemcpyHtoDAsync_v2(place, data, bytes, NULL) ==
           CUDA_SUCCESS);
  EXPECT(driver.cuStreamSynchronize(NULL) == CUDA_SUCCESS);
  return (void *)(uintptr_t)place;
}

static void fromDevice(void *to, const void *place, size_t bytes) {
  EXPECT(driver.cuMemcpyDtoHAsync_v2(to, (uintptr_t)place, bytes, NULL) ==
         CUDA_SUCCESS);
  EXPECT(driver.cuStreamSynchronize(NULL) == CUDA_SUCCESS);
}

/* Pointers of the host. */
static void host(void) {
  static float x[N], w[N], all[2 * N], most[N];
  int64_t number = -1;
  fill(x, w);
  cg_context lent = context();
  cg_ranks_f_args args = {
      .x = x, .w = w, .all = all, .most = most, .rank = &number};
  for (int step = 1; step <= 4; ++step) {
    EXPECT(cg_ranks_f(&args, &lent) == CG_OK);
    check(w, all, most, number, step);
  }
}

/* Pointers of the device, on a stream of the caller's. */
static void device(void) {
  static float x[N], w[N], all[2 * N], most[N];
  int64_t number = -1;
  CUstream stream;
  EXPECT(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) ==
         CUDA_SUCCESS);
  fill(x, w);
  cg_context lent = context();
  lent.stream = stream;
  cg_ranks_f_args args = {.x = onDevice(x, sizeof x),
                          .w = onDevice(w, sizeof w),
                          .all = onDevice(NULL, sizeof all),
                          .most = onDevice(NULL, sizeof most),
                          .rank = onDevice(NULL, sizeof number)};
  for (int step = 1; step <= 4; ++step)
    EXPECT(cg_ranks_f_device(&args, &lent) == CG_OK);
  EXPECT(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
  fromDevice(w, args.w, sizeof w);
  fromDevice(all, args.all, sizeof all);
  fromDevice(most, args.most, sizeof most);
  fromDevice(&number, args.rank, sizeof number);
  check(w, all, most, number, 4);
}

/* What the communicator itself refuses, and notices. */
static void mistakes(void) {
  void *place = onDevice(NULL, 64);
  float onHost[16] = {0};
  cg_collective what = {.struct_size = sizeof what,
                        .kind = CG_ALL_REDUCE,
                        .dtype = CG_FLOAT32,
                        .count = 16,
                        .send = place,
                        .recv = place};
  // As all ranks decide: NaNs of extrema, one order of sums, a type it lacks.
  what.op = CG_MAX;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_COMM_BY_HOST);
  what.op = CG_SUM;
  what.flags = CG_ORDERED;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_COMM_BY_HOST);
  what.flags = 0;
  what.dtype = CG_INT16;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_COMM_BY_HOST);
  what.kind = CG_BARRIER;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_COMM_BY_HOST);
  what.kind = CG_ALL_REDUCE;
  what.dtype = CG_FLOAT32;
  // Ranks of another count end with an error of the stream, and with words.
  EXPECT(driver.cuMemsetD32Async((uintptr_t)place, 0, 16, NULL) ==
         CUDA_SUCCESS);
  what.count = 16 - rank;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_OK);
  EXPECT(driver.cuStreamSynchronize(NULL) != CUDA_SUCCESS);
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_ERROR_COMM);
  EXPECT(strstr(comm->message(comm), "NCCL: a collective before: "));
  // Kept, like all errors.
  what.recv = onHost;
  EXPECT(comm->enqueue(comm, &what, NULL) == CG_ERROR_COMM);
}

static void run(const char *path, const char *nccl, const char *name) {
  char message[512] = "";
  void *library = dlopen(path, RTLD_NOW);
  EXPECT(library);
#define FIND(function, types)                                                  \
  EXPECT(*(void **)&driver.function = dlsym(library, #function));
  CELL_RT_CUDA_FUNCTIONS(FIND)
#undef FIND
  EXPECT(*(void **)&counter = dlsym(library, "cellEmuCounter"));
  CUcontext primary;
  EXPECT(driver.cuInit(0) == CUDA_SUCCESS);
  EXPECT(driver.cuDevicePrimaryCtxRetain(&primary, rank) == CUDA_SUCCESS);
  EXPECT(driver.cuCtxPushCurrent_v2(primary) == CUDA_SUCCESS);
  EXPECT(cg_ranks_open(rank, &cuda, message, sizeof message) == CG_OK);
  comm = cg_comm_shared(name, rank, 2, 60000, NULL);
  EXPECT(comm);
  host();
  uint64_t copies = counter("copies_to_host");
  device();
  // Two reductions, a gather, in each of 4 calls; and the results.
  EXPECT(counter("copies_to_host") == copies + 3 * 4 + 4);
  EXPECT(cg_comm_nccl(comm, "none.so") == CG_ERROR_COMM);
  EXPECT(strstr(cg_comm_error(), "no NCCL library: none.so"));
  EXPECT(cg_comm_nccl(comm, nccl) == CG_OK);
  EXPECT(!strcmp(cg_comm_kind(comm), "NCCL and shared memory"));
  host();
  copies = counter("copies_to_host");
  device();
  // Of the extremum alone.
  EXPECT(counter("copies_to_host") == copies + 4 + 4);
  mistakes();
  cg_comm_free(comm);
  _exit(0);
}

int main(int argc, char **argv) {
  (void)argc;
  char name[64];
  snprintf(name, sizeof name, "capi-cuda-%d", getpid());
  pid_t other = fork();
  rank = other == 0;
  if (other == 0)
    run(argv[1], argv[2], name);
  pid_t one = fork();
  if (one == 0)
    run(argv[1], argv[2], name);
  int failed = 0, status;
  for (int i = 0; i < 2; ++i) {
    wait(&status);
    failed |= status;
  }
  return failed != 0;
}
