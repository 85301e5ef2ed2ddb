/*===- processors.c - the processors there are
 * ------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/libc.h"
#include "runtime/threads.h"

int32_t cell_rt_processors(void) {
  uint64_t set[1024]; /* 65536 of them */
  if (sched_getaffinity(0, sizeof set, (cpu_set_t *)set))
    return 1;
  int32_t count = 0;
  for (unsigned i = 0; i < sizeof set / sizeof *set; ++i)
    for (uint64_t rest = set[i]; rest; rest &= rest - 1)
      ++count;
  return count ? count : 1;
}
