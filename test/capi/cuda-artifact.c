// A model with CUDA kernels, called with pointers of the host and of the
// device.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/device.mlir --device=cuda --chip=sm_80,sm_90a -o %t/libdevice.so
// RUN: %cc %strict -D_GNU_SOURCE -I%root -I%t %s -L%t -ldevice -Wl,-rpath,%t -ldl -lm -o %t/run
// RUN: env CELLGRAD_CUDA_DRIVER=%emulated_driver %t/run %emulated_driver
// RUN: env CELLGRAD_CUDA_DRIVER=%t/none.so not %t/run %emulated_driver 2>&1 | FileCheck %s
// CHECK: open: status 13: no CUDA driver: {{.*}}none.so: cannot open shared object file

#include "device.h"

#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s is not\n", __FILE__, __LINE__, #condition);   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static struct cg_cuda *cuda;

static cg_context context(void) {
  cg_context lent;
  memset(&lent, 0, sizeof lent);
  lent.struct_size = sizeof lent;
  lent.cuda = cuda;
  return lent;
}

// The driver, for memory of the caller's own.
static CUresult (*allocate)(CUdeviceptr *, size_t);
static CUresult (*upload)(CUdeviceptr, const void *, size_t);
static CUresult (*download)(void *, CUdeviceptr, size_t);

static void load(const char *path) {
  void *driver = dlopen(path, RTLD_NOW);
  EXPECT(driver);
  *(void **)&allocate = dlsym(driver, "cuMemAlloc_v2");
  *(void **)&upload = dlsym(driver, "cuMemcpyHtoD_v2");
  *(void **)&download = dlsym(driver, "cuMemcpyDtoH_v2");
  CUresult (*retain)(CUcontext *, CUdevice), (*current)(CUcontext);
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&current = dlsym(driver, "cuCtxSetCurrent");
  CUcontext primary;
  EXPECT(retain(&primary, 0) == 0 && current(primary) == 0);
}

static void *onDevice(const void *data, size_t bytes) {
  CUdeviceptr place;
  EXPECT(allocate(&place, bytes) == 0 && upload(place, data, bytes) == 0);
  return (void *)(uintptr_t)place;
}

static void fromDevice(void *to, const void *place, size_t bytes) {
  EXPECT(download(to, (CUdeviceptr)(uintptr_t)place, bytes) == 0);
}

enum { N = 1000 };

static void axpy(void) {
  static _Alignas(CG_CUDA_ALIGNMENT) float a = 0.5f, x[N], y[N], old[N];
  for (int i = 0; i < N; ++i) {
    x[i] = (float)i;
    y[i] = 3;
  }
  cg_context lent = context();
  cg_device_axpy_args args = {.a = &a, .x = x, .y = y, .old = old};
  // The third call is captured, the later ones are graphs.
  for (int step = 1; step <= 5; ++step) {
    EXPECT(cg_device_axpy(&args, &lent) == CG_OK);
    for (int i = 0; i < N; ++i)
      EXPECT(y[i] == 3 + (float)step * 0.5f * (float)i &&
             old[i] == y[i] - 0.5f * (float)i);
  }
  args = (cg_device_axpy_args){.a = onDevice(&a, sizeof a),
                               .x = onDevice(x, sizeof x),
                               .y = onDevice(y, sizeof y),
                               .old = onDevice(old, sizeof old)};
  for (int step = 0; step < 4; ++step)
    EXPECT(cg_device_axpy_device(&args, &lent) == CG_OK);
  EXPECT(cg_device_wait(&lent) == CG_OK);
  fromDevice(y, args.y, sizeof y);
  fromDevice(old, args.old, sizeof old);
  for (int i = 0; i < N; ++i)
    EXPECT(y[i] == 3 + 4.5f * (float)i && old[i] == 3 + 4.f * (float)i);
  // An arena that is lent, and one that is too small.
  char none[1] = {0};
  args = (cg_device_axpy_args){.a = &a, .x = x, .y = y, .old = old};
  lent.arena_bytes = CG_DEVICE_AXPY_ARENA_BYTES;
  lent.arena = malloc(lent.arena_bytes);
  memset(lent.arena, 0, lent.arena_bytes);
  void *arena = onDevice(lent.arena, lent.arena_bytes);
  free(lent.arena);
  lent.arena = arena;
  EXPECT(cg_device_axpy(&args, &lent) == CG_OK && y[2] == 13);
  --lent.arena_bytes;
  EXPECT(cg_device_axpy(&args, &lent) == CG_ERROR_ARENA && y[2] == 13);
  // What is wrong with the arguments is said before the device is asked.
  lent = context();
  EXPECT(cg_device_axpy(NULL, &lent) == CG_ERROR_NULL_ARGUMENT);
  EXPECT(cg_device_axpy(&args, NULL) == CG_ERROR_CONTEXT);
  args.x = NULL;
  EXPECT(cg_device_axpy(&args, &lent) == CG_ERROR_NULL_ARGUMENT);
  args.x = (const float *)(none + 1 - (uintptr_t)none % 2);
  EXPECT(cg_device_axpy_device(&args, &lent) == CG_ERROR_ALIGNMENT);
  // Kernels access several elements of device memory at once.
  args.x = x + 1;
  EXPECT(cg_device_axpy_device(&args, &lent) == CG_ERROR_ALIGNMENT);
  args.x = x;
  lent.flags = 1;
  EXPECT(cg_device_axpy(&args, &lent) == CG_ERROR_CONTEXT);
  lent.flags = 0;
  lent.struct_size = 8;
  EXPECT(cg_device_axpy_device(&args, &lent) == CG_ERROR_CONTEXT &&
         cg_device_wait(&lent) == CG_ERROR_CONTEXT);
  lent.struct_size = sizeof lent;
  lent.cuda = NULL;
  EXPECT(cg_device_axpy(&args, &lent) == CG_ERROR_CONTEXT);
}

