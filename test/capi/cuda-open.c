// A device is opened and closed: without a driver, with one that lacks
// functions, with every call failing, for several chips, in the caller's
// context, on several threads.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -D_POSIX_C_SOURCE=200809L -shared -fPIC -I%root %S/Inputs/fake-cuda.c -o %t/fake.so -pthread
// RUN: echo "int cuInit(unsigned f) { return (int)f; }" > %t/old.c
// RUN: %cc -shared -fPIC %t/old.c -o %t/old.so
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%S %s %runtime/cuda/*.c %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/run
// RUN: %t/run %t/fake.so %t/old.so
// A program without dlopen.
// RUN: %cc %strict -I%root -c %runtime/cuda/driver.c -o %t/driver.o
// RUN: llvm-objcopy --redefine-sym=dlopen=not_there %t/driver.o
// RUN: %cc %strict -D_GNU_SOURCE -DNO_DLOPEN -I%root -I%S %s %runtime/cuda/call.c %runtime/cuda/comm.c %runtime/cuda/device.c %runtime/cuda/graph.c %runtime/cuda/launch.c %runtime/cuda/memory.c %runtime/cuda/message.c %t/driver.o %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/without
// RUN: %t/without %t/fake.so %t/old.so

#include "Inputs/cuda-model.h"

#include <pthread.h>

static char message[2048];

static int32_t opens(const struct cell_rt_cuda_program *p, int32_t device) {
  cg_cuda *cuda = (cg_cuda *)&message;
  memset(message, 'x', sizeof message);
  int32_t status = cell_rt_cuda_open(p, device, &cuda, message, 512);
  EXPECT((status == CG_OK) == (cuda != NULL));
  EXPECT(status == CG_OK || memchr(message, 0, 512));
  cell_rt_cuda_close(cuda);
  EXPECT(fake_depth() == 0 && host_blocks == 0);
  return status;
}

#define EXPECT_WORDS(words)                                                    \
  do                                                                           \
    if (!strstr(message, words)) {                                             \
      fprintf(stderr, "line %d: \"%s\" lacks \"%s\"\n", __LINE__, message,     \
              words);                                                          \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

static void drivers(const char *fake_path, const char *old) {
  host_left = 0;
  EXPECT(opens(&program, 0) == CG_ERROR_ALLOCATION);
  EXPECT_WORDS("out of memory");
  setenv("CELLGRAD_CUDA_DRIVER", "not/there.so", 1);
  EXPECT(opens(&program, 0) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("no CUDA driver: not/there.so: cannot open shared object file");
  setenv("CELLGRAD_CUDA_DRIVER", "", 1); // as if it were not set
  EXPECT(opens(&program, 0) != CG_OK && fake.calls == 0);
  setenv("CELLGRAD_CUDA_DRIVER", old, 1);
  EXPECT(opens(&program, 0) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("lacks cuDriverGetVersion: models need the driver of CUDA 12.0");
  cg_cuda *cuda;
  EXPECT(cell_rt_cuda_open(&program, 0, &cuda, NULL, 512) ==
         CG_ERROR_NO_DEVICE);
  char little[8];
  EXPECT(cell_rt_cuda_open(&program, 0, &cuda, little, sizeof little) ==
         CG_ERROR_NO_DEVICE);
  EXPECT(strcmp(little, "the CUD") == 0);
  cell_rt_cuda_close(NULL);
  EXPECT(strcmp(cell_rt_cuda_message(NULL), "") == 0);
  setenv("CELLGRAD_CUDA_DRIVER", fake_path, 1);
}

static void devices(void) {
  fake_reset();
  EXPECT(opens(&program, 0) == CG_OK && fake_open() == 0);
  EXPECT(opens(&program, 1) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("no CUDA device 1: the number of devices is 1, the first is 0");
  EXPECT(opens(&program, -1) == CG_ERROR_NO_DEVICE);
  fake.devices = 0;
  EXPECT(opens(&program, 0) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("no CUDA device 0: the number of devices is 0");
}

// Which of these is loaded: its last kernel is the one that it has alone.
static const struct cell_rt_cuda_image many[] = {
    {"sm_80 axpy ", 11, 80, CELL_RT_CUDA_PTX},
    {"sm_90 halve ", 12, 90, CELL_RT_CUDA_PTX},
    {"sm_86 update ", 13, 86, CELL_RT_CUDA_CUBIN},
    {"sm_90 check ", 12, 90, CELL_RT_CUDA_PTX_EXACT},
    {"sm_91 fault ", 12, 91, CELL_RT_CUDA_CUBIN},
};

static void chips(void) {
  const struct {
    int chip, newest;
    const char *loaded;
  } cases[] = {{80, 99, "axpy"},  {86, 99, "update"}, {89, 99, "axpy"},
               {90, 99, "check"}, {91, 99, "fault"},  {120, 120, "halve"},
               {86, 80, "axpy"},  {91, 90, "halve"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    for (int k = AXPY; k <= FAULT; ++k) {
      struct cell_rt_cuda_program p = {many, &kernels[k], 5, 1, 0, 0};
      fake_reset();
      fake.chip = cases[i].chip;
      fake.newest = cases[i].newest;
      int same = strcmp(kernels[k].name, cases[i].loaded) == 0;
      EXPECT(opens(&p, 0) == (same ? CG_OK : CG_ERROR_DEVICE));
      EXPECT(fake_open() == 0);
      if (!same)
        EXPECT_WORDS("loading of kernel \"");
    }
  }
  struct cell_rt_cuda_program p = {many + 2, kernels, 2, 5, 0, 0};
  fake_reset();
  fake.chip = 75;
  EXPECT(opens(&p, 0) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("no code for fake device 0 (sm_75): compile it for that chip; "
               "it has code for sm_86 alone, sm_90 alone");
  fake.newest = 70;
  fake.chip = 90;
  EXPECT(opens(&program, 0) == CG_ERROR_DEVICE);
  EXPECT_WORDS("loading the PTX for sm_80 on fake device 0 (sm_90, driver of "
               "CUDA 12.4): a made up error (CUDA_ERROR_FAKE, 218):\n"
               "ptxas: line 1: too new");
  fake.speechless = 1;
  EXPECT(opens(&program, 0) == CG_ERROR_DEVICE);
  EXPECT_WORDS("it has no words for it (an error it has no name for, 218)");
}

static void sharedMemory(void) {
  struct cell_rt_cuda_kernel big[] = {{"axpy", "net.py:3", 48 << 10, 0},
                                      {"check", "net.py:5", 300 << 10, 0}};
  struct cell_rt_cuda_program p = {images, big, 1, 2, 0, 0};
  fake_reset();
  EXPECT(opens(&p, 0) == CG_ERROR_DEVICE);
  EXPECT_WORDS("307200 bytes of shared memory for a block of kernel \"check\" "
               "(net.py:5)");
  EXPECT(fake_count("cuFuncSetAttribute") == 1);
}

static void contexts(void) {
  fake_reset();
  fake.devices = 2;
  for (int mine = 0; mine < 2; ++mine) {
    CUcontext context = fake_context(mine);
    EXPECT(cuCtxPushCurrent_v2(context) == CUDA_SUCCESS);
    cg_cuda *cuda = open_device();
    EXPECT(fake.contexts == mine); // that of device 0 is used, if there is one
    EXPECT(fake_depth() == 1 && fake_current() == context);
    cell_rt_cuda_close(cuda);
    EXPECT(fake_depth() == 1 && fake_current() == context);
    EXPECT(cuCtxPopCurrent_v2(&context) == CUDA_SUCCESS);
    EXPECT(fake_open() == 0);
  }
  // Handles of one device share its context and nothing else.
  cg_cuda *a = open_device(), *b = open_device();
  EXPECT(fake.contexts == 2 && fake.modules == 2);
  cell_rt_cuda_close(a);
  EXPECT(fake.contexts == 1 && fake.modules == 1);
  cell_rt_cuda_close(b);
  EXPECT(fake_open() == 0);
}

// Each call of the driver fails once, of opening and of closing.
static void failures(void) {
  fake_reset();
  cg_cuda *cuda = open_device();
  long opening = fake.calls;
  cell_rt_cuda_close(cuda);
  long calls = fake.calls;
  EXPECT(opening > 20 && calls >= opening + 8);
  int failed = 0;
  for (long n = 1; n <= calls; ++n)
    for (int with = 0; with < 2; ++with) {
      fake_reset();
      fake.fail_at = n;
      fake.fail_with = with ? CUDA_ERROR_OUT_OF_MEMORY : 999;
      int32_t status = opens(&program, 0);
      failed += status != CG_OK;
      // What is in a context that cannot be entered any more stays there.
      EXPECT(fake_open() == (n == opening + 1 ? 5 : 0));
      EXPECT((status == CG_OK) == (n > opening));
      if (status == CG_OK)
        continue;
      EXPECT(status == (with ? CG_ERROR_ALLOCATION : CG_ERROR_DEVICE));
      EXPECT_WORDS(": a made up error (CUDA_ERROR_FAKE, ");
    }
  EXPECT(failed == 2 * opening);
  for (int n = 0; n < 3; ++n) {
    host_left = n;
    fake_reset();
    EXPECT(opens(&program, 0) == CG_ERROR_ALLOCATION && fake_open() == 0);
    EXPECT_WORDS("out of memory");
  }
}

static void *manyTimes(void *unused) {
  for (int i = 0; i < 100; ++i)
    cell_rt_cuda_close(open_device());
  return unused;
}

static void threads(void) {
  fake_reset();
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, manyTimes, NULL) == 0);
  manyTimes(NULL);
  pthread_join(other, NULL);
  EXPECT(fake_open() == 0);
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  fake_reset();
#ifdef NO_DLOPEN
  EXPECT(opens(&program, 0) == CG_ERROR_NO_DEVICE);
  EXPECT_WORDS("no CUDA driver: this program has no dlopen: link it with -ldl");
  (void)drivers, (void)devices, (void)chips, (void)sharedMemory;
  (void)contexts, (void)failures, (void)threads, (void)argv;
#else
  drivers(argv[1], argv[2]);
  devices();
  chips();
  sharedMemory();
  contexts();
  failures();
  threads();
#endif
  return 0;
}
