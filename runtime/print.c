/*===- print.c - tensors as text --------------------------------------------===
 *
 * The default print hook: the message, then the tensor the way numpy prints it,
 * with a line an innermost row. The text brings the newline that ends a line.
 * Large tensors are shortened to three rows or columns at either end.
 *===----------------------------------------------------------------------===*/

#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

enum { kEdge = 3, kThreshold = 1000 };

static double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  double fraction = bits & 1023;
  double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 31)
    return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
  if (exponent == 0)
    return sign * fraction * 0x1p-24;
  double power = 1.0;
  for (int i = 25; i < exponent; ++i)
    power *= 2.0;
  for (int i = 25; i > exponent; --i)
    power *= 0.5;
  return sign * (1024.0 + fraction) * power;
}

static double bfloatToDouble(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static int64_t elementSize(int32_t dtype) {
  switch (dtype) {
  case CG_BOOL:
  case CG_INT8:
  case CG_UINT8:
    return 1;
  case CG_INT16:
  case CG_FLOAT16:
  case CG_BFLOAT16:
    return 2;
  case CG_INT32:
  case CG_FLOAT32:
    return 4;
  default:
    return 8;
  }
}

/* The fewest digits that read back as the same float. */
static void putFloat(double value, int isSingle) {
  char text[40];
  int last = isSingle ? 9 : 17;
  for (int digits = isSingle ? 6 : 15; digits <= last; ++digits) {
    double back = 0;
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (value != value || sscanf(text, "%lf", &back) != 1)
      break;
    if (isSingle ? (float)back == (float)value : back == value)
      break;
  }
  if (value - value == 0 && !strpbrk(text, ".e"))
    strcat(text, ".");
  fputs(text, stdout);
}

static void putElement(int32_t dtype, const unsigned char *at) {
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint16_t bits;
  float f32;
  double f64;
  switch (dtype) {
  case CG_BOOL:
    fputs(*at ? "True" : "False", stdout);
    return;
  case CG_INT8:
    printf("%d", *(const signed char *)at);
    return;
  case CG_UINT8:
    printf("%u", *at);
    return;
  case CG_INT16:
    memcpy(&i16, at, sizeof i16);
    printf("%d", i16);
    return;
  case CG_INT32:
    memcpy(&i32, at, sizeof i32);
    printf("%d", (int)i32);
    return;
  case CG_INT64:
    memcpy(&i64, at, sizeof i64);
    printf("%lld", (long long)i64);
    return;
  case CG_FLOAT16:
  case CG_BFLOAT16:
    memcpy(&bits, at, sizeof bits);
    printf("%.4g",
           dtype == CG_FLOAT16 ? halfToDouble(bits) : bfloatToDouble(bits));
    return;
  case CG_FLOAT32:
    memcpy(&f32, at, sizeof f32);
    putFloat(f32, 1);
    return;
  case CG_FLOAT64:
    memcpy(&f64, at, sizeof f64);
    putFloat(f64, 0);
    return;
  default:
    fputc('?', stdout);
  }
}

/* Prints the sub-tensor at `data` whose first dimension is `dim`; returns
   nothing else than text. Depth is bounded by the rank, which the compiler
   fixed. */
static void putTensor(const cg_print_record *r, const unsigned char *data,
                      int dim, int shorten) {
  if (dim == r->rank) {
    putElement(r->dtype, data);
    return;
  }
  int64_t stride = elementSize(r->dtype);
  for (int i = dim + 1; i < r->rank; ++i)
    stride *= r->shape[i];
  fputc('[', stdout);
  for (int64_t i = 0; i < r->shape[dim]; ++i) {
    if (i > 0 && dim == r->rank - 1)
      fputc(' ', stdout);
    if (i > 0 && dim < r->rank - 1) {
      fputc('\n', stdout);
      for (int pad = 0; pad <= dim; ++pad)
        fputc(' ', stdout);
    }
    if (shorten && r->shape[dim] > 2 * kEdge && i == kEdge) {
      fputs("...", stdout);
      i = r->shape[dim] - kEdge - 1;
      continue;
    }
    putTensor(r, data + i * stride, dim + 1, shorten);
  }
  fputc(']', stdout);
}

static void printToStdout(const cg_print_record *r) {
  fputs(r->text, stdout);
  if (r->data) {
    int64_t count = 1;
    for (int i = 0; i < r->rank; ++i)
      count *= r->shape[i];
    putTensor(r, (const unsigned char *)r->data, 0, count > kThreshold);
  }
}

void cell_rt_print(const cg_context *context, const char *text, int32_t dtype,
                   int32_t rank, const int64_t *shape, const void *data) {
  cg_print_record record = {sizeof record, dtype, rank, 0, shape, text, data};
  if (context && context->print)
    context->print(&record, context->print_user);
  else
    printToStdout(&record);
}