static void softmax(void) {
  static float x[64 * 96], y[64 * 96];
  for (int i = 0; i < 64 * 96; ++i)
    x[i] = (float)(i * 37 % 101) / 10;
  cg_context lent = context();
  cg_device_softmax_args args = {.x = x, .y = y};
  EXPECT(cg_device_softmax(&args, &lent) == CG_OK);
  for (int row = 0; row < 64; ++row) {
    double sum = 0;
    for (int i = 0; i < 96; ++i)
      sum += exp((double)x[96 * row + i]);
    for (int i = 0; i < 96; ++i) {
      double wanted = exp((double)x[96 * row + i]) / sum;
      EXPECT(fabs((double)y[96 * row + i] - wanted) <= 2e-6 * wanted);
    }
  }
}

static void halve(void) {
  double x[5] = {5, -3, 100, 1, 0.5};
  int32_t trips = -1;
  cg_context lent = context();
  cg_device_halve_args args = {.x = x, .trips = &trips};
  // Loops end where the context says so: x is as it was.
  lent.max_trips = 6;
  EXPECT(cg_device_halve(&args, &lent) == CG_ERROR_TRIP_LIMIT && x[2] == 100);
  lent.max_trips = 7;
  int32_t cancel = 1;
  lent.cancel = &cancel;
  EXPECT(cg_device_halve(&args, &lent) == CG_ERROR_CANCELLED && x[2] == 100);
  cancel = 0;
  args = (cg_device_halve_args){.x = onDevice(x, sizeof x),
                                .trips = onDevice(&trips, sizeof trips)};
  EXPECT(cg_device_halve_device(&args, &lent) == CG_OK);
  EXPECT(cg_device_wait(&lent) == CG_OK);
  fromDevice(&trips, args.trips, sizeof trips);
  double halved[5];
  fromDevice(halved, args.x, sizeof halved);
  EXPECT(trips == 7 && halved[2] == 100. / 128 && halved[1] == -3. / 128);
  trips = -1;
  args = (cg_device_halve_args){.x = x, .trips = &trips};
  EXPECT(cg_device_halve(&args, &lent) == CG_OK);
  EXPECT(trips == 7 && memcmp(x, halved, sizeof x) == 0);
}

static char printed[200];

static void keep(const cg_print_record *record, void *user) {
  (void)user;
  size_t at = strlen(printed);
  at += (size_t)snprintf(printed + at, sizeof printed - at, "%s", record->text);
  if (record->data)
    for (int64_t i = 0; i < record->shape[0]; ++i)
      at += (size_t)snprintf(printed + at, sizeof printed - at, "%g,",
                             (double)((const float *)record->data)[i]);
}

static void checked(void) {
  float w[4] = {1, 2, 3, 4}, x[4] = {1, 0, 0.5f, 2};
  cg_context lent = context();
  lent.print = keep;
  cg_device_checked_args args = {.w = w, .x = x};
  EXPECT(cg_device_checked(&args, &lent) == CG_OK && w[2] == 2.5f);
  EXPECT(strcmp(printed, "x is 1,0,0.5,2,\n") == 0);
  x[1] = -1;
  cg_device_checked_args there = {.w = onDevice(w, sizeof w),
                                  .x = onDevice(x, sizeof x)};
  for (int device = 0; device < 2; ++device) {
    int32_t status = device ? cg_device_checked_device(&there, &lent)
                            : cg_device_checked(&args, &lent);
    EXPECT(status == CG_ERROR_CHECK);
    EXPECT(strncmp(cg_device_status_message(status), "x must not be negative",
                   22) == 0);
    if (device)
      fromDevice(w, there.w, sizeof w);
    EXPECT(w[0] == 0 && w[1] == 2 && w[2] == 2.5f && w[3] == 2);
  }
  // A call after it works.
  x[1] = 1;
  EXPECT(cg_device_checked(&args, &lent) == CG_OK && w[1] == 1);
}

int main(int argc, char **argv) {
  char words[512];
  EXPECT(argc == 2 && cg_device_check_header() == CG_OK);
  EXPECT(cg_device_open(0, NULL, words, sizeof words) ==
         CG_ERROR_NULL_ARGUMENT);
  int32_t status = cg_device_open(0, &cuda, words, sizeof words);
  if (status != CG_OK) {
    fprintf(stderr, "open: status %d: %s\n", status, words);
    return 1;
  }
  load(argv[1]);
  axpy();
  softmax();
  halve();
  checked();
  EXPECT(strcmp(cg_device_cuda_message(cuda), "") == 0);
  cg_device_close(cuda);
  cg_device_close(NULL);
  return 0;
}
