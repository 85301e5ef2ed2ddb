// A call has the floating-point environment that programs start with, whatever
// the host's: exceptions that trap, rounding and flushed subnormal numbers do
// not change a bit, and the host finds its environment as it was.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/environment.mlir -o %t/libnumbers.so --name=numbers
// RUN: %cc %strict -D_GNU_SOURCE -I%t %s -L%t -lnumbers -Wl,-rpath,%t -lm -o %t/run
// RUN: %t/run
// RUN: cellc %S/Inputs/environment.mlir -o %t/libnumbers.so --name=numbers --target=x86-64-v2
// RUN: %t/run

#include "numbers.h"

#include <fenv.h>
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#define FLOATS(X)                                                              \
  X(rsqrt_f32, float)                                                          \
  X(acosh_f32, float)                                                          \
  X(reciprocal_f32, float)                                                     \
  X(lgamma_f32, float)                                                         \
  X(digamma_f32, float)                                                        \
  X(div_f32, float)                                                            \
  X(trunc_mod_f32, float)                                                      \
  X(floor_mod_f32, float)                                                      \
  X(floor_div_f32, float)                                                      \
  X(pow_f32, float)                                                            \
  X(rounding_f32, float)                                                       \
  X(tiny_f32, float)
#define DOUBLES(X)                                                             \
  X(rsqrt_f64, double)                                                         \
  X(acosh_f64, double)                                                         \
  X(reciprocal_f64, double)                                                    \
  X(lgamma_f64, double)                                                        \
  X(digamma_f64, double)                                                       \
  X(div_f64, double)                                                           \
  X(trunc_mod_f64, double)                                                     \
  X(floor_mod_f64, double)                                                     \
  X(floor_div_f64, double)                                                     \
  X(pow_f64, double)                                                           \
  X(infinite_f64, double)                                                      \
  X(loud_f64, double)                                                          \
  X(checked_f64, double)

enum { kDefault = 0x1f80, kFlags = 0x3f, kZeros = 0x8040 };

static int failures;
static unsigned inHook;

static void hook(const cg_print_record *record, void *user) {
  (void)record, (void)user;
  inHook = _mm_getcsr() & ~(unsigned)kFlags;
}

static void expect(const char *what, int holds) {
  if (holds)
    return;
  ++failures;
  printf("%s\n", what);
}

#define RUN(name, type)                                                        \
  {                                                                            \
    type x[5], y[5], r[5];                                                     \
    for (int i = 0; i < 5; ++i) {                                              \
      x[i] = (type)1.1 + (type)0.3 * (type)i;                                  \
      y[i] = 2 - (type)0.1 * (type)i;                                          \
    }                                                                          \
    cg_numbers_##name##_args args = {x, y, r};                                 \
    cg_context context = {.struct_size = sizeof context, .print = hook};       \
    _mm_setcsr(csr);                                                           \
    int32_t status = cg_numbers_##name(&args, &context);                       \
    unsigned after = _mm_getcsr();                                             \
    _mm_setcsr(kDefault);                                                      \
    expect("status of " #name,                                                 \
           status == (strstr(#name, "checked") ? CG_ERROR_CHECK : CG_OK));     \
    expect("environment after " #name, after == csr);                          \
    memcpy(results[count++], r, sizeof r);                                     \
  }

/// All entries in the environment `csr`.
static void run(unsigned csr, double results[][5]) {
  int count = 0;
  _mm_setcsr(kDefault); // for what stands between the calls
  FLOATS(RUN)
  DOUBLES(RUN)
}

int main(void) {
  static double normal[32][5], other[32][5];
  run(kDefault, normal);
  expect("the hook is called in the default environment", inHook == kDefault);
  float tiny[5];
  memcpy(tiny, normal[11], sizeof tiny);
  expect("subnormal numbers are kept", tiny[4] > 0 && tiny[4] < 1e-38f);

  const unsigned traps[] = {FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW,
                            FE_ALL_EXCEPT};
  const int roundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  for (int trap = 0; trap < 2; ++trap)
    for (int rounding = 0; rounding < 4; ++rounding) {
      feclearexcept(FE_ALL_EXCEPT);
      feenableexcept((int)traps[trap]);
      fesetround(roundings[rounding]);
      unsigned csr = _mm_getcsr() | (trap ? 0 : kZeros);
      // A flag that was set stays, and none is added. One that traps is not
      // set: the next instruction of the host would trap.
      csr |= trap ? 0 : FE_INEXACT;
      memset(other, 0, sizeof other);
      run(csr, other);
      fedisableexcept(FE_ALL_EXCEPT);
      fesetround(FE_TONEAREST);
      expect("the same bits", memcmp(normal, other, sizeof normal) == 0);
    }

  // An error before the computation.
  double x[5] = {1, 1, 1, 1, 1}, r[5];
  cg_numbers_div_f64_args bad = {x, NULL, r};
  unsigned csr = kDefault | _MM_ROUND_UP | kZeros | FE_INEXACT;
  _mm_setcsr(csr);
  int32_t status = cg_numbers_div_f64(&bad, NULL);
  unsigned after = _mm_getcsr();
  _mm_setcsr(kDefault);
  expect("an error", status == CG_ERROR_NULL_ARGUMENT && after == csr);
  return failures != 0;
}
