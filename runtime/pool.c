/*===- pool.c - threads for parallel regions --------------------------------===
 *
 * A region is cut into chunks, of which each worker owns neighbours: it
 * computes where it computed in the region before, and finds in its cache what
 * it wrote. A worker's ticket is one word, its next chunk and the end of its
 * chunks. One atomic addition claims a chunk, one's own or, when these are
 * done, another's. Who has claimed a chunk may read what describes the region:
 * that stays as it is until all chunks are done. So a worker that is late, or
 * does not run at all, holds up nobody.
 *
 *  - Threads start at the first region. Idle, they look for work for a while,
 *    then sleep; they block all signals. The caller is worker 0.
 *  - One region runs at a time. A second caller, and a region inside of a task,
 *    computes on its own thread: results are the same, and nothing waits.
 *  - Where workers are far (on cores that share no cache, whose lines come
 *    slowly), the caller computes alone if that is faster: all regions, or all
 *    but long ones, where sharing costs little. How far they are shows when
 *    they see a region; what is faster, when it is tried.
 *  - A forked child has no threads but its first. The pages of the state are
 *    zeros there, which is what the state of a new pool is.
 *  - Threads that cannot be had are done without.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/libc.h"
#include "runtime/rest.h"
#include "runtime/runtime.h"
#include "runtime/threads.h"

#include <stdatomic.h>

/* Where the process has no threads (glibc before 2.34 without -pthread), a
   model loads all the same. */
#pragma weak pthread_create
#pragma weak pthread_join
#pragma weak pthread_sigmask
#pragma weak pthread_attr_init
#pragma weak pthread_attr_destroy
#pragma weak pthread_attr_setstacksize

enum {
  kChunks = 4,      /* a worker: what one that is late leaves to others */
  kSpin = 50000,    /* nanoseconds that who waits looks before it sleeps */
  kStack = 1 << 20, /* bytes; tasks keep their temporaries in the arena */
  /* Nanoseconds until a worker sees a region. Cores with a common cache take
     half of it. */
  kFar = 160,
  kTrial = 96,       /* regions that are tried the other way, */
  kSettle = 24,      /* of which the first find their data elsewhere, */
  kLoss = 1000000,   /* unless that has cost so many nanoseconds */
  kWait = 128,       /* regions between trials: twice as many after each */
  kLongWait = 65536, /* that has failed, up to so many */
  kLate = 1,         /* regions of a trial that may be late and say nothing */
  kLong = 50000,     /* nanoseconds alone: a long region */
  kTries = 4,        /* times that one is shared to see whether that pays */
  kPause = 1000000,  /* nanoseconds to the next region: another call's */
  kKnown = 64        /* regions whose time is remembered */
};

/* How long it took until the next region began, on all workers and on one. */
typedef struct known {
  cg_task_fn task;
  int64_t count, took[2];
  int tries; /* of sharing it, as a long one, where the caller is alone */
} known;

struct state;

typedef struct worker {
  _Alignas(64) _Atomic uint64_t ticket; /* next chunk << 32 | end */
  struct state *state;
  pthread_t thread;
} worker;

/* All zeros at first, and in a forked child. */
typedef struct state {
  _Atomic uint32_t busy;                /* some caller has the pool */
  int32_t workers;                      /* that there are; 0: not started */
  int64_t spin;                         /* nanoseconds */
  _Alignas(64) _Atomic uint32_t region; /* counts regions */
  _Atomic uint32_t stop;
  _Alignas(64) _Atomic uint32_t sleepers; /* workers that wait for a region */
  _Alignas(64) _Atomic uint32_t done;     /* chunks */
  _Atomic uint32_t waiting;               /* the caller sleeps */
  /* The region. */
  _Alignas(64) cg_task_fn task;
  void *frame;
  int64_t count, grain; /* items; of a chunk */
  uint32_t chunks;
  _Atomic int64_t told; /* when */
  /* Of the caller, who decides whether it computes alone. */
  int64_t distance; /* until a worker has seen a region */
  int alone, trial; /* regions left of a trial; 0: there is none */
  int late;         /* regions of the trial that others may have held up */
  int wasAlone;     /* the last region */
  int64_t left, wait, loss;
  int64_t began, ended; /* the last region, */
  known *last;          /* which was that */
  known known[kKnown];
  _Alignas(64) _Atomic int64_t delay; /* until one saw the last region; or 0 */
  worker worker[];                    /* the caller, then the threads */
} state;

typedef struct pool {
  cg_parallel face;
  state *state;
  size_t bytes; /* of the state */
} pool;

