// On every machine a call computes in the environment that programs start with,
// and gives the caller's back: rounding, subnormal numbers and flags.
// environment.c has more about x86-64.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/quotient.mlir -o %t/libnumbers.so --name=numbers
// RUN: %cc %strict -I%t %s -L%t -lnumbers -Wl,-rpath,%t -lm -o %t/run && %t/run
// RUN: %if run-aarch64 %{ cellc %S/Inputs/quotient.mlir -o %t/libnumbers.so --name=numbers --target=aarch64 %}
// RUN: %if run-aarch64 %{ aarch64-linux-gnu-gcc %strict -I%t %s -L%t -lnumbers -Wl,-rpath,%t -lm -o %t/run && %qemu_aarch64 %t/run %}
// RUN: %if run-riscv64 %{ cellc %S/Inputs/quotient.mlir -o %t/libnumbers.so --name=numbers --target=riscv64 %}
// RUN: %if run-riscv64 %{ riscv64-linux-gnu-gcc %strict -I%t %s -L%t -lnumbers -Wl,-rpath,%t -lm -o %t/run && %qemu_riscv64 %t/run %}

#include "numbers.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  float x[4] = {1.1f, 2.3f, 7.7f, 1.2e-38f}, y[4] = {3, 7, 0.3f, 3};
  float wanted[4], got[4];
  cg_numbers_quotient_args args = {x, y, wanted};
  if (cg_numbers_quotient(&args, NULL) != CG_OK || !(wanted[3] > 0))
    return 1;
  args.z = got;
  const int roundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  for (int i = 0; i < 4; ++i) {
    fesetround(roundings[i]);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_DIVBYZERO);
#ifdef __aarch64__
    unsigned long control, flush = 1ul << 24; // subnormal numbers are zeros
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | flush));
#endif
    memset(got, 0, sizeof got);
    int32_t status = cg_numbers_quotient(&args, NULL);
    int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
#ifdef __aarch64__
    unsigned long after;
    __asm__ volatile("mrs %0, fpcr" : "=r"(after));
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    if (after != (control | flush)) {
      printf("rounding %d: FPCR is %lx\n", i, after);
      return 1;
    }
#endif
    fesetround(FE_TONEAREST);
    if (status != CG_OK || rounding != roundings[i] || flags != FE_DIVBYZERO ||
        memcmp(got, wanted, sizeof got) != 0) {
      printf("rounding %d: status %d, then rounding %d, flags %x\n", i,
             (int)status, rounding, (unsigned)flags);
      return 1;
    }
  }
  return 0;
}
