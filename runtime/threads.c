/*===- threads.c - how many threads to compute on ---------------------------===
 *
 * Of the Python package, and for programs, which take this file, processors.c
 * and threads.h. No part of a model, which opens no files.
 *===----------------------------------------------------------------------===*/

#include "runtime/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CELL_ROOT
#define CELL_ROOT "" /* a folder in place of /, for tests */
#endif

enum { kPath = 4096 };

/* The number in the file `path`/`name`, and the one behind it if there is one.
   Returns how many. */
static int readNumbers(const char *path, const char *name, long long *first,
                       long long *second) {
  char file[2 * kPath];
  if (snprintf(file, sizeof file, "%s/%s", path, name) >= (int)sizeof file)
    return 0;
  FILE *f = fopen(file, "re");
  if (!f)
    return 0;
  int count = fscanf(f, "%lld %lld", first, second); /* "max" is none */
  fclose(f);
  return count;
}

/* The processors that the quota of one control group is worth, rounded up, or
   `most`. */
static int32_t quota(const char *path, int version, int32_t most) {
  long long time = 0, period = 100000, none;
  if (version == 2) {
    if (readNumbers(path, "cpu.max", &time, &period) < 1)
      return most;
  } else if (readNumbers(path, "cpu.cfs_quota_us", &time, &none) < 1 ||
             readNumbers(path, "cpu.cfs_period_us", &period, &none) < 1) {
    return most;
  }
  if (time <= 0 || period <= 0)
    return most;
  long long worth = (time - 1) / period + 1;
  return worth < most ? (int32_t)worth : most;
}

/* `most`, or what the least quota on the way from the process's control groups
   to the root is worth. */
static int32_t withinQuotas(int32_t most) {
  char line[kPath + 64], path[2 * kPath];
  FILE *f = fopen(CELL_ROOT "/proc/self/cgroup", "re");
  if (!f)
    return most;
  while (fgets(line, sizeof line, f)) { /* "4:cpu,cpuacct:/a/b", or "0::/a/b" */
    char *controllers = strchr(line, ':'), *group, *end;
    if (!controllers || !(group = strchr(++controllers, ':')))
      continue;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    int version = *controllers ? 1 : 2, found = version == 2;
    for (char *c = controllers; c; c = strchr(c, ',') ? strchr(c, ',') + 1 : 0)
      found |= strcmp(c, "cpu") == 0 || strncmp(c, "cpu,", 4) == 0;
    if (!found)
      continue;
    snprintf(path, sizeof path, CELL_ROOT "/sys/fs/cgroup%s%s",
             version == 2 ? "" : "/cpu", group);
    char *top = path + strlen(path) - strlen(group);
    for (;;) {
      most = quota(path, version, most);
      if (!*top || !(end = strrchr(top, '/')))
        break;
      *end = 0;
    }
  }
  fclose(f);
  return most;
}

int32_t cg_default_threads(void) {
  const char *wanted = getenv("CELLGRAD_NUM_THREADS");
  if (wanted && *wanted) {
    char *end;
    long count = strtol(wanted, &end, 10);
    return *end == 0 && count >= 1 && count <= CG_MOST_THREADS ? (int32_t)count
                                                               : 0;
  }
  int32_t most = cell_rt_processors();
  return withinQuotas(most < CG_MOST_THREADS ? most : CG_MOST_THREADS);
}
