/*===- combine.c - elements of several ranks
 * ---------------------------------===*/

#include "runtime/comm/parts.h"

#include <string.h>

/* Of runtime/halves.c. */
float __extendhfsf2(_Float16 value);
_Float16 __truncsfhf2(float value);
_Float16 __truncsfbf2(float value);

typedef struct half {
  uint16_t bits;
} half;
typedef struct bfloat {
  uint16_t bits;
} bfloat;

static float wide_half(half x) {
  _Float16 value;
  memcpy(&value, &x, sizeof value);
  return __extendhfsf2(value);
}

static half narrow_half(float x) {
  _Float16 value = __truncsfhf2(x);
  half result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static float wide_bfloat(bfloat x) {
  uint32_t bits = (uint32_t)x.bits << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bfloat narrow_bfloat(float x) {
  _Float16 value = __truncsfbf2(x);
  bfloat result;
  memcpy(&result, &value, sizeof result);
  return result;
}

#define SAME(x) (x)

enum { kBlock = 512, kDepth = 32 };

/* NaN where one is NaN. Integers wrap: they are added without a sign. */
#define COMBINER(NAME, T, WORK, WIDE, NARROW)                                  \
  static void join_##NAME(int32_t op, T *a, const T *b, int64_t n) {           \
    for (int64_t i = 0; i < n; ++i) {                                          \
      WORK x = WIDE(a[i]), y = WIDE(b[i]);                                     \
      if (op == CG_SUM)                                                        \
        x = (WORK)(x + y);                                                     \
      else if (op == CG_PROD)                                                  \
        x = (WORK)(x * y);                                                     \
      else if (op == CG_MAX)                                                   \
        x = x > y || x != x ? x : y;                                           \
      else                                                                     \
        x = x < y || x != x ? x : y;                                           \
      a[i] = NARROW(x);                                                        \
    }                                                                          \
  }                                                                            \
  static void combine_##NAME(int32_t op, char *out, const char *parts,         \
                             size_t stride, const int32_t *order,              \
                             int32_t count, int64_t n) {                       \
    T level[kDepth][kBlock];                                                   \
    for (int64_t at = 0; at < n; at += kBlock) {                               \
      int64_t m = n - at < kBlock ? n - at : kBlock;                           \
      int32_t used = 0;                                                        \
      for (int32_t p = 0; p < count; ++p) {                                    \
        memcpy(level[used++],                                                  \
               parts + (size_t)(order ? order[p] : p) * stride +               \
                   (size_t)at * sizeof(T),                                     \
               (size_t)m * sizeof(T));                                         \
        int32_t joins =                                                        \
            p + 1 == count ? used - 1 : __builtin_ctz((unsigned)p + 1);        \
        for (; joins > 0; --joins, --used)                                     \
          join_##NAME(op, level[used - 2], level[used - 1], m);                \
      }                                                                        \
      memcpy(out + (size_t)at * sizeof(T), level[0], (size_t)m * sizeof(T));   \
    }                                                                          \
  }

COMBINER(float, float, float, SAME, SAME)
COMBINER(double, double, double, SAME, SAME)
COMBINER(half, half, float, wide_half, narrow_half)
COMBINER(bfloat, bfloat, float, wide_bfloat, narrow_bfloat)

/* Sums and products of integers wrap; extrema have a sign. */
#define INTEGER(BITS)                                                          \
  COMBINER(u##BITS, uint##BITS##_t, uint64_t, SAME, (uint##BITS##_t))          \
  COMBINER(s##BITS, int##BITS##_t, int64_t, SAME, (int##BITS##_t))             \
  static void combine_i##BITS(int32_t op, char *out, const char *parts,        \
                              size_t stride, const int32_t *order,             \
                              int32_t count, int64_t n) {                      \
    (op == CG_SUM || op == CG_PROD ? combine_u##BITS : combine_s##BITS)(       \
        op, out, parts, stride, order, count, n);                              \
  }

INTEGER(8)
INTEGER(16)
INTEGER(32)
INTEGER(64)

size_t commElementBytes(int32_t dtype) {
  switch (dtype) {
  case CG_FLOAT64:
  case CG_INT64:
    return 8;
  case CG_FLOAT32:
  case CG_INT32:
    return 4;
  case CG_FLOAT16:
  case CG_BFLOAT16:
  case CG_INT16:
    return 2;
  case CG_INT8:
    return 1;
  default:
    return 0;
  }
}

void commCombine(int32_t dtype, int32_t op, void *out, const void *parts,
                 size_t stride, const int32_t *order, int32_t count,
                 int64_t n) {
  switch (dtype) {
  case CG_FLOAT64:
    combine_double(op, out, parts, stride, order, count, n);
    break;
  case CG_FLOAT32:
    combine_float(op, out, parts, stride, order, count, n);
    break;
  case CG_FLOAT16:
    combine_half(op, out, parts, stride, order, count, n);
    break;
  case CG_BFLOAT16:
    combine_bfloat(op, out, parts, stride, order, count, n);
    break;
  case CG_INT64:
    combine_i64(op, out, parts, stride, order, count, n);
    break;
  case CG_INT32:
    combine_i32(op, out, parts, stride, order, count, n);
    break;
  case CG_INT16:
    combine_i16(op, out, parts, stride, order, count, n);
    break;
  default:
    combine_i8(op, out, parts, stride, order, count, n);
  }
}
