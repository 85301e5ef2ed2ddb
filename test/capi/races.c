// What the workers of kernels read and write, under ThreadSanitizer: the code
// of the model is instrumented as well as the pool. What libm and the system's
// libraries touch is not seen.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/kernels.mlir --target=x86-64-v2 --emit=ll -o %t/kernels.ll
// RUN: cellc %S/Inputs/kernels.mlir --target=x86-64-v2 --emit=h -o %t/kernels.h
// RUN: FileCheck %s --check-prefix=CODE --input-file=%t/kernels.ll
// RUN: sed "s/^\(attributes #[0-9]* = { \)\(.*nounwind\)/\1sanitize_thread \2/" %t/kernels.ll > %t/checked.ll
// RUN: %cxx -Wno-override-module -O1 -fsanitize=thread -c %t/checked.ll -o %t/model.o
// RUN: llvm-nm %t/model.o | FileCheck %s
// RUN: %cxx -x c -std=c11 -g -O1 -fsanitize=thread -I%root -I%t %s %runtime/pool.c %runtime/processors.c %runtime/call.c %runtime/memory.c %runtime/cpu.c %runtime/status.c -x none %t/model.o -pthread -lm -o %t/run
// RUN: %t/run
// CODE-COUNT-2: call void @cell_rt_run(
// CHECK: __tsan_write

#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500, COLUMNS = 256, N = ROWS * COLUMNS };

static float x[N];

/* The results of both entries, one behind the other. */
static void compute(const cg_context *context, float *to) {
  memcpy(to, x, sizeof x);
  cg_kernels_update_args update = {to, to + N, to + N + COLUMNS};
  cg_kernels_softmax_args softmax = {x, to + N + COLUMNS + 1,
                                     to + 2 * N + COLUMNS + 1};
  if (cg_kernels_update(&update, context) ||
      cg_kernels_softmax(&softmax, context))
    exit(1);
}

int main(void) {
  size_t size = (2 * N + 2 * COLUMNS + 1) * sizeof(float);
  float *alone = malloc(size), *shared = malloc(size);
  for (int i = 0; i < N; ++i)
    x[i] = (float)(i * 7919 % 10007) / 2500 - 2;
  cg_context context = {.struct_size = sizeof context};
  compute(&context, alone);
  context.parallel = cg_kernels_pool_new(4);
  for (int n = 0; n < 5; ++n) {
    compute(&context, shared);
    if (memcmp(alone, shared, size)) {
      fprintf(stderr, "other bits on several threads\n");
      return 1;
    }
  }
  cg_kernels_pool_free(context.parallel);
  return 0;
}
