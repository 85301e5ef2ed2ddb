// Parallel regions of a model compute the same bits on any number of threads,
// of its own pool, of adapters as docs/artifact.md has them (in C and in C++)
// and of one that hands out pieces in the worst of ways; with contexts of all
// versions, and with arenas that have room for all threads, for few, and with
// none.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/regions.mlir -o %t/libregions.so
// RUN: sed -n '/^```c file=openmp.h$/,/^```$/p' %root/docs/artifact.md | sed '1d;$d' > %t/openmp.h
// RUN: sed -n '/^```cpp file=threads.hpp$/,/^```$/p' %root/docs/artifact.md | sed '1d;$d' > %t/threads.hpp
// RUN: %cc %strict -D_GNU_SOURCE -fopenmp -I%t -include %t/regions.h -include %t/openmp.h -DADAPTER=run_openmp -I%S %s -L%t -lregions -Wl,-rpath,%t -pthread -o %t/run
// RUN: %t/run
// RUN: %cxx -x c++ -std=c++17 -Wall -Wextra -Werror -I%t -include %t/regions.h -include %t/threads.hpp -DADAPTER=run_threads -I%S %s -L%t -lregions -Wl,-rpath,%t -pthread -o %t/run
// RUN: %t/run
// A program that has no threads, or not all of what threads need.
// RUN: cellc %S/Inputs/regions.mlir -o %t/regions.o --emit=o
// RUN: %cc %strict -static -D_GNU_SOURCE -DNO_THREADS -I%t -I%S %s %t/regions.o -o %t/run
// RUN: %t/run
// Tasks share nothing that they write, and say so where they do.
// RUN: cellc %S/Inputs/regions.mlir -o %t/libregions.so --sanitize=thread --target=x86-64-v2
// RUN: %cxx -fsanitize=thread -O1 -x c -std=c11 -D_GNU_SOURCE -DPROGRAMS_POOL -I%t -I%root -I%S %s %runtime/pool.c %runtime/processors.c -L%t -lregions -Wl,-rpath,%t -pthread -o %t/run
// RUN: env TSAN_OPTIONS=die_after_fork=0 %t/run
// RUN: sed 's/sums\[%item\]/sums[%zero]/' %S/Inputs/regions.mlir > %t/racy.mlir
// RUN: cellc %t/racy.mlir -o %t/libregions.so --name=regions --sanitize=thread --target=x86-64-v2
// RUN: not env TSAN_OPTIONS=die_after_fork=0 %t/run racy 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: ThreadSanitizer: data race
// RACE: sums_task

#include "Inputs/count-threads.h"
#include "regions.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whose code tells ThreadSanitizer what it does. */
#ifdef PROGRAMS_POOL
#include "runtime/runtime.h"
#define POOL_NEW cell_rt_pool_new
#define POOL_FREE cell_rt_pool_free
#else
#define POOL_NEW cg_regions_pool_new
#define POOL_FREE cg_regions_pool_free
#endif

enum {
  N = 1000,
  ITEM = 64,
  kFixed = 64,
  kSlot = 256,
  kMost = 8,
  kArenas = 2 * (kMost + 1)
};

static float x[N], wanted[N], wantedTotal;

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

/* Calls the entries, and compares bits; `arena` is for one of them. */
static void compute(const cg_context *context) {
  float y[N], total = -1;
  memset(y, 0xff, sizeof y);
  cg_regions_polynomial_args polynomial = {x, y};
  cg_regions_total_args sum = {x, &total};
  cg_context without;
  if (context) { /* an arena is for the other */
    size_t size = context->struct_size;
    memset(&without, 0, sizeof without);
    memcpy(&without, context, size < sizeof without ? size : sizeof without);
    without.arena = NULL;
  }
  EXPECT(cg_regions_polynomial(&polynomial, context ? &without : NULL) ==
         CG_OK);
  EXPECT(memcmp(y, wanted, sizeof y) == 0);
  EXPECT(cg_regions_total(&sum, context) == CG_OK);
  EXPECT(memcmp(&total, &wantedTotal, sizeof total) == 0);
}

