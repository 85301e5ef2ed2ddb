/*===- cpu.c - does the processor have what the model needs? --------------===*/

#include "runtime/cpu.h"
#include "runtime/runtime.h"

#ifdef __x86_64__
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

/* Where CPUID tells about one feature. */
struct question {
  uint32_t leaf;
  uint8_t subleaf, reg, shift, state;
};

static const struct question questions[] = {
#define QUESTION(bit, name, leaf, subleaf, reg, shift, state)                  \
  [bit] = {leaf, subleaf, #reg[0] - 'a', shift, state},
    CELL_CPU_FEATURES(QUESTION)
#undef QUESTION
};

uint64_t cell_rt_missing_features(uint64_t wanted) {
  unsigned states = savedStates();
  uint64_t missing = 0;
  /* CPUID takes many microseconds in a virtual machine: once a leaf. */
  uint64_t last = 0;
  unsigned r[4] = {0, 0, 0, 0};
  for (unsigned bit = 0; bit < sizeof questions / sizeof *questions; ++bit) {
    if (!(wanted >> bit & 1))
      continue;
    struct question q = questions[bit];
    uint64_t leaf = (uint64_t)q.leaf << 8 | q.subleaf;
    if (leaf != last) {
      last = leaf;
      if (!__get_cpuid_count(q.leaf, q.subleaf, &r[0], &r[1], &r[2], &r[3]))
        r[0] = r[1] = r[2] = r[3] = 0;
    }
    if (!(r[q.reg] >> q.shift & 1) || !(states >> q.state & 1))
      missing |= UINT64_C(1) << bit;
  }
  return missing;
}

#else
#include "runtime/libc.h"

uint64_t cell_rt_missing_features(uint64_t wanted) {
  return wanted & ~(uint64_t)getauxval(AT_HWCAP);
}

#endif

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

int32_t cell_rt_level(const uint64_t *levels, int32_t count) {
  /* 0: not asked yet, else one more than the level. */
  static int32_t answer;
  int32_t known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (known == 0) {
    known = 1;
    while (known < count && cell_rt_missing_features(levels[known - 1]) != 0)
      ++known;
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known - 1;
}
