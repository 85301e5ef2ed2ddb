// What the pool of a model goes through: regions of all sizes, in tasks and
// from several threads, forks in the middle of them, threads and pages that
// cannot be had, and nothing to do.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -O2 -I%root -I%S %s %runtime/pool.c %runtime/processors.c -pthread -Wl,--wrap=pthread_create,--wrap=madvise -o %t/run
// RUN: %t/run
// RUN: %cxx -x c -std=c11 -g -O1 -fsanitize=thread -DOWN_THREADS -I%root -I%S %s %runtime/pool.c %runtime/processors.c -pthread -Wl,--wrap=pthread_create,--wrap=madvise -o %t/checked
// RUN: env TSAN_OPTIONS=die_after_fork=0 %t/checked

#define _GNU_SOURCE
#include "Inputs/count-threads.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 4000 };

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      _exit(1);                                                                \
    }                                                                          \
  while (0)

/* In place of the library's. */
static atomic_int threadsLeft, threadsAsked, pagesLeft;
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
  ++threadsAsked;
  if (threadsLeft-- <= 0)
    return EAGAIN;
  return __real_pthread_create(thread, attributes, function, argument);
}
int __real_madvise(void *, size_t, int);
int __wrap_madvise(void *memory, size_t bytes, int advice) {
  if (pagesLeft-- > 0)
    return __real_madvise(memory, bytes, advice);
  errno = EINVAL;
  return -1;
}

struct frame {
  cg_parallel *pool;
  int nested;
  int64_t count;
  atomic_int computed[kMost]; /* each item */
  atomic_int active[64];      /* calls with that worker */
  atomic_int workers;         /* that computed something, as bits */
};

static void check(cg_parallel *pool, int64_t count, int nested);

static void task(void *argument, int64_t begin, int64_t end, int32_t worker) {
  struct frame *f = argument;
  sigset_t blocked;
  EXPECT(0 <= begin && begin < end && end <= f->count);
  EXPECT(worker >= 0 && worker < f->pool->threads);
  EXPECT(atomic_fetch_add(&f->active[worker], 1) == 0);
  atomic_fetch_or(&f->workers, 1 << worker);
  EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
  EXPECT(worker == 0 ||
         (sigismember(&blocked, SIGINT) && sigismember(&blocked, SIGPROF)));
  for (int64_t i = begin; i < end; ++i)
    atomic_fetch_add(&f->computed[i], 1);
  if (f->nested)
    check(f->pool, 10, f->nested - 1);
  atomic_fetch_sub(&f->active[worker], 1);
}

/* Runs a region; returns the workers that had a part in it. */
static int runs(cg_parallel *pool, int64_t count, int nested) {
  struct frame *f = calloc(1, sizeof *f);
  EXPECT(f);
  f->pool = pool;
  f->nested = nested;
  f->count = count;
  pool->run(pool, count, task, f);
  for (int64_t i = 0; i < count; ++i)
    EXPECT(f->computed[i] == 1);
  int workers = f->workers;
  free(f);
  return workers;
}

static void check(cg_parallel *pool, int64_t count, int nested) {
  runs(pool, count, nested);
}

static cg_parallel *make(int32_t threads) {
  cg_parallel *pool = cell_rt_pool_new(threads);
  EXPECT(pool && pool->struct_size == sizeof *pool);
  return pool;
}

/* Whether the process has `count` threads. ThreadSanitizer has some of its own,
   which come when they like. */
static int has(int count) {
#ifdef OWN_THREADS
  return count >= 0;
#else
  return hasThreads(count);
#endif
}

static atomic_int ended;
static void *calls(void *pool) {
  for (int i = 0; i < 2000 || (i < 2000000 && !ended); ++i)
    check(pool, i % 60, 0);
  return NULL;
}

