// One model computes any batch: rows of a batch do not depend on its size, have
// the bits of a model that was compiled for 128 samples, and nothing outside of
// the rows and of the arena is written.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/any-batch.mlir -o %t/libany.so
// RUN: FileCheck %s --input-file=%t/any.h
// RUN: cell-opt %S/Inputs/any-batch.mlir --cell-specialize-batch=size=32 | cellc - -o %t/fixed-32.so --name=fixed --emit=so
// RUN: cell-opt %S/Inputs/any-batch.mlir --cell-specialize-batch=size=127 | cellc - -o %t/fixed-127.so --name=fixed --emit=so
// RUN: cell-opt %S/Inputs/any-batch.mlir --cell-specialize-batch=size=128 | cellc - -o %t/fixed-128.so --name=fixed --emit=so
// RUN: cell-opt %S/Inputs/any-batch.mlir --cell-specialize-batch=size=257 | cellc - -o %t/fixed-257.so --name=fixed --emit=so
// RUN: %cc %strict -D_GNU_SOURCE -I%t %s -L%t -lany -Wl,-rpath,%t -ldl -lm -o %t/run
// RUN: cd %t && ./run 32 127 128 257
// CHECK:      #define CG_ANY_FORWARD_MAX_BATCH 257
// CHECK-NEXT: #define CG_ANY_FORWARD_X_ELEMENTS(batch) ((uint64_t)(batch) * 20u)
// CHECK-NEXT: #define CG_ANY_FORWARD_SCALE_ELEMENTS(batch) ((uint64_t)(batch) * 1u)
// CHECK-NEXT: #define CG_ANY_FORWARD_W_ELEMENTS 320u
// CHECK:      typedef struct cg_any_forward_args {
// CHECK-NEXT:   int64_t batch; /* samples: 1 to CG_ANY_FORWARD_MAX_BATCH */
// CHECK-NEXT:   const float *x; /* input "x": float32[batch, 20] */
// CHECK-NEXT:   const float *scale; /* input "scale": float32[batch] */
// CHECK:        float *p; /* result "p": float32[batch, 5] */
// CHECK-NEXT:   int64_t *class_; /* result "class": int64[batch] */
// CHECK:      uint64_t cg_any_forward_arena_bytes(int64_t batch, int32_t threads)

#include "any.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CG_ANY_FORWARD_MAX_BATCH, IN = 20, HIDDEN = 16, OUT = 5 };

struct results {
  float p[MOST + 1][OUT];
  int64_t classes[MOST + 1];
};

static float x[MOST][IN], scale[MOST], w[IN * HIDDEN], b[HIDDEN],
    v[OUT * HIDDEN];
static struct results any, whole, fixed;

#define EXPECT(what)                                                           \
  do {                                                                         \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: %s (batch %d)\n", __LINE__, #what, (int)n);    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void draw(float *values, size_t count) {
  static uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / (1 << 23) - 1.0f;
  }
}

static int32_t run(int64_t n, struct results *into, const cg_context *context) {
  memset(into, 0xA5, sizeof *into);
  cg_any_forward_args args = {n, &x[0][0], scale,          w,
                              b, v,        &into->p[0][0], into->classes};
  return cg_any_forward(&args, context);
}

/* What softmax of the second product is, in double precision. */
static void expect(int64_t n, int64_t row) {
  double hidden[HIDDEN], mean = 0, total = 0, p[OUT];
  for (int j = 0; j < HIDDEN; ++j) {
    hidden[j] = b[j];
    for (int i = 0; i < IN; ++i)
      hidden[j] += (double)x[row][i] * w[i * HIDDEN + j];
    mean += hidden[j] / HIDDEN;
  }
  for (int k = 0; k < OUT; ++k) {
    double sum = 0;
    for (int j = 0; j < HIDDEN; ++j)
      sum += tanh(hidden[j] - mean) * scale[row] * v[k * HIDDEN + j];
    total += p[k] = exp(sum);
  }
  for (int k = 0; k < OUT; ++k)
    EXPECT(fabs(any.p[row][k] - p[k] / total) < 1e-5);
  for (int k = 0; k < OUT; ++k)
    EXPECT(any.p[row][any.classes[row]] >= any.p[row][k]);
}

/* The bytes behind the rows of the batch are as they were. */
static void expectUntouched(int64_t n, const struct results *results) {
  const unsigned char *p = (const unsigned char *)results->p[n];
  const unsigned char *c = (const unsigned char *)&results->classes[n];
  for (size_t i = 0; i < sizeof results->p[0]; ++i)
    EXPECT(p[i] == 0xA5);
  for (size_t i = 0; i < sizeof results->classes[0]; ++i)
    EXPECT(c[i] == 0xA5);
}

int main(int argc, char **argv) {
  int64_t n = 0;
  draw(&x[0][0], MOST * IN);
  draw(scale, MOST);
  draw(w, IN * HIDDEN);
  draw(b, HIDDEN);
  draw(v, OUT * HIDDEN);

  enum { ZONE = 4096 };
  size_t bytes = cg_any_forward_arena_bytes(MOST, 1);
  EXPECT(bytes == CG_ANY_FORWARD_ARENA_BYTES);
  unsigned char *memory =
      aligned_alloc(CG_ARENA_ALIGNMENT, bytes + 2 * (size_t)ZONE);
  memset(memory, 0x5A, bytes + 2 * (size_t)ZONE);
  cg_context context = {.struct_size = sizeof context};
  context.arena = memory + ZONE;
  context.arena_bytes = bytes;

  EXPECT(run(MOST, &whole, NULL) == CG_OK);
  for (n = 1; n <= MOST; ++n) {
    EXPECT(run(n, &any, &context) == CG_OK);
    expectUntouched(n, &any);
    for (int64_t row = 0; row < n; ++row)
      expect(n, row);
    if (n > 1) {
      EXPECT(memcmp(any.p, whole.p, n * sizeof any.p[0]) == 0);
      EXPECT(memcmp(any.classes, whole.classes, n * sizeof(int64_t)) == 0);
    }
  }
  for (size_t i = 0; i < ZONE; ++i)
    EXPECT(memory[i] == 0x5A && memory[ZONE + bytes + i] == 0x5A);

  for (int i = 1; i < argc; ++i) {
    n = atoi(argv[i]);
    char path[64];
    snprintf(path, sizeof path, "./fixed-%d.so", (int)n);
    void *library = dlopen(path, RTLD_NOW);
    EXPECT(library);
    int32_t (*forward)(void *const *, const cg_context *);
    *(void **)&forward = dlsym(library, "cg_fixed_forward");
    void *args[] = {x, scale, w, b, v, fixed.p, fixed.classes};
    memset(&fixed, 0xA5, sizeof fixed);
    EXPECT(forward && forward(args, NULL) == CG_OK);
    EXPECT(run(n, &any, NULL) == CG_OK);
    EXPECT(memcmp(&any, &fixed, sizeof any) == 0);
    dlclose(library);
  }

  int64_t wrong[] = {0, -1, MOST + 1, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    n = wrong[i];
    EXPECT(run(n, &any, NULL) == CG_ERROR_BATCH);
    expectUntouched(0, &any);
  }
  puts(cg_any_status_message(CG_ERROR_BATCH));
  free(memory);
  return 0;
}
