// The default print hook writes every dtype and rank the way numpy does, floats
// with the fewest digits that read back, and shortens what is large: in every
// locale the same.
// RUN: %cc %strict -I%root -c %root/runtime/print.c -o %t.print.o
// RUN: %cc %strict -I%root -c %s -o %t.main.o
// RUN: %cc %t.main.o %t.print.o -o %t && %t | FileCheck --strict-whitespace %s
// RUN: %python %root/test/python/comma_locale.py %t.locales
// RUN: env LOCPATH=%t.locales %t comma | FileCheck --strict-whitespace %s
// RUN: env LOCPATH=%t.locales %t arabic | FileCheck --strict-whitespace %s

#include "runtime/runtime.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const char *text, int32_t dtype, int32_t rank,
                 const int64_t *shape, const void *data) {
  cell_rt_print(0, text, dtype, rank, shape, data);
  cell_rt_print(0, "\n", 0, 0, 0, 0);
}

/* Takes the locale, which must be found and have another decimal point. */
static void take(const char *locale) {
  char text[16];
  if (!setlocale(LC_NUMERIC, locale))
    exit(1);
  snprintf(text, sizeof text, "%.1f", 0.5);
  if (text[1] == '.')
    exit(2);
}

int main(int argc, char **argv) {
  if (argc > 1)
    take(argv[1]);
  const int64_t four[] = {4}, square[] = {2, 2}, cube[] = {1, 2, 2};
  const uint8_t flags[] = {1, 0, 0, 1};
  // CHECK:{{^}}flags [True False False True]{{$}}
  show("flags ", CG_BOOL, 1, four, flags);
  const int8_t i8[] = {-128, 127, 0, 5};
  // CHECK-NEXT:{{^}}[-128 127 0 5]{{$}}
  show("", CG_INT8, 1, four, i8);
  const uint8_t u8[] = {255, 0, 1, 2};
  // CHECK-NEXT:{{^}}[255 0 1 2]{{$}}
  show("", CG_UINT8, 1, four, u8);
  const uint16_t u16[] = {65535, 0, 32768, 2};
  // CHECK-NEXT:{{^}}[65535 0 32768 2]{{$}}
  show("", CG_UINT16, 1, four, u16);
  const uint32_t u32[] = {UINT32_MAX, 0, 2147483648, 2};
  // CHECK-NEXT:{{^}}{{\[\[}}4294967295 0]{{$}}
  // CHECK-NEXT:{{^}} [2147483648 2]]{{$}}
  show("", CG_UINT32, 2, square, u32);
  const uint64_t u64[] = {UINT64_MAX, 0, 9223372036854775808u, 2};
  // CHECK-NEXT:{{^}}[18446744073709551615 0 9223372036854775808 2]{{$}}
  show("", CG_UINT64, 1, four, u64);
  const int16_t i16[] = {-32768, 32767, 0, 1};
  // CHECK-NEXT:{{^}}[-32768 32767 0 1]{{$}}
  show("", CG_INT16, 1, four, i16);
  const int32_t i32[] = {INT32_MIN, INT32_MAX, 0, 1};
  // CHECK-NEXT:{{^}}{{\[\[}}-2147483648 2147483647]{{$}}
  // CHECK-NEXT:{{^}} [0 1]]{{$}}
  show("", CG_INT32, 2, square, i32);
  const int64_t i64[] = {INT64_MIN, INT64_MAX, 0, 1};
  // CHECK-NEXT:{{^}}{{\[\[\[}}-9223372036854775808 9223372036854775807]{{$}}
  // CHECK-NEXT:{{^}}  [0 1]]]{{$}}
  show("", CG_INT64, 3, cube, i64);
  const uint16_t f16[] = {0x3c00, 0xc100, 0x7c00, 0x0001};
  // CHECK-NEXT:{{^}}[1 -2.5 inf 5.96e-08]{{$}}
  show("", CG_FLOAT16, 1, four, f16);
  const uint16_t bf16[] = {0x3f80, 0xc020, 0xff80, 0x4049};
  // CHECK-NEXT:{{^}}[1 -2.5 -inf 3.141]{{$}}
  show("", CG_BFLOAT16, 1, four, bf16);
  const float f32[] = {0.1f, -0.0f, INFINITY, 16777216.0f};
  // CHECK-NEXT:{{^}}[0.1 -0. inf 16777216.]{{$}}
  show("", CG_FLOAT32, 1, four, f32);
  const double f64[] = {0.1, 1.0 / 3, NAN, 1e300};
  // CHECK-NEXT:{{^}}[0.1 0.3333333333333333 nan 1e+300]{{$}}
  show("", CG_FLOAT64, 1, four, f64);
  const float wide[] = {1.5e-5f, -123456.789f, 3e10f, 0.0001f};
  // CHECK-NEXT:{{^}}[1.5e-05 -123456.79 3e+10 0.0001]{{$}}
  show("", CG_FLOAT32, 1, four, wide);
  // CHECK-NEXT:{{^}}scalar 0.1{{$}}
  show("scalar ", CG_FLOAT64, 0, 0, f64);
  const int64_t none[] = {0}, inside[] = {2, 0, 3};
  // CHECK-NEXT:{{^}}[]{{$}}
  show("", CG_FLOAT64, 1, none, f64);
  // CHECK-NEXT:{{^}}[]{{$}}
  show("", CG_FLOAT64, 3, inside, f64);

  static int32_t large[40 * 40];
  for (int i = 0; i < 40 * 40; ++i)
    large[i] = i;
  const int64_t shape[] = {40, 40};
  // CHECK-NEXT:{{^}}{{\[\[}}0 1 2 ... 37 38 39]{{$}}
  // CHECK-NEXT:{{^}} [40 41 42 ... 77 78 79]{{$}}
  // CHECK-NEXT:{{^}} [80 81 82 ... 117 118 119]{{$}}
  // CHECK-NEXT:{{^}} ...{{$}}
  // CHECK-NEXT:{{^}} [1480 1481 1482 ... 1517 1518 1519]{{$}}
  // CHECK-NEXT:{{^}} [1520 1521 1522 ... 1557 1558 1559]{{$}}
  // CHECK-NEXT:{{^}} [1560 1561 1562 ... 1597 1598 1599]]{{$}}
  show("", CG_INT32, 2, shape, large);
  return 0;
}
