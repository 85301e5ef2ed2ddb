/*===- print.c - tensors as text --------------------------------------------===
 *
 * The default print hook: the message, then the tensor the way numpy prints it,
 * with a line an innermost row, in every locale the same. The text brings the
 * newline that ends a line.
 * Large tensors are shortened to three rows or columns at either end.
 *===----------------------------------------------------------------------===*/

#include "runtime/libc.h"
#include "runtime/runtime.h"

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
  case CG_UINT16:
  case CG_FLOAT16:
  case CG_BFLOAT16:
    return 2;
  case CG_INT32:
  case CG_UINT32:
  case CG_FLOAT32:
    return 4;
  default:
    return 8;
  }
}

/* The digits of a finite number, rounded to `count` of them, and its exponent
   of ten. Locales choose the decimal point, of any number of bytes: none of
   them is a digit or an e. */
static int toDigits(double value, int count, char *digits) {
  char text[48];
  snprintf(text, sizeof text, "%.*e", count - 1, value);
  const char *at = text;
  for (; *at && *at != 'e'; ++at)
    if (*at >= '0' && *at <= '9')
      *digits++ = *at;
  *digits = 0;
  int exponent = 0;
  if (*at) {
    for (const char *c = at + 2; *c; ++c)
      exponent = exponent * 10 + (*c - '0');
    if (at[1] == '-')
      exponent = -exponent;
  }
  return exponent;
}

/* Whether the digits read back as the number. They are read as an integer with
   an exponent: no decimal point, no locale. */
static int readsBack(const char *digits, int exponent, double value,
                     int isSingle) {
  char text[48];
  double back = 0;
  snprintf(text, sizeof text, "%se%d", digits,
           exponent - (int)strlen(digits) + 1);
  if (sscanf(text, "%lf", &back) != 1)
    return 0;
  if (value < 0)
    back = -back;
  return isSingle ? (float)back == (float)value : back == value;
}

/* The number with the digits given, as "%.*g" in the C locale has it: `count`
   is how many there may be, and decides where the exponent is written. */
static void putDigits(const char *digits, int exponent, int count,
                      int isNegative, int isFloat) {
  char text[48], *out = text;
  int used = (int)strlen(digits);
  while (used > 1 && digits[used - 1] == '0')
    --used;
  if (isNegative)
    *out++ = '-';
  int isScientific = exponent < -4 || exponent >= count;
  int point = isScientific ? 1 : exponent + 1; /* digits before it */
  if (point <= 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = point; i < 0; ++i)
      *out++ = '0';
  }
  for (int i = 0; i < used || i < point; ++i) {
    if (i > 0 && i == point)
      *out++ = '.';
    *out++ = i < used ? digits[i] : '0';
  }
  if (isFloat && !isScientific && used <= point)
    *out++ = '.';
  *out = 0;
  fputs(text, stdout);
  if (isScientific)
    printf("e%c%02d", exponent < 0 ? '-' : '+',
           exponent < 0 ? -exponent : exponent);
}

/* Infinities and NaNs have names; true if `value` is one and was written. */
static int putSpecial(double value) {
  if (value - value == 0)
    return 0;
  fputs(value != value ? "nan" : value < 0 ? "-inf" : "inf", stdout);
  return 1;
}

/* The fewest digits that read back as the same float. */
static void putFloat(double value, int isSingle) {
  char digits[24];
  int count = isSingle ? 6 : 15, last = isSingle ? 9 : 17;
  if (putSpecial(value))
    return;
  int exponent = toDigits(value, count, digits);
  while (count < last && !readsBack(digits, exponent, value, isSingle))
    exponent = toDigits(value, ++count, digits);
  putDigits(digits, exponent, count, __builtin_signbit(value) != 0, 1);
}

/* Four digits: what a half has. */
static void putHalf(double value) {
  char digits[24];
  if (putSpecial(value))
    return;
  int exponent = toDigits(value, 4, digits);
  putDigits(digits, exponent, 4, __builtin_signbit(value) != 0, 0);
}

static void putElement(int32_t dtype, const unsigned char *at) {
  int16_t i16;
  int32_t i32;
  int64_t i64;
  uint16_t bits;
  uint32_t u32;
  uint64_t u64;
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
  case CG_UINT16:
    memcpy(&bits, at, sizeof bits);
    printf("%u", bits);
    return;
  case CG_UINT32:
    memcpy(&u32, at, sizeof u32);
    printf("%u", (unsigned)u32);
    return;
  case CG_UINT64:
    memcpy(&u64, at, sizeof u64);
    printf("%llu", (unsigned long long)u64);
    return;
  case CG_FLOAT16:
  case CG_BFLOAT16:
    memcpy(&bits, at, sizeof bits);
    putHalf(dtype == CG_FLOAT16 ? halfToDouble(bits) : bfloatToDouble(bits));
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
    if (count == 0)
      fputs("[]", stdout);
    else
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
