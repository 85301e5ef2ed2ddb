// Samples with several rows, in buffers as long as the batch, under
// AddressSanitizer: the code of the model is instrumented as well.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/any-batch-rows.mlir --name=rows --target=x86-64-v2 --emit=ll -o %t/rows.ll
// RUN: cellc %S/Inputs/any-batch-rows.mlir --name=rows --target=x86-64-v2 --emit=h -o %t/rows.h
// RUN: sed "s/^\(attributes #[0-9]* = { \)\(.*nounwind\)/\1sanitize_address \2/" %t/rows.ll > %t/checked.ll
// RUN: %cxx -Wno-override-module -O1 -fsanitize=address -c %t/checked.ll -o %t/model.o
// RUN: llvm-nm %t/model.o | FileCheck %s
// RUN: %cxx -x c -std=c11 -g -O1 -fsanitize=address -I%root -I%t %s %runtime/pool.c %runtime/processors.c %runtime/call.c %runtime/memory.c %runtime/cpu.c %runtime/status.c %runtime/stash.c -x none %t/model.o -pthread -lm -o %t/run
// RUN: %t/run
// RUN: not %t/run short 2>&1 | FileCheck %s --check-prefix=SHORT
// CHECK: __asan_report_load
// SHORT: heap-buffer-overflow
// SHORT: #0 {{.*}} in forward_of_1 model

#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 3, IN = 5, OUT = 7 };

static float w[OUT][IN];

static float drawn(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / (1 << 23) - 1.0f;
}

/* The greatest difference to what one sample gives in double precision. */
static double difference(const float *x, const float *y) {
  double h[LENGTH][OUT], most = 0;
  for (int i = 0; i < LENGTH; ++i)
    for (int k = 0; k < OUT; ++k) {
      double sum = 0;
      for (int j = 0; j < IN; ++j)
        sum += (double)x[i * IN + j] * w[k][j];
      h[i][k] = tanh(sum);
    }
  for (int i = 0; i < LENGTH; ++i)
    for (int k = 0; k < OUT; ++k) {
      double sum = 0;
      for (int j = 0; j < LENGTH; ++j)
        for (int m = 0; m < OUT; ++m)
          sum += h[i][m] * h[j][m] * h[j][k];
      most = fmax(most, fabs(sum - (double)y[i * OUT + k]));
    }
  return most;
}

int main(int argc, char **argv) {
  (void)argv;
  int missing = argc - 1; /* numbers that the input lacks */
  for (int i = 0; i < OUT * IN; ++i)
    w[i / IN][i % IN] = drawn();
  for (int64_t n = 1; n <= CG_ROWS_FORWARD_MAX_BATCH; ++n) {
    size_t inputs = CG_ROWS_FORWARD_X_ELEMENTS(n) - (size_t)missing;
    float *x = malloc(inputs * sizeof *x);
    float *y = malloc(CG_ROWS_FORWARD_Y_ELEMENTS(n) * sizeof *y);
    for (size_t i = 0; i < inputs; ++i)
      x[i] = drawn();
    cg_rows_forward_args args = {n, x, &w[0][0], y};
    if (cg_rows_forward(&args, NULL) != CG_OK)
      return 1;
    for (int64_t i = 0; i < n; ++i)
      if (!(difference(x + i * LENGTH * IN, y + i * LENGTH * OUT) < 1e-5)) {
        fprintf(stderr, "sample %d of %d\n", (int)i, (int)n);
        return 1;
      }
    free(x);
    free(y);
  }
  return 0;
}
