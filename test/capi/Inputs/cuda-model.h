// What the compiler makes of a step of training, for the fake driver:
//   y = 2 * x, the elements of x are not negative, w -= y
// with entries for host and for device pointers.
#pragma once
#include "fake-cuda.h"
#include "runtime/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

// In place of the library's, for the runtime alone: -Wl,--wrap of both.
static long host_blocks, host_left = -1; // that there may be, if not below 0
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  int none = host_left == 0;
  if (host_left >= 0)
    --host_left;
  void *memory = none ? NULL : __real_aligned_alloc(alignment, size);
  __atomic_fetch_add(&host_blocks, memory != NULL, __ATOMIC_RELAXED);
  return memory;
}
void __wrap_free(void *memory) {
  __atomic_fetch_sub(&host_blocks, memory != NULL, __ATOMIC_RELAXED);
  __real_free(memory);
}

enum { N = 5, NEGATIVE = CG_ERROR_CHECK, ARENA = 3 * 256, STEP_SLOT = 0 };
enum { AXPY, CHECK, UPDATE, HALVE, FAULT };

static const struct cell_rt_cuda_kernel kernels[] = {
    {"axpy", "net.py:3", 100 << 10, 0},
    {"check", "net.py:5", 0, 0},
    {"update", "net.py:9", 0, 0},
    {"halve", "net.py:12", 0, 0},
    {"fault", "", 0, 0},
};
static const struct cell_rt_cuda_image images[] = {
    {"sm_80 axpy check update halve fault ", 36, 80, CELL_RT_CUDA_PTX},
};
static const struct cell_rt_cuda_program program = {images, kernels, 1,
                                                    5,      2,       0};

static const uint32_t one[3] = {1, 1, 1}, warp[3] = {32, 1, 1};

// The launches of the step; the words are the addresses of w, x and y.
static int32_t step_list(struct cell_rt_cuda_call *call,
                         const uint64_t *words) {
  uint64_t w = words[0], x = words[1], y = words[2];
  uint32_t n = N;
  float two = 2;
  int32_t code = NEGATIVE;
  int32_t status = cell_rt_cuda_fill(call, y, 0, N, sizeof(float));
  if (status == CG_OK)
    status = cell_rt_cuda_launch(call, AXPY, one, warp, 100 << 10,
                                 (void *[]){&y, &x, &two, &n});
  if (status == CG_OK)
    status = cell_rt_cuda_launch(call, CHECK, one, warp, 0,
                                 (void *[]){&call->status, &x, &n, &code});
  if (status == CG_OK)
    status = cell_rt_cuda_launch(call, UPDATE, one, warp, 0,
                                 (void *[]){&call->status, &w, &y, &n});
  return status;
}

static inline int32_t step_device(uint64_t w, uint64_t x, uint64_t y,
                                  const cg_context *context) {
  struct cell_rt_cuda_call call;
  const uint64_t words[] = {w, x, y};
  int32_t status = cell_rt_cuda_enter(context, &program, ARENA, &call);
  if (status != CG_OK)
    return status;
  return cell_rt_cuda_leave(
      &call, cell_rt_cuda_run(&call, STEP_SLOT, step_list, words, 3));
}

static inline int32_t step_host(float *w, const float *x, float *y,
                                const cg_context *context) {
  struct cell_rt_cuda_call call;
  int32_t status = cell_rt_cuda_enter(context, &program, ARENA, &call);
  if (status != CG_OK)
    return status;
  const uint64_t words[] = {call.arena, call.arena + 256, call.arena + 512};
  status = cell_rt_cuda_upload(&call, words[0], w, N * sizeof *w);
  if (status == CG_OK)
    status = cell_rt_cuda_upload(&call, words[1], x, N * sizeof *x);
  if (status == CG_OK)
    status = cell_rt_cuda_run(&call, STEP_SLOT, step_list, words, 3);
  if (status == CG_OK)
    status = cell_rt_cuda_finish(&call);
  if (status == CG_OK)
    status = cell_rt_cuda_download(&call, y, words[2], N * sizeof *y);
  if (status == CG_OK)
    status = cell_rt_cuda_download(&call, w, words[0], N * sizeof *w);
  if (status == CG_OK)
    status = cell_rt_cuda_finish(&call);
  return cell_rt_cuda_leave(&call, status);
}

static inline cg_cuda *open_device(void) {
  char message[256] = "";
  cg_cuda *cuda = NULL;
  if (cell_rt_cuda_open(&program, 0, &cuda, message, sizeof message) != CG_OK) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  return cuda;
}