static cg_context with(cg_parallel *parallel) {
  cg_context context;
  memset(&context, 0, sizeof context);
  context.struct_size = sizeof context;
  context.parallel = parallel;
  return context;
}

/* With no arena, and with one of each size, behind which nothing is written. */
static void computeOn(cg_parallel *parallel) {
  cg_context context = with(parallel);
  compute(&context);
  for (int32_t i = 0; i < kArenas; ++i) {
    int32_t threads = 1 + i / 2;
    uint64_t bytes = cg_regions_total_arena_bytes(1, threads);
    EXPECT(bytes == kFixed + (uint64_t)threads * kSlot);
    bytes += i % 2 * (kSlot - 64); /* not enough for another thread */
    char *arena = (char *)aligned_alloc(64, bytes + 64);
    EXPECT(arena);
    memset(arena + bytes, 0x5a, 64);
    context.arena = arena;
    context.arena_bytes = bytes;
    compute(&context);
    for (int k = 0; k < 64; ++k)
      EXPECT(arena[bytes + (uint64_t)k] == 0x5a);
    free(arena);
  }
}

/* Lends threads that are none: one item after the other, from the last to the
   first, by workers in turn. Counts regions. */
typedef struct odd {
  cg_parallel face;
  int regions;
} odd;
static void runOddly(cg_parallel *self, int64_t count, cg_task_fn task,
                     void *frame) {
  ++((odd *)self)->regions;
  for (int64_t i = count - 1; i >= 0; --i)
    task(frame, i, i + 1, (int32_t)(i * 5 % self->threads));
}

/* Two threads whatever else the machine does: one for each half of the items.
   A pool's may find that the caller has done all. */
typedef struct half {
  cg_task_fn task;
  void *frame;
  int64_t count;
} half;
static void *runHalf(void *given) {
  half *first = (half *)given;
  first->task(first->frame, 0, first->count, 0);
  return NULL;
}
static void runHalves(cg_parallel *self, int64_t count, cg_task_fn task,
                      void *frame) {
  (void)self;
  half first = {task, frame, count / 2};
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, runHalf, &first) == 0);
  task(frame, count / 2, count, 1);
  EXPECT(pthread_join(thread, NULL) == 0);
}

/* Whether a pool of `threads` makes `before` threads so many. */
static int hasStarted(int before, int threads) {
#if defined PROGRAMS_POOL
  return before && threads; /* ThreadSanitizer has some, too */
#elif defined NO_THREADS
  return threads && hasThreads(before);
#else
  return hasThreads(before + threads - 1);
#endif
}

static void *caller(void *pool) {
  for (int i = 0; i < 20; ++i)
    computeOn((cg_parallel *)pool);
  return NULL;
}

