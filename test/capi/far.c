// When the pool computes alone: programs of three regions, whose workers are
// far, on a clock of our own.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc %strict -O2 -I%root %s %runtime/processors.c -pthread -o %t/run
// RUN: %t/run

#define clock_gettime simulated
#include "runtime/pool.c"
#undef clock_gettime

#include <stdio.h>

static int64_t clock_ns;

int simulated(int clock, struct timespec *t) {
  (void)clock;
  t->tv_sec = clock_ns / 1000000000;
  t->tv_nsec = clock_ns % 1000000000;
  return 0;
}

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      return 1;                                                                \
    }                                                                          \
  while (0)

static void a(void *f, int64_t i, int64_t j, int32_t w) {
  (void)f, (void)i, (void)j, (void)w;
}
static void b(void *f, int64_t i, int64_t j, int32_t w) { a(f, i, j, w); }

/* Every so many regions, one takes 12 ms more: others had the processor. */
static int taken;

/* Runs regions that take `together` or `alone` nanoseconds, longer right after
   the other way; returns how many in a thousand are computed alone. */
static int alonePerMille(state *s, int regions, int64_t together, int64_t alone,
                         int64_t pause) {
  static const struct {
    cg_task_fn task;
    int64_t count;
  } program[] = {{a, 8}, {b, 8}, {a, 100}};
  int sum = 0, last = 0;
  for (int i = 0; i < regions; ++i) {
    int k = i % 3;
    int is = isAlone(s, program[k].task, program[k].count);
    clock_ns += (is ? alone : together) * (k + 1) + (is != last ? 20000 : 0);
    if (taken && i % taken == taken / 2)
      clock_ns += 12000000;
    s->ended = clock_ns;
    if (k == 2)
      clock_ns += pause; // between calls
    sum += is;
    last = is;
  }
  return sum * 1000LL / regions;
}

int main(void) {
  _Alignas(64) static char memory[sizeof(state) + 2 * sizeof(worker)];
  state *s = (state *)memory;
  clock_ns = 1;

  /* Near workers, and such as have not been seen yet: all is shared. */
  EXPECT(alonePerMille(s, 20000, 50000, 10000, 0) == 0);
  s->distance = kFar;
  EXPECT(alonePerMille(s, 20000, 50000, 10000, 0) == 0);

  /* Far ones. */
  s->distance = 300;
  alonePerMille(s, 2000, 20000, 14000, 5000000);
  EXPECT(alonePerMille(s, 20000, 20000, 14000, 5000000) > 900);
  /* It becomes worth it, and it is tried again. */
  alonePerMille(s, 200000, 8000, 14000, 0);
  EXPECT(alonePerMille(s, 100000, 8000, 14000, 0) < 20);
  /* As good together as alone: it stays. */
  EXPECT(alonePerMille(s, 100000, 14000, 14000, 0) < 20);

  /* A trial that costs much is given up: with many threads that is soon. */
  int64_t before = clock_ns;
  EXPECT(alonePerMille(s, 10000, 1000, 1000000, 0) < 20);
  EXPECT(clock_ns - before < 10000 * 2000 * 5 / 4);

  /* Who has the processor in between decides nothing. */
  for (taken = 7; taken < 60; taken += 5) {
    EXPECT(alonePerMille(s, 100000, 100000, 200000, 0) < 20);
    EXPECT(alonePerMille(s, 100000, 100000, 200000, 5000000) < 20);
  }
  taken = 0;

  /* Long regions are shared where short ones are not, if that is faster. */
  for (int faster = 0; faster < 2; ++faster) {
    s->distance = 300;
    alonePerMille(s, 100000, 20000, 14000, 0);
    int shared = 0;
    for (int i = 0; i < 20000; ++i) {
      int isLong = i % 50 == 0, is = isAlone(s, isLong ? b : a, 9 + faster);
      shared += isLong && !is;
      clock_ns += isLong ? (is       ? 900000
                            : faster ? 500000
                                     : 890000)
                         : (is ? 14000 : 20000);
      s->ended = clock_ns;
    }
    EXPECT(faster ? shared > 390 : shared < 40);
  }

  /* They have come closer, as the next region that they see says. */
  alonePerMille(s, 3000, 20000, 14000, 0);
  s->distance = 300;
  atomic_store(&s->delay, 90);
  EXPECT(!isAlone(s, a, 8) && s->distance == 90);
  EXPECT(alonePerMille(s, 20000, 50000, 10000, 0) == 0);

  /* A worker that was late says little, many say that they are far. */
  for (int i = 0; i < 1000; ++i) {
    atomic_store(&s->delay, i < 5 ? 1000000 : 90);
    EXPECT(!isAlone(s, a, 8) && s->distance <= kFar);
  }
  for (int i = 0; i < 200; ++i) {
    atomic_store(&s->delay, 500);
    isAlone(s, a, 8);
  }
  EXPECT(s->distance > kFar);
  return 0;
}