static void sizes(void) {
  int before = countThreads();
  cg_parallel *pool = make(4);
  EXPECT(pool->threads == 4);
  EXPECT(runs(pool, 0, 0) == 0 && runs(pool, 1, 0) == 1);
  EXPECT(has(before)); /* none before there is work */
  for (int64_t count = 0; count < kMost; count += 1 + count / 40)
    check(pool, count, 0);
  EXPECT(has(before + 3));
  for (int i = 0; i < 300; ++i)
    check(pool, 1 + i % 50, 1 + i % 2);
  cell_rt_pool_free(pool);
  EXPECT(has(before));
  cell_rt_pool_free(NULL);
  for (int i = 0; i < 100; ++i) {
    pool = make(1 + i % 6);
    if (i % 7)
      check(pool, 64, 0);
    cell_rt_pool_free(pool);
  }
  EXPECT(has(before));
  pool = make(0);
  EXPECT(pool->threads >= 1);
  cell_rt_pool_free(pool);
  pool = make(1 << 30);
  EXPECT(pool->threads == 1024);
  cell_rt_pool_free(pool);
}

/* Every worker gets to compute where there is time: a region of one item a
   worker, each of which waits for the others. */
static atomic_int together;
static void meet(void *threads, int64_t begin, int64_t end, int32_t worker) {
  (void)begin, (void)end, (void)worker;
  ++together;
  for (time_t start = time(NULL); together < *(int *)threads;)
    EXPECT(time(NULL) - start < 60);
}
static void workers(void) {
  int threads = 3;
  cg_parallel *pool = make(threads);
  sigset_t before, after;
  EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
  for (int i = 0; i < 20; ++i) {
    if (i % 5 == 0)
      usleep(2000); /* they sleep by now */
    together = 0;
    pool->run(pool, threads, meet, &threads);
  }
  EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
  for (int signal = 1; signal < 32; ++signal)
    EXPECT(sigismember(&before, signal) == sigismember(&after, signal));
  cell_rt_pool_free(pool);
}

static void callers(void) {
  cg_parallel *pool = make(3);
  pthread_t threads[3];
  ended = 1;
  for (int i = 0; i < 3; ++i)
    EXPECT(__real_pthread_create(&threads[i], NULL, calls, pool) == 0);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  cell_rt_pool_free(pool);
}

static void forks(void) {
  cg_parallel *pool = make(3), *idle = make(3);
  check(idle, 100, 0);
  pthread_t caller;
  ended = 0;
  EXPECT(__real_pthread_create(&caller, NULL, calls, pool) == 0);
  for (int i = 0; i < 20; ++i) {
    usleep(100 * (useconds_t)i); /* somewhere in a region of the caller */
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      int before = countThreads();
      for (int k = 0; k < 50; ++k)
        check(pool, 1 + k, k % 2);
      EXPECT(has(before + 2));
      cell_rt_pool_free(pool);
      cell_rt_pool_free(idle); /* its threads are not here */
      _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  ended = 1;
  pthread_join(caller, NULL);
  cell_rt_pool_free(pool);
  cell_rt_pool_free(idle);
}

static void degrades(void) {
  int before = countThreads();
  for (int had = 0; had < 4; ++had) {
    threadsLeft = had;
    threadsAsked = 0;
    cg_parallel *pool = make(5);
    for (int i = 0; i < 50; ++i)
      EXPECT(runs(pool, 40, 1) < 1 << (had + 1));
    EXPECT(has(before + had) && threadsAsked == had + 1);
    cell_rt_pool_free(pool);
  }
  threadsLeft = 1 << 30;
  pagesLeft = 0; /* a child could not tell that it is one */
  cg_parallel *pool = make(5);
  EXPECT(pool->threads == 1 && runs(pool, 40, 1) == 1);
  cell_rt_pool_free(pool);
  pagesLeft = 1 << 30;
}

/* Processor time that a pool takes while it has nothing to do. */
static void idles(void) {
  cg_parallel *pool = make(4);
  check(pool, 100, 0);
  usleep(20000);
  struct timespec from, to;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
  usleep(200000);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
  long us =
      (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
  printf("%ld us of processor time in 200 ms\n", us);
  EXPECT(us < 10000);
  cell_rt_pool_free(pool);
}

int main(void) {
  alarm(240);
  threadsLeft = pagesLeft = 1 << 30;
  workers(); /* first, with the masks that the process has */
  sizes();
  callers();
  forks();
  degrades();
  idles();
  return 0;
}