static void contexts(void) {
  compute(NULL);
  /* What a context lacks is not read, whatever is there. */
  cg_context context = with((cg_parallel *)(uintptr_t)1);
  for (size_t size = 40; size < offsetof(cg_context, comm); size += 8) {
    context.struct_size = (uint32_t)size;
    compute(&context);
  }
  context = with(NULL);
  compute(&context);
  context.struct_size += 64; /* of a later version */
  compute(&context);

  float y[N], one = 1;
  cg_regions_polynomial_args polynomial = {x, y};
  cg_regions_total_args sum = {x, y};
  cg_regions_copy_args copy = {&one, y};
  cg_parallel good = {sizeof good, 2, runOddly};
  for (int bad = 0; bad < 4; ++bad) {
    cg_parallel parallel = good;
    if (bad == 0)
      parallel.struct_size = sizeof good - 1;
    if (bad == 1)
      parallel.threads = 0;
    if (bad == 2)
      parallel.threads = -1;
    if (bad == 3)
      parallel.run = NULL;
    context = with(&parallel);
    y[0] = -1;
    EXPECT(cg_regions_polynomial(&polynomial, &context) == CG_ERROR_CONTEXT);
    EXPECT(cg_regions_total(&sum, &context) == CG_ERROR_CONTEXT && y[0] == -1);
    EXPECT(cg_regions_copy(&copy, &context) == CG_OK && y[0] == 1);
  }
  EXPECT(strstr(cg_regions_status_message(CG_ERROR_CONTEXT), "parallel"));
  char arena[kFixed + kSlot] __attribute__((aligned(64)));
  context = with(&good);
  context.arena = arena;
  context.arena_bytes = sizeof arena - 1;
  EXPECT(cg_regions_total(&sum, &context) == CG_ERROR_ARENA);
  EXPECT(CG_REGIONS_TOTAL_ARENA_BYTES == sizeof arena);
  EXPECT(cg_regions_total_arena_bytes(1, 0) == sizeof arena);
  EXPECT(cg_regions_total_arena_bytes(1, -7) == sizeof arena);
  EXPECT(cg_regions_total_arena_bytes(1, INT32_MAX) ==
         kFixed + (uint64_t)INT32_MAX * kSlot);
  EXPECT(cg_regions_polynomial_arena_bytes(1, 9) == 0);
}

static void lenders(void) {
  for (int32_t threads = 1; threads <= kMost; ++threads) {
    odd lender = {{sizeof(cg_parallel), threads, runOddly}, 0};
    computeOn(&lender.face);
    /* Every call has two regions. One of them has no arena; the other is lent
       out with none, or with one that has room. */
    int roomy = kArenas - 2 * (threads - 1);
    EXPECT(lender.regions == (threads == 1 ? 0 : 2 + kArenas + roomy));
  }
#ifdef ADAPTER
  for (int32_t threads = 1; threads < 4; ++threads) {
    cg_parallel own = {sizeof own, threads, ADAPTER};
    computeOn(&own);
  }
#endif
}

static void pools(void) {
  int before = countThreads();
  for (int32_t threads = 0; threads <= kMost; ++threads) {
    cg_parallel *pool = POOL_NEW(threads);
    EXPECT(pool && pool->threads >= 1);
    EXPECT(threads == 0 || pool->threads == threads);
    EXPECT(hasStarted(before, 1));
    computeOn(pool);
    EXPECT(hasStarted(before, pool->threads));
    POOL_FREE(pool);
    EXPECT(hasStarted(before, 1));
  }
  POOL_FREE(NULL);
}

static void callersAndForks(void) {
#ifndef NO_THREADS
  cg_parallel *pool = POOL_NEW(3);
  pthread_t callers[3];
  for (int i = 0; i < 3; ++i)
    EXPECT(pthread_create(&callers[i], NULL, caller, pool) == 0);
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      caller(pool);
      _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
  }
  for (int i = 0; i < 3; ++i)
    pthread_join(callers[i], NULL);
  POOL_FREE(pool);
#else
  caller(NULL);
#endif
}

int main(int argc, char **argv) {
  alarm(240);
  if (argc >
      1) { /* for ThreadSanitizer to find that tasks write to one place */
    EXPECT(strcmp(argv[1], "racy") == 0);
    cg_parallel halves = {sizeof halves, 2, runHalves};
    cg_context context = with(&halves);
    float total;
    cg_regions_total_args sum = {x, &total};
    for (int i = 0; i < 20; ++i)
      EXPECT(cg_regions_total(&sum, &context) == CG_OK);
    return 0;
  }
  float sums = 0;
  for (int i = 0; i < N; ++i)
    x[i] = (float)(i * 7919 % 10007) / 2500 - 2;
  for (int i = 0; i < N; i += ITEM) {
    float sum = 0;
    for (int k = i; k < N && k < i + ITEM; ++k) {
      float square = x[k] * x[k];
      wanted[k] = square + x[k];
      sum += x[k];
    }
    sums += sum;
  }
  wantedTotal = sums;
  contexts();
  pools();
  callersAndForks();
  lenders();
  return 0;
}
