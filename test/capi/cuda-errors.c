// What is said of errors: a launch that is refused, one that fails later, and
// the same where every launch is waited for.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -D_POSIX_C_SOURCE=200809L -shared -fPIC -I%root %S/Inputs/fake-cuda.c -o %t/fake.so -pthread
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%S %s %runtime/cuda/*.c %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/run
// RUN: %t/run %t/fake.so

#include "Inputs/cuda-model.h"

static cg_cuda *cuda;
static cg_context context;

static void begin(void) {
  fake_reset();
  cuda = open_device();
  context = (cg_context){.struct_size = sizeof context, .cuda = cuda};
}

static void end(void) {
  cell_rt_cuda_close(cuda);
  EXPECT(fake_open() == 0 && host_blocks == 0 && fake_depth() == 0);
}

static void says(int line, const char *words) {
  const char *message = cell_rt_cuda_message(cuda);
  if (strcmp(message, words) == 0)
    return;
  fprintf(stderr, "line %d:\n%s\nexpected:\n%s\n", line, message, words);
  exit(1);
}
#define SAYS(words) says(__LINE__, words)

static float x = 8;
static uint8_t more;

static int32_t halve(struct cell_rt_cuda_call *call, uint32_t threads) {
  uint64_t at = (uintptr_t)&x, to = (uintptr_t)&more;
  const uint32_t block[3] = {threads, 1, 1};
  return cell_rt_cuda_launch(call, HALVE, one, block, 0, (void *[]){&at, &to});
}

static int32_t fault(struct cell_rt_cuda_call *call) {
  return cell_rt_cuda_launch(call, FAULT, one, warp, 0, NULL);
}

static void refused(void) {
  struct cell_rt_cuda_call call;
  begin();
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, halve(&call, 4096)) == CG_ERROR_DEVICE);
  SAYS("launch of kernel \"halve\" (net.py:12): a made up error "
       "(CUDA_ERROR_FAKE, 1)");
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  SAYS("");
  // An empty grid is no work.
  const uint32_t none[3] = {1, 0, 1};
  EXPECT(cell_rt_cuda_launch(&call, FAULT, none, warp, 0, NULL) == CG_OK);
  EXPECT(halve(&call, 1) == CG_OK && cell_rt_cuda_finish(&call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_OK && x == 4 && more);
  // The error of a call stays, whatever fails at its end.
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  int32_t status = halve(&call, 4096);
  fake.fail_at = fake.calls + 1;
  EXPECT(cell_rt_cuda_leave(&call, status) == CG_ERROR_DEVICE);
  SAYS("launch of kernel \"halve\" (net.py:12): a made up error "
       "(CUDA_ERROR_FAKE, 1)");
  end();
}

#define LATE                                                                   \
  "an illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS, 700); this is an "    \
  "error of a kernel since the last wait: kernel \"halve\" (net.py:12) or a "  \
  "later one. CELLGRAD_CUDA_SYNC=1 waits after each and names the one"

static void late(void) {
  struct cell_rt_cuda_call call;
  begin();
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  EXPECT(halve(&call, 1) == CG_OK && fault(&call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, CG_OK) == CG_OK);
  // Whoever comes next hears of it, and again.
  for (int i = 0; i < 3; ++i) {
    EXPECT(cell_rt_cuda_wait(&context, &program) == CG_ERROR_DEVICE);
    if (i == 0)
      SAYS("waiting for the device: " LATE);
    EXPECT(strstr(cell_rt_cuda_message(cuda), LATE));
    EXPECT(fake_depth() == 0);
  }
  end();
  // After a wait the kernels before it are out of it.
  begin();
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  EXPECT(halve(&call, 1) == CG_OK && cell_rt_cuda_finish(&call) == CG_OK);
  EXPECT(fault(&call) == CG_OK);
  EXPECT(cell_rt_cuda_leave(&call, cell_rt_cuda_finish(&call)) ==
         CG_ERROR_DEVICE);
  EXPECT(strstr(cell_rt_cuda_message(cuda),
                "since the last wait: kernel \"fault\" or "));
  end();
}

// Which errors may be of what was enqueued earlier.
static void kinds(void) {
  const int codes[] = {214, 220, 700, 702, 710, 714, 716, 719, // they may
                       1,   201, 600, 713, 720, 999};
  for (int i = 0; i < 14; ++i) {
    struct cell_rt_cuda_call call;
    begin();
    EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
    EXPECT(halve(&call, 1) == CG_OK);
    fake.fail_with = codes[i];
    fake.fail_at = fake.calls + 1;
    EXPECT(cell_rt_cuda_leave(&call, cell_rt_cuda_finish(&call)) ==
           CG_ERROR_DEVICE);
    EXPECT(!strstr(cell_rt_cuda_message(cuda), "since the last wait: kernel "
                                               "\"halve\"") == (i >= 8));
    end();
  }
}

static void waited(void) {
  struct cell_rt_cuda_call call;
  begin();
  EXPECT(cell_rt_cuda_enter(&context, &program, 0, &call) == CG_OK);
  EXPECT(halve(&call, 1) == CG_OK && x == 1 && !more);
  EXPECT(cell_rt_cuda_leave(&call, fault(&call)) == CG_ERROR_DEVICE);
  SAYS("execution of kernel \"fault\": an illegal memory access "
       "(CUDA_ERROR_ILLEGAL_ADDRESS, 700)");
  end();
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  setenv("CELLGRAD_CUDA_DRIVER", argv[1], 1);
  refused();
  late();
  kinds();
  const char *const off[] = {"", "0"};
  for (int i = 0; i < 2; ++i) {
    setenv("CELLGRAD_CUDA_SYNC", off[i], 1);
    late();
  }
  setenv("CELLGRAD_CUDA_SYNC", "1", 1);
  x = 2;
  waited();

  const struct {
    int32_t status;
    const char *words;
  } codes[] = {{CG_ERROR_DEVICE, "cg_context.cuda keeps its words"},
               {CG_ERROR_NO_DEVICE, "no device of that number"},
               {CG_ERROR_BUSY, "another thread is in a call"},
               {CG_ERROR_CONTEXT, "cg_context.cuda is not a device"},
               {CG_ERROR_ARENA, "256 bytes"},
               {CG_ERROR_ALIGNMENT, "a buffer is not aligned"},
               {4711, "unknown"}};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    EXPECT(
        strstr(cell_rt_cuda_status_message(codes[i].status), codes[i].words));
  return 0;
}