static void futex(_Atomic uint32_t *word, int what, uint32_t value) {
  syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Returns when `word` has another value than `old`, or for no reason; whether
   it slept. `sleepers` counts who sleeps on it, and is read by who changes it.
 */
static int await(_Atomic uint32_t *word, uint32_t old, int64_t spin,
                 _Atomic uint32_t *sleepers) {
  for (int64_t start = now(); now() - start < spin;)
    for (int i = 0; i < 16; ++i) {
      if (atomic_load_explicit(word, memory_order_acquire) != old)
        return 0;
      rest();
    }
  atomic_fetch_add(sleepers, 1);
  futex(word, FUTEX_WAIT, old);
  atomic_fetch_sub(sleepers, 1);
  return 1;
}

/* Computes chunks of the region, the worker's own first, until none is left to
   claim. */
static void work(state *s, int32_t self) {
  int32_t workers = s->workers;
  for (int32_t i = 0; i < workers; ++i) {
    _Atomic uint64_t *ticket = &s->worker[(self + i) % workers].ticket;
    for (;;) {
      /* Looked at before it is added to: what is not claimed stays bounded. */
      uint64_t t = atomic_load_explicit(ticket, memory_order_acquire);
      if (t >> 32 < (t & UINT32_MAX))
        t = atomic_fetch_add_explicit(ticket, UINT64_C(1) << 32,
                                      memory_order_acq_rel);
      if (t >> 32 >= (t & UINT32_MAX))
        break;
      /* A chunk of the region that runs now, whichever that is. */
      uint32_t chunks = s->chunks;
      int64_t begin = (int64_t)(t >> 32) * s->grain, left = s->count - begin;
      s->task(s->frame, begin, begin + (left < s->grain ? left : s->grain),
              self);
      if (atomic_fetch_add(&s->done, 1) + 1 == chunks &&
          atomic_load(&s->waiting))
        futex(&s->done, FUTEX_WAKE, 1);
    }
  }
}

static void *threadMain(void *argument) {
  worker *self = (worker *)argument;
  state *s = self->state;
  int looks = 0; /* for a region, awake */
  for (uint32_t seen = 0;;) {
    uint32_t region = atomic_load_explicit(&s->region, memory_order_acquire);
    if (region == seen) {
      looks = !await(&s->region, seen, s->spin, &s->sleepers);
      continue;
    }
    seen = region;
    if (looks)
      atomic_store_explicit(
          &s->delay,
          now() - atomic_load_explicit(&s->told, memory_order_relaxed),
          memory_order_relaxed);
    looks = 0;
    if (atomic_load_explicit(&s->stop, memory_order_acquire))
      return NULL;
    work(s, (int32_t)(self - s->worker));
  }
}

/* All of them: a program that is linked statically has those that it names. */
static int haveThreads(void) {
  return pthread_create && pthread_join && pthread_sigmask &&
         pthread_attr_init && pthread_attr_destroy && pthread_attr_setstacksize;
}

static void start(state *s, int32_t threads) {
  s->workers = 1;
  if (!haveThreads())
    return;
  /* One that looks for work beside who has the only processor delays it. */
  s->spin = threads <= cell_rt_processors() ? kSpin : 0;
  sigset_t all, callers;
  memset(&all, 0xff, sizeof all);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return;
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_sigmask(SIG_SETMASK, &all, &callers);
  int32_t count = 1;
  for (; count < threads; ++count) {
    worker *next = &s->worker[count];
    next->state = s;
    if (pthread_create(&next->thread, &attributes, threadMain, next))
      break;
  }
  pthread_sigmask(SIG_SETMASK, &callers, NULL);
  pthread_attr_destroy(&attributes);
  /* They read it when the first region is told. */
  s->workers = count;
}

/* Runs a region on all workers. */
static void share(state *s, int64_t count, cg_task_fn task, void *frame) {
  uint32_t workers = (uint32_t)s->workers;
  s->task = task;
  s->frame = frame;
  s->count = count;
  s->grain = (count - 1) / (workers * kChunks) + 1;
  uint32_t chunks = s->chunks = (uint32_t)((count - 1) / s->grain + 1);
  atomic_store_explicit(&s->done, 0, memory_order_relaxed);
  for (uint32_t w = 0; w < workers; ++w)
    atomic_store_explicit(&s->worker[w].ticket,
                          (uint64_t)(chunks * w / workers) << 32 |
                              chunks * (w + 1) / workers,
                          memory_order_release);
  atomic_store_explicit(&s->told, now(), memory_order_relaxed);
  atomic_fetch_add(&s->region, 1);
  if (atomic_load(&s->sleepers))
    futex(&s->region, FUTEX_WAKE, chunks < workers ? chunks - 1 : INT_MAX);
  work(s, 0);
  for (uint32_t done;
       (done = atomic_load_explicit(&s->done, memory_order_acquire)) != chunks;)
    await(&s->done, done, s->spin, &s->waiting);
}

/* About the least that it took lately until a worker saw a region: late ones
   had their core taken away. */
static void measure(state *s) {
  int64_t delay = atomic_exchange_explicit(&s->delay, 0, memory_order_relaxed);
  if (delay <= 0)
    return;
  if (delay < s->distance || s->distance == 0)
    s->distance = delay;
  else
    s->distance +=
        ((delay < 4 * s->distance ? delay : 4 * s->distance) - s->distance) /
        64;
}

/* Ends a trial that has shown what it costs. */
static void judge(state *s) {
  if (s->loss >= 0) {
    s->alone ^= 1;
    s->wait = s->wait < kLongWait ? 2 * s->wait : kLongWait;
  } else {
    s->wait = kWait;
  }
  s->trial = 0;
  s->left = s->wait;
}

/* Notes what the last region took, with what came after it. One that took more
   than twice as long as usual waited for a core that others had: it counts as
   twice. */
static void note(state *s, int64_t took) {
  int64_t *own = &s->last->took[s->wasAlone];
  int64_t other = s->last->took[!s->wasAlone];
  if (s->trial && s->wasAlone == s->alone && other) {
    int isLate = took > 2 * other && s->late++ < kLate;
    s->loss += isLate ? other : took - other;
  }
  if (*own > 0 && took > 2 * *own)
    took = 2 * *own;
  if (s->trial && --s->trial >= kTrial - kSettle) {
    if (s->trial == kTrial - kSettle && s->loss <= kLoss)
      s->loss = 0;
    return;
  }
  *own += *own ? (took - *own) / 4 : took;
}

/* Whether a region is long, and shared where the caller computes others alone:
   the first times, and from then on if it takes a tenth less. */
static int isSharedAsLong(known *k) {
  if (k->took[1] < kLong)
    return 0;
  if (k->tries < kTries) {
    ++k->tries;
    return 1;
  }
  return 10 * k->took[0] < 9 * k->took[1];
}

/* Whether the caller computes a region alone. Where workers are far, regions
   that read what others wrote may take longer together. What is better shows
   for the program, not for a region: trials run it the other way for a while.
 */
static int isAlone(state *s, cg_task_fn task, int64_t count) {
  measure(s);
  if (s->distance <= kFar) {
    s->alone = s->trial = 0;
    s->left = s->wait = kWait;
    s->last = NULL;
    return 0;
  }
  int64_t begin = now(), after = begin - s->ended;
  int wasTrial = s->trial;
  if (s->last)
    note(s, s->ended - s->began + (after < kPause ? after : 0));
  if (wasTrial && (s->trial == 0 || s->loss > kLoss))
    judge(s);
  if (!s->trial && --s->left <= 0) {
    s->alone ^= 1;
    s->trial = kTrial;
    s->loss = s->late = 0;
  }
  known *k = &s->known[((uintptr_t)task / 16 + (uint64_t)count) % kKnown];
  if (k->task != task || k->count != count)
    *k = (known){task, count, {0, 0}, 0};
  s->last = k;
  s->began = begin;
  s->wasAlone = s->alone && !isSharedAsLong(k);
  return s->wasAlone;
}

static void shareOrNot(state *s, int64_t count, cg_task_fn task, void *frame) {
  if (isAlone(s, task, count))
    task(frame, 0, count, 0);
  else
    share(s, count, task, frame);
  if (s->last)
    s->ended = now();
}

static void run(cg_parallel *self, int64_t count, cg_task_fn task,
                void *frame) {
  state *s = ((pool *)self)->state;
  if (count > 1 && self->threads > 1 &&
      !atomic_exchange_explicit(&s->busy, 1, memory_order_acquire)) {
    if (s->workers == 0)
      start(s, self->threads);
    if (s->workers > 1)
      shareOrNot(s, count, task, frame);
    else
      task(frame, 0, count, 0);
    atomic_store_explicit(&s->busy, 0, memory_order_release);
  } else if (count > 0) {
    task(frame, 0, count, 0);
  }
}

static void *map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

cg_parallel *cell_rt_pool_new(int32_t threads) {
  if (threads <= 0)
    threads = cell_rt_processors();
  if (threads > CG_MOST_THREADS)
    threads = CG_MOST_THREADS;
  pool *p = (pool *)map(sizeof *p);
  if (!p)
    return NULL;
  p->bytes = offsetof(state, worker) + (size_t)threads * sizeof(worker);
  p->state = (state *)map(p->bytes);
  if (!p->state) {
    munmap(p, sizeof *p);
    return NULL;
  }
  /* Before Linux 4.14 a child cannot tell that it has no threads. */
  if (madvise(p->state, p->bytes, MADV_WIPEONFORK))
    threads = 1;
  p->face = (cg_parallel){sizeof(cg_parallel), threads, run};
  return &p->face;
}

void cell_rt_pool_free(cg_parallel *self) {
  pool *p = (pool *)self;
  if (!p)
    return;
  state *s = p->state;
  if (s->workers > 1) {
    atomic_store(&s->stop, 1);
    atomic_fetch_add(&s->region, 1);
    futex(&s->region, FUTEX_WAKE, INT_MAX);
    for (int32_t w = 1; w < s->workers; ++w)
      pthread_join(s->worker[w].thread, NULL);
  }
  munmap(s, p->bytes);
  munmap(p, sizeof *p);
}
