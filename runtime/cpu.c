/*===- cpu.c - does this processor have what the model was compiled for?
 * -----===*/

#include "runtime/cpu.h"
#include "runtime/runtime.h"

#include <cpuid.h>

/* Which register states the operating system saves: bit 1 for AVX, bit 2 for
   AVX-512, as the last column of the table counts. */
static unsigned savedStates(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) /* OSXSAVE */
    return 1;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  unsigned states = 1;
  if ((low & 0x06) == 0x06)
    states |= 2;
  if ((low & 0xe6) == 0xe6)
    states |= 4;
  return states;
}

/* The registers of one CPUID leaf; zeros where the processor has no such leaf.
 */
struct leaf {
  unsigned a, b, c, d;
};

static struct leaf readLeaf(unsigned leaf, unsigned subleaf) {
  struct leaf r = {0, 0, 0, 0};
  if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d))
    r = (struct leaf){0, 0, 0, 0};
  return r;
}

uint64_t cell_rt_missing_features(uint64_t wanted) {
  unsigned states = savedStates();
  uint64_t missing = 0;
#define CHECK(bit, name, number, sub, reg, shift, state)                       \
  if (wanted >> bit & 1) {                                                     \
    struct leaf r = readLeaf(number, sub);                                     \
    if (!(r.reg >> shift & 1) || !(states >> state & 1))                       \
      missing |= UINT64_C(1) << bit;                                           \
  }
  CELL_CPU_FEATURES(CHECK)
#undef CHECK
  return missing;
}

int32_t cell_rt_check_cpu(uint64_t wanted) {
  /* 0: not asked yet, 1: fine, 2: not. Threads that race write the same. */
  static int answer;
  int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known == 0) {
    known = cell_rt_missing_features(wanted) == 0 ? 1 : 2;
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known == 1 ? CG_OK : CG_ERROR_CPU;
}
