// A C program calls the forward pass of a model, with and without a context.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so
// RUN: %cc %strict -I%t %s -L%t -lstep -Wl,-rpath,%t -lm -o %t/run
// RUN: %t/run
// The code of every level computes the same.
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so -O0 && %t/run
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so -O1 && %t/run
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so -O3 --time > %t/time && %t/run
// RUN: FileCheck %s --check-prefix=TIME --input-file=%t/time
// TIME-DAG: {{^ *[0-9.]+ ms +[0-9.]+ % +[+][0-9.]+ MiB +1 x  cell-differentiate$}}
// TIME-DAG: {{^ *[0-9.]+ ms +[0-9.]+ % +[+][0-9.]+ MiB +[0-9]+ x  cse$}}
// TIME-DAG: {{^ *[0-9.]+ ms +[0-9.]+ % +[+][0-9.]+ MiB +1 x  optimize$}}
// TIME-DAG: {{^ *[0-9.]+ ms +[0-9.]+ % +[+][0-9.]+ MiB +1 x  link$}}
// TIME:     {{^ *[0-9.]+ ms 100[.]0 % +[+][0-9.]+ MiB +total$}}

#include "step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int check(const float *x, const float *w, const float *y) {
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 2; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += (double)x[i * 3 + k] * w[k * 2 + j];
      if (fabs(tanh(sum) - y[i * 2 + j]) > 1e-6) {
        fprintf(stderr, "y[%d][%d] = %g, expected %g\n", i, j, y[i * 2 + j],
                tanh(sum));
        return 1;
      }
    }
  return 0;
}

int main(void) {
  float x[CG_STEP_FORWARD_X_ELEMENTS], w[CG_STEP_FORWARD_FC_WEIGHT_ELEMENTS];
  float y[CG_STEP_FORWARD_Y_ELEMENTS];
  for (unsigned i = 0; i < CG_STEP_FORWARD_X_ELEMENTS; ++i)
    x[i] = 0.1f * (float)i - 0.7f;
  for (unsigned i = 0; i < CG_STEP_FORWARD_FC_WEIGHT_ELEMENTS; ++i)
    w[i] = 0.3f * (float)i - 1.0f;

  cg_step_forward_args args = {.x = x, .fc_weight = w, .y = y};
  if (cg_step_forward(&args, NULL) != CG_OK || check(x, w, y))
    return 1;

  size_t bytes = CG_STEP_FORWARD_ARENA_BYTES + CG_ARENA_ALIGNMENT;
  cg_context context = {.struct_size = sizeof context,
                        .arena = aligned_alloc(CG_ARENA_ALIGNMENT, bytes),
                        .arena_bytes = bytes};
  for (unsigned i = 0; i < CG_STEP_FORWARD_Y_ELEMENTS; ++i)
    y[i] = -1;
  int32_t status = cg_step_forward(&args, &context);
  free(context.arena);
  return status != CG_OK || check(x, w, y);
}
