// Unsigned integers have their own types in C; a tensor without elements may be
// anywhere.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/parts.mlir -o %t/libparts.so
// RUN: %cc %strict -I%t %s -L%t -lparts -Wl,-rpath,%t -o %t/run
// RUN: %t/run | FileCheck %s

#include "parts.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
  const uint8_t a[3] = {255, 128, 3};
  const uint32_t b[3] = {4294967295u, 65536, 3};
  uint8_t half[3];
  uint64_t square[3];
  float sums[2] = {1, 2}, somewhere;
  for (int i = 0; i < 2; ++i) {
    cg_parts_halves_args args = {a, b, 0, half, square, 0, sums};
    if (i)
      args.arg2 = args.out2 = &somewhere;
    printf("status %d\n", (int)cg_parts_halves(&args, 0));
  }
  // CHECK: status 0
  // CHECK-NEXT: status 0
  printf("%d %d %d\n", half[0], half[1], half[2]);
  // CHECK-NEXT: 127 64 1
  printf("%" PRIu64 " %" PRIu64 "\n", square[0], square[1]);
  // CHECK-NEXT: 18446744065119617025 4294967296
  printf("%g %g\n", sums[0], sums[1]);
  // CHECK-NEXT: 0 0
  return 0;
}
