// How many threads to compute on: what the variable says, or the processors of
// the affinity mask, no more than the least quota of the control groups up to
// the root, of both versions.
// RUN: rm -rf %t.files && mkdir -p %t.files/proc/self %t.files/sys/fs/cgroup/a/b %t.files/sys/fs/cgroup/cpu/a/b
// RUN: %cc %strict -I%root "-DCELL_ROOT=\"%t.files\"" %s %runtime/threads.c %runtime/processors.c -o %t.test
// RUN: %t.test %t.files

#define _GNU_SOURCE
#include "runtime/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *root;
static int failures;

static void put(const char *file, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", root, file);
  if (!text) {
    unlink(path);
    return;
  }
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f)) {
    perror(path);
    exit(1);
  }
}

static void expect(int line, int32_t wanted) {
  int32_t got = cg_default_threads();
  if (got == wanted)
    return;
  printf("line %d: %d threads, expected %d\n", line, got, wanted);
  ++failures;
}
#define EXPECT(wanted) expect(__LINE__, wanted)

#define V2 "sys/fs/cgroup/"
#define V1 "sys/fs/cgroup/cpu/"

int main(int argc, char **argv) {
  root = argv[argc - 1];
  unsetenv("CELLGRAD_NUM_THREADS");
  int32_t all = cell_rt_processors();
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) || all != CPU_COUNT(&set))
    return 1;
  EXPECT(all); /* no control groups */

  put("proc/self/cgroup", "0::/a/b\n");
  EXPECT(all); /* no quotas */
  put(V2 "a/b/cpu.max", "max 100000\n");
  EXPECT(all);
  put(V2 "a/b/cpu.max", "100000 100000\n");
  EXPECT(1);
  put(V2 "a/b/cpu.max", "1\n");
  EXPECT(1);
  put(V2 "a/b/cpu.max", "1000000000 100000\n");
  EXPECT(all);
  put(V2 "a/cpu.max", "50000 100000\n");
  EXPECT(1);
  put(V2 "a/cpu.max", NULL);
  put(V2 "cpu.max", "50000 100000\n");
  EXPECT(1);
  put("proc/self/cgroup", "0::/\n");
  EXPECT(1);
  put(V2 "cpu.max", "100001 100000\n");
  EXPECT(all < 2 ? all : 2); /* rounded up */
  put(V2 "cpu.max", "nonsense");
  EXPECT(all);
  put(V2 "cpu.max", NULL);

  put("proc/self/cgroup",
      "5:cpuset:/a\n4:cpuacct,cpu:/a/b\n3:memory:/a\n0::/\n");
  EXPECT(all);
  put(V1 "a/b/cpu.cfs_quota_us", "-1\n");
  put(V1 "a/b/cpu.cfs_period_us", "100000\n");
  EXPECT(all);
  put(V1 "a/b/cpu.cfs_quota_us", "50000\n");
  EXPECT(1);
  put("proc/self/cgroup", "5:cpuset:/a/b\n4:cpuacct:/a/b\n");
  EXPECT(all); /* not that of the processors */
  put("proc/self/cgroup", "4:cpu,cpuacct:/not/mounted/here\n");
  EXPECT(all);
  put(V1 "cpu.cfs_quota_us", "70000\n");
  put(V1 "cpu.cfs_period_us", "100000\n");
  EXPECT(1);
  put("proc/self/cgroup", "\nno group\n:\n4:cpu\n");
  EXPECT(all);

  put("proc/self/cgroup", "0::/a/b\n");
  put(V2 "a/b/cpu.max", "50000 100000\n");
  const struct {
    const char *text;
    int32_t threads;
  } variables[] = {{"7", 7},
                   {"1", 1},
                   {"1024", 1024},
                   {"", 1},
                   {"0", 0},
                   {"-3", 0},
                   {"1025", 0},
                   {"two", 0},
                   {"2.5", 0},
                   {"4 ", 0},
                   {"99999999999999999999", 0}};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    setenv("CELLGRAD_NUM_THREADS", variables[i].text, 1);
    EXPECT(variables[i].threads);
  }
  return failures != 0;
}
