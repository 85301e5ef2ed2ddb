// Entries named like functions that the compiled code calls: each does its own.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/homonyms.mlir -o %t/libnamed.so
// RUN: %cc %strict %asan -I%t %s -L%t -lnamed -Wl,-rpath,%t -lm -o %t/run
// RUN: %t/run

#include "named.h"

#include <math.h>
#include <stdio.h>

static float square[300 * 300], out[300 * 300];
static int failures;

static void expect(const char *what, int32_t status, const float *got,
                   float wanted) {
  if (status == CG_OK && fabsf(*got - wanted) <= 1e-5f * fabsf(wanted))
    return;
  printf("%s: status %d, %g, expected %g\n", what, status, *got, wanted);
  ++failures;
}

int main(void) {
  float x = 0.5f, y = -1, trips = 3;
  for (int i = 0; i < 300 * 300; ++i)
    square[i] = i / 300 == i % 300 ? 2.0f : 0.0f;

  cg_named_memcpy_args by_memcpy = {square, out};
  expect("memcpy", cg_named_memcpy(&by_memcpy, NULL), &out[301], 8);
  cg_named_malloc_args by_malloc = {square, out};
  expect("malloc", cg_named_malloc(&by_malloc, NULL), &out[301], 16);
  cg_named_memset_args by_memset = {&x, out};
  expect("memset", cg_named_memset(&by_memset, NULL), &out[77], 1.5f);
  cg_named_aligned_alloc_args by_alloc = {&x, &trips, &y};
  expect("aligned_alloc", cg_named_aligned_alloc(&by_alloc, NULL), &y,
         cosf(x) * cosf(sinf(x)) * cosf(sinf(sinf(x))));
  cg_named_free_args by_free = {&x, &y};
  expect("free", cg_named_free(&by_free, NULL), &y, 0.25f);
  cg_named_llvm_sin_args by_sin = {&x, &y};
  expect("llvm.sin", cg_named_llvm_sin(&by_sin, NULL), &y, -0.5f);
  cg_named_cell_signature_args by_signature = {&x, &y};
  expect("cell_signature", cg_named_cell_signature(&by_signature, NULL), &y, 1);
  return failures != 0;
}
