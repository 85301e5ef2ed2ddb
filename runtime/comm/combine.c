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

static const char *partOf(const comm_parts *parts, int32_t p) {
  if (p == parts->own)
    return parts->mine;
  return parts->first +
         (size_t)(parts->order ? parts->order[p] : p) * parts->stride;
}

enum { kBlock = 1024, kDepth = 32, kRun = 64 };

/* NaN where one is NaN. Integers wrap: they are added without a sign. A run has
   a length that compilers know, and a place that is nobody else's, so they make
   vectors of it without being asked to. */
#define JOIN(T, WORK, WIDE, NARROW, FORMULA)                                   \
  for (; n > 0; n -= kRun, a += kRun, b += kRun, out += kRun) {                \
    T run[kRun];                                                               \
    if (n >= kRun) {                                                           \
      for (int i = 0; i < kRun; ++i) {                                         \
        WORK x = WIDE(a[i]), y = WIDE(b[i]);                                   \
        run[i] = NARROW((WORK)(FORMULA));                                      \
      }                                                                        \
      memcpy(out, run, sizeof run);                                            \
    } else {                                                                   \
      for (int i = 0; i < n; ++i) {                                            \
        WORK x = WIDE(a[i]), y = WIDE(b[i]);                                   \
        out[i] = NARROW((WORK)(FORMULA));                                      \
      }                                                                        \
    }                                                                          \
  }                                                                            \
  break

#define COMBINER(NAME, T, WORK, WIDE, NARROW)                                  \
  static void join_##NAME(int32_t op, T *out, const T *a, const T *b,          \
                          int64_t n) {                                         \
    switch (op) {                                                              \
    case CG_SUM:                                                               \
      JOIN(T, WORK, WIDE, NARROW, x + y);                                      \
    case CG_PROD:                                                              \
      JOIN(T, WORK, WIDE, NARROW, x * y);                                      \
    case CG_MAX:                                                               \
      JOIN(T, WORK, WIDE, NARROW, x > y || x != x ? x : y);                    \
    default:                                                                   \
      JOIN(T, WORK, WIDE, NARROW, x < y || x != x ? x : y);                    \
    }                                                                          \
  }                                                                            \
  static void combine_##NAME(int32_t op, char *out, const comm_parts *parts,   \
                             int64_t n) {                                      \
    T level[kDepth][kBlock];                                                   \
    int32_t count = parts->count;                                              \
    for (int64_t at = 0; at < n; at += kBlock) {                               \
      int64_t m = n - at < kBlock ? n - at : kBlock;                           \
      size_t skip = (size_t)at * sizeof(T);                                    \
      T *to = (T *)(void *)(out + skip);                                       \
      int32_t used = 0;                                                        \
      for (int32_t p = 0; p < count; p += 2) {                                 \
        const T *a = (const T *)(const void *)(partOf(parts, p) + skip);       \
        if (p + 1 == count) {                                                  \
          memmove(count == 1 ? to : level[used], a, (size_t)m * sizeof(T));    \
          ++used;                                                              \
        } else {                                                               \
          const T *b = (const T *)(const void *)(partOf(parts, p + 1) + skip); \
          join_##NAME(op, count == 2 ? to : level[used++], a, b, m);           \
        }                                                                      \
        int32_t ended = p + 2 >= count;                                        \
        int32_t joins = ended ? used - 1 : __builtin_ctz((unsigned)p + 2) - 1; \
        for (; joins > 0; --joins, --used)                                     \
          join_##NAME(op, ended && used == 2 ? to : level[used - 2],           \
                      level[used - 2], level[used - 1], m);                    \
      }                                                                        \
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
  static void combine_i##BITS(int32_t op, char *out, const comm_parts *parts,  \
                              int64_t n) {                                     \
    (op == CG_SUM || op == CG_PROD ? combine_u##BITS                           \
                                   : combine_s##BITS)(op, out, parts, n);      \
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

void commCombine(int32_t dtype, int32_t op, void *out, const comm_parts *parts,
                 int64_t n) {
  switch (dtype) {
  case CG_FLOAT64:
    combine_double(op, out, parts, n);
    break;
  case CG_FLOAT32:
    combine_float(op, out, parts, n);
    break;
  case CG_FLOAT16:
    combine_half(op, out, parts, n);
    break;
  case CG_BFLOAT16:
    combine_bfloat(op, out, parts, n);
    break;
  case CG_INT64:
    combine_i64(op, out, parts, n);
    break;
  case CG_INT32:
    combine_i32(op, out, parts, n);
    break;
  case CG_INT16:
    combine_i16(op, out, parts, n);
    break;
  default:
    combine_i8(op, out, parts, n);
  }
}
