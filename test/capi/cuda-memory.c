// Copies, fills, values that the host reads between launches, and memory that
// a call takes while it runs.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -D_POSIX_C_SOURCE=200809L -shared -fPIC -I%root %S/Inputs/fake-cuda.c -o %t/fake.so -pthread
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%S %s %runtime/cuda/*.c %runtime/comm.c %runtime/status.c %t/fake.so -ldl -pthread -Wl,--wrap=aligned_alloc,--wrap=free -o %t/run
// RUN: %t/run %t/fake.so

#include "Inputs/cuda-model.h"

static cg_cuda *cuda;
static cg_context context;
static struct cell_rt_cuda_call call;

static void begin(void) {
  fake_reset();
  cuda = open_device();
  context = (cg_context){.struct_size = sizeof context, .cuda = cuda};
}

static void enter(uint64_t arena) {
  EXPECT(cell_rt_cuda_enter(&context, &program, arena, &call) == CG_OK);
}

static int32_t leave(int32_t status) {
  return cell_rt_cuda_leave(&call, status);
}

static void end(void) {
  cell_rt_cuda_close(cuda);
  EXPECT(fake_open() == 0 && host_blocks == 0 && fake_depth() == 0);
}

static void copies(void) {
  enum { kBig = 10000 };
  static unsigned char from[kBig], to[kBig];
  begin();
  for (int i = 0; i < kBig; ++i)
    from[i] = (unsigned char)(i * 7);
  enter(3 * kBig);
  uint64_t a = call.arena, b = a + kBig;
  EXPECT(cell_rt_cuda_upload(&call, a, from, kBig) == CG_OK);
  EXPECT(cell_rt_cuda_copy(&call, b, a, kBig) == CG_OK);
  EXPECT(cell_rt_cuda_fill(&call, b + 1, 0x1ff, 2, 1) == CG_OK);
  EXPECT(cell_rt_cuda_fill(&call, b + 4, 0x1fffe, 2, 2) == CG_OK);
  EXPECT(cell_rt_cuda_fill(&call, b + 8, 0x12345678, 3, 4) == CG_OK);
  // Small values come by the page, large ones directly.
  const uint64_t sizes[] = {0, 1, 20, 4096, 4097, kBig};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memset(to, 0xee, kBig);
    EXPECT(cell_rt_cuda_read(&call, to, b, sizes[i]) == CG_OK);
    unsigned char wanted[20];
    const uint32_t word = 0x12345678;
    memcpy(wanted, from, 20);
    memset(wanted + 1, 0xff, 2);
    for (int k = 0; k < 2; ++k)
      memcpy(wanted + 4 + 2 * k, &(const uint16_t){0xfffe}, 2);
    for (int k = 0; k < 3; ++k)
      memcpy(wanted + 8 + 4 * k, &word, 4);
    for (uint64_t k = 0; k < kBig; ++k)
      EXPECT(to[k] == (k >= sizes[i] ? 0xee : k < 20 ? wanted[k] : from[k]));
  }
  // Nothing to do is nothing done.
  long calls = fake.calls;
  EXPECT(cell_rt_cuda_upload(&call, a, NULL, 0) == CG_OK);
  EXPECT(cell_rt_cuda_download(&call, NULL, a, 0) == CG_OK);
  EXPECT(cell_rt_cuda_copy(&call, b, a, 0) == CG_OK);
  EXPECT(cell_rt_cuda_fill(&call, b, 1, 0, 4) == CG_OK);
  EXPECT(fake.calls == calls);
  EXPECT(leave(CG_OK) == CG_OK);
  end();
}

// while (x > 1) x /= 2, with the condition on the host.
static void condition(void) {
  float x = 1000;
  uint8_t more = 1;
  int trips = 0;
  begin();
  enter(256);
  uint64_t at = call.arena, to = at + 64;
  EXPECT(cell_rt_cuda_upload(&call, at, &x, sizeof x) == CG_OK);
  for (; more; ++trips) {
    EXPECT(cell_rt_cuda_launch(&call, HALVE, one, warp, 0,
                               (void *[]){&at, &to}) == CG_OK);
    EXPECT(cell_rt_cuda_read(&call, &more, to, sizeof more) == CG_OK);
  }
  EXPECT(cell_rt_cuda_download(&call, &x, at, sizeof x) == CG_OK);
  EXPECT(leave(cell_rt_cuda_finish(&call)) == CG_OK);
  EXPECT(trips == 10 && x == 1000.f / 1024);
  end();
}

// What grows with the trips of a loop: twice as large each time.
static void grows(int fail_at) {
  uint64_t failed = 0, old = 0, bytes = 64;
  begin();
  context.max_stash_bytes = 3000;
  context.failed_bytes = &failed;
  enter(0);
  if (fail_at)
    fake.fail_at = fake.calls + fail_at;
  int32_t status = CG_OK;
  for (int trip = 0; status == CG_OK && trip < 5; ++trip, bytes *= 2) {
    uint64_t next;
    status = cell_rt_cuda_allocate(&call, bytes, &next);
    if (status == CG_OK)
      status = cell_rt_cuda_fill(&call, next, 7, bytes, 1);
    if (status == CG_OK && old) {
      status = cell_rt_cuda_copy(&call, next, old, bytes / 2);
      if (status == CG_OK)
        status = cell_rt_cuda_free(&call, old);
    }
    old = next;
  }
  EXPECT(status == (fail_at ? CG_ERROR_DEVICE : CG_OK));
  if (!fail_at) { // 1024 bytes are taken
    uint64_t next;
    EXPECT(cell_rt_cuda_allocate(&call, 1977, &next) == CG_ERROR_STASH_LIMIT);
    EXPECT(failed == 1977);
    EXPECT(cell_rt_cuda_allocate(&call, 1976, &next) == CG_OK);
    EXPECT(cell_rt_cuda_free(&call, next) == CG_OK);
    EXPECT(cell_rt_cuda_allocate(&call, 0, &next) == CG_OK && next);
    host_left = 0;
    EXPECT(cell_rt_cuda_allocate(&call, 8, &next) == CG_ERROR_ALLOCATION);
    EXPECT(failed == 8);
    EXPECT(strcmp(cell_rt_cuda_message(cuda), "out of memory") == 0);
    // An error of the compiler's, told from any other.
    EXPECT(cell_rt_cuda_free(&call, old + 1) == CG_ERROR_EXECUTION);
    EXPECT(strstr(cell_rt_cuda_message(cuda), "was not allocated by the call"));
  }
  // The end of the call gives back what is left.
  EXPECT(leave(status) == status && fake.memory == 1);
  end();
}

static void exhausted(void) {
  uint64_t failed = 0, memory;
  begin();
  context.failed_bytes = &failed;
  enter(256);
  EXPECT(leave(CG_OK) == CG_OK);
  enter(0);
  uint64_t huge = UINT64_C(1) << 50;
  EXPECT(leave(cell_rt_cuda_allocate(&call, huge, &memory)) ==
         CG_ERROR_ALLOCATION);
  EXPECT(failed == huge);
  EXPECT(strcmp(cell_rt_cuda_message(cuda),
                "1125899906842624 bytes on the device: a made up error "
                "(CUDA_ERROR_FAKE, 2)") == 0);
  EXPECT(cell_rt_cuda_enter(&context, &program, huge + 1, &call) ==
         CG_ERROR_ALLOCATION);
  EXPECT(failed == huge + 1);
  EXPECT(strstr(cell_rt_cuda_message(cuda),
                "an arena of 1125899906842625 bytes: a made up error"));
  enter(256); // there is enough for less
  EXPECT(call.arena && fake.memory == 2 && leave(CG_OK) == CG_OK);
  // What cannot be given back at the end of a call is its error.
  enter(0);
  EXPECT(cell_rt_cuda_allocate(&call, 64, &memory) == CG_OK);
  fake.fail_at = fake.calls + 1;
  EXPECT(leave(CG_OK) == CG_ERROR_DEVICE);
  EXPECT(strstr(cell_rt_cuda_message(cuda), "giving memory back: "));
  end();
}

// What is printed or kept passes through memory of the host, which the handle
// has; after a write, the caller's memory is the caller's again.
static void hosted(void) {
  begin();
  enter(256);
  char *small = cell_rt_cuda_host_memory(&call, 65);
  EXPECT(small && (uintptr_t)small % 64 == 0);
  EXPECT(cell_rt_cuda_host_memory(&call, 128) == small);
  memset(small, 7, 128);
  int waits = fake_count("cuStreamSynchronize");
  EXPECT(cell_rt_cuda_write(&call, call.arena, small, 128) == CG_OK);
  EXPECT(fake_count("cuStreamSynchronize") == waits + 1);
  char *large = cell_rt_cuda_host_memory(&call, 1 << 20);
  memset(large, 0, 1 << 20);
  EXPECT(cell_rt_cuda_read(&call, large + 1, call.arena, 128) == CG_OK);
  EXPECT(large[0] == 0 && large[1] == 7 && large[128] == 7 && large[129] == 0);
  // It is gone where there is not enough, and there again for less.
  EXPECT(!cell_rt_cuda_host_memory(&call, UINT64_C(1) << 60));
  EXPECT(strstr(cell_rt_cuda_message(cuda), "out of memory: 1152921504606846976"
                                            " bytes for what is printed"));
  EXPECT(cell_rt_cuda_host_memory(&call, 1));
  fake.fail_at = fake.calls + 1;
  EXPECT(cell_rt_cuda_write(&call, call.arena, small, 1) == CG_ERROR_DEVICE);
  (void)leave(CG_OK);
  end();
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  setenv("CELLGRAD_CUDA_DRIVER", argv[1], 1);
  copies();
  condition();
  for (int fail_at = 0; fail_at < 18; ++fail_at)
    grows(fail_at);
  exhausted();
  hosted();
  return 0;
}
