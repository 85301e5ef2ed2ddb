// What a model prints goes to the hook of the context, or to stdout.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/print.mlir -o %t/libprint.so
// RUN: %cc %strict -I%t %s -L%t -lprint -Wl,-rpath,%t -o %t/run
// RUN: %t/run | FileCheck %s
// RUN: llvm-readelf -d %t/libprint.so | FileCheck %s --check-prefix=NEEDED

// NEEDED: NEEDED{{.*}}[libc.so.6]
// NEEDED-NOT: NEEDED

#include "print.h"

#include <stdio.h>
#include <string.h>

static void hook(const cg_print_record *record, void *user) {
  printf("hook %s: text '%.*s' dtype %d rank %d", (const char *)user,
         (int)strcspn(record->text, "\n"), record->text, record->dtype,
         record->rank);
  if (record->data)
    printf(" shape %d first %g", (int)record->shape[0],
           (double)*(const float *)record->data);
  printf("\n");
}

int main(void) {
  float x[6] = {1, -2.5f, 0.1f, 3e10f, 5, 6}, y[6];
  cg_print_f_args args = {x, y};
  cg_context context = {
      .struct_size = sizeof context, .print = hook, .print_user = "mine"};
  // CHECK: hook mine: text 'x is ' dtype 8 rank 2 shape 2 first 1
  // CHECK-NEXT: hook mine: text ' today' dtype
  if (cg_print_f(&args, &context) != CG_OK)
    return 1;
  // CHECK-NEXT: x is {{\[\[}}1. -2.5 0.1]
  // CHECK-NEXT: [3e+10 5. 6.]] today
  if (cg_print_f(&args, NULL) != CG_OK)
    return 1;
  // CHECK-NEXT: y 2
  printf("y %g\n", (double)y[0]);

  cg_bool a[2] = {1, 0};
  int8_t b = -8;
  int16_t c = -16000;
  int32_t d = -2000000000;
  int64_t e = -9000000000000000000;
  cg_float16 f = 0x3c00;
  cg_bfloat16 h = 0xc000;
  double all[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, sum;
  cg_print_g_args given = {a, &b, &c, &d, &e, &f, &h, all, &sum};
  // CHECK-NEXT: [True False] -8 -16000 -2000000000 -9000000000000000000 1 -2
  // CHECK-NEXT: part {{\[\[}}5. 7.]
  // CHECK-NEXT: [9. 11.]]
  if (cg_print_g(&given, NULL) != CG_OK)
    return 1;
  // CHECK-NEXT: sum 32
  printf("sum %g\n", sum);
  return 0;
}
