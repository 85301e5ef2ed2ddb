// The conversions a model brings for processors without 16-bit floats, against
// those of the C compiler's own library, for every half and for floats around
// every half.
// RUN: %cc -std=c11 -O1 -mno-f16c -I%root %s -o %t && %t

#define __extendhfsf2 ours_extendhfsf2
#define __truncsfhf2 ours_truncsfhf2
#define __truncdfhf2 ours_truncdfhf2
#define __truncsfbf2 ours_truncsfbf2
#define __truncdfbf2 ours_truncdfbf2
#include "runtime/halves.c"
#undef __extendhfsf2
#undef __truncsfhf2
#undef __truncdfhf2

#include <math.h>
#include <stdio.h>

static int failures;

static uint16_t bits(half_reg h) {
  uint16_t b;
  memcpy(&b, &h, sizeof b);
  return b;
}

static void expect(const char *what, double x, uint16_t got, uint16_t wanted) {
  // Which NaN comes out is free, that one comes out is not.
  int nan = (wanted & 0x7c00) == 0x7c00 && (wanted & 0x3ff);
  if (got == wanted || (nan && (got & 0x7c00) == 0x7c00 && (got & 0x3ff)))
    return;
  if (failures++ < 10)
    printf("%s(%a): %04x, expected %04x\n", what, x, got, wanted);
}

static float fromBfloat(uint32_t b) {
  float f;
  b <<= 16;
  memcpy(&f, &b, sizeof f);
  return f;
}

/// The bfloat nearest to `x`, by comparing the two around it.
static uint16_t nearestBfloat(double x) {
  float f = (float)fabs(x); // one of the neighbours, or one above it
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  uint16_t low = b >> 16, sign = signbit(x) ? 0x8000 : 0;
  if (fromBfloat(low) > fabs(x))
    --low;
  if (low >= 0x7f80)
    return sign | 0x7f80;
  double below = fromBfloat(low);
  double above = low == 0x7f7f ? 0x1p128 : (double)fromBfloat(low + 1);
  double middle = below / 2 + above / 2;
  int up = fabs(x) > middle || (fabs(x) == middle && (low & 1));
  return sign | (low + up);
}

int main(void) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    half_reg h = fromBits(b);
    volatile half_reg opaque = h;
    float theirs = (float)opaque, ours = ours_extendhfsf2(h);
    if (memcmp(&theirs, &ours, 4) != 0 && !(isnan(theirs) && isnan(ours)))
      ++failures;
    // Values between this half and the next, and just beside the ties.
    double x = theirs, step = ldexp(fabs(x) > 6.2e-5 ? fabs(x) : 6.2e-5, -13);
    for (int i = -5; i <= 5 && !isnan(x); ++i)
      for (int j = -1; j <= 1; ++j) {
        volatile double d = x + i * step * 0.5 + j * 1e-14 * fabs(x);
        volatile float f = (float)d;
        expect("f16 of f64", d, bits(ours_truncdfhf2(d)), bits((half_reg)d));
        expect("f16 of f32", f, bits(ours_truncsfhf2(f)), bits((half_reg)f));
      }
  }
  for (uint32_t b = 0; b < 0xff80; ++b) {
    if ((b & 0x7fff) >= 0x7f80)
      continue;
    double x = fromBfloat(b), next = fromBfloat(b + 1);
    if ((b & 0x7fff) == 0x7f7f)
      next = x * (1 + 0x1p-7);
    for (int i = 0; i <= 16; ++i)
      for (int j = -1; j <= 1; ++j) {
        double d = x + (next - x) * i / 16 + j * (next - x) * 1e-9;
        expect("bf16 of f64", d, bits(ours_truncdfbf2(d)), nearestBfloat(d));
        float f = (float)d;
        expect("bf16 of f32", f, bits(ours_truncsfbf2(f)), nearestBfloat(f));
      }
  }
  expect("bf16 of nan", NAN, bits(ours_truncsfbf2(NAN)) == 0x7fc0, 1);
  expect("bf16 of inf", INFINITY, bits(ours_truncsfbf2(-INFINITY)), 0xff80);
  return failures != 0;
}
