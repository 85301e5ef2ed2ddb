/*===- halves.c - 16-bit float conversions ----------------------------------===
 *
 * The functions LLVM calls for conversions the target's instructions lack (f16
 * before F16C, double to half, bfloat before AVX512-BF16). Round to nearest,
 * ties to even. A bfloat travels in the register of a half, so its bits are
 * returned as one.
 *===----------------------------------------------------------------------===*/

#include "runtime/libc.h"

#ifdef __wasm__
typedef uint16_t half_reg; /* WebAssembly passes a half as its bits */
#else
typedef _Float16 half_reg;
#endif

float __extendhfsf2(half_reg value);
half_reg __truncsfhf2(float value);
half_reg __truncdfhf2(double value);
half_reg __truncsfbf2(float value);
half_reg __truncdfbf2(double value);

static half_reg fromBits(uint16_t bits) {
  half_reg value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float __extendhfsf2(half_reg value) {
  uint16_t h;
  memcpy(&h, &value, sizeof h);
  uint32_t sign = (uint32_t)(h & 0x8000) << 16;
  uint32_t exponent = (h >> 10) & 31, fraction = h & 0x3ff, bits;
  if (exponent == 31) { /* infinity, or a NaN made quiet */
    bits = sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0);
  } else if (exponent) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else if (fraction) {
    int shift = __builtin_clz(fraction) - 21; /* to a leading bit 10 */
    bits = sign | (uint32_t)(113 - shift) << 23 |
           ((fraction << shift) & 0x3ff) << 13;
  } else {
    bits = sign;
  }
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* Rounds a double to a binary format of `fractionBits` stored fraction bits and
   largest exponent `bias`, as bits in the low end. */
static uint16_t narrow(double value, int fractionBits, int bias) {
  uint64_t d;
  memcpy(&d, &value, sizeof d);
  uint64_t sign = d >> 63, fraction = d & ((1ull << 52) - 1);
  int exponent = (int)((d >> 52) & 2047);
  uint64_t top = (uint64_t)(2 * bias + 1) << fractionBits; /* infinity */
  uint64_t bits;
  if (exponent == 2047) {
    bits = fraction ? top | 1ull << (fractionBits - 1) |
                          fraction >> (52 - fractionBits)
                    : top;
  } else {
    int target = exponent - 1023 + bias;
    int drop = 52 - fractionBits;
    if (exponent)
      fraction |= 1ull << 52;
    if (target < 1) { /* subnormal in the narrow format */
      drop += 1 - target;
      target = 0;
    } else {
      fraction &= (1ull << 52) - 1;
    }
    if (drop > 62) {
      bits = 0;
    } else {
      uint64_t kept = fraction >> drop, rest = fraction & ((1ull << drop) - 1);
      uint64_t tie = 1ull << (drop - 1);
      /* A carry out of the fraction is the next exponent, which is what is
       * wanted. */
      bits = ((uint64_t)target << fractionBits) + kept +
             (rest > tie || (rest == tie && (kept & 1)));
    }
    if (bits > top)
      bits = top;
    if (target > 2 * bias)
      bits = top;
  }
  return (uint16_t)(sign << 15 | bits);
}

half_reg __truncsfhf2(float value) { return fromBits(narrow(value, 10, 15)); }
half_reg __truncdfhf2(double value) { return fromBits(narrow(value, 10, 15)); }
half_reg __truncsfbf2(float value) { return fromBits(narrow(value, 7, 127)); }
half_reg __truncdfbf2(double value) { return fromBits(narrow(value, 7, 127)); }
