/*===- places.c - where ranks compute -------------------------------------===
 *
 * Each rank tells all others on which processors it may run and on how many
 * threads it computes. The threads of a machine fit if each can have a
 * processor of its own: a matching of threads with processors (Kuhn, The
 * Hungarian method for the assignment problem, Naval Research Logistics
 * Quarterly 2, 1955). Where a thread finds none, the ranks that were asked to
 * move are those that have more threads than processors (Hall's theorem).
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/progress.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kWords = 128, kProcessors = 64 * kWords };

/* What a rank tells. Rows are sorted by their bytes: machines first. */
typedef struct place {
  uint64_t machine;
  uint64_t processors[kWords];
  char name[64]; /* of the machine */
  int32_t rank, threads, share;
  int32_t unused;
} place;

static uint64_t hashOf(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text; ++text)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

/* Containers of one machine have names of their own and one kernel. */
static void describe(place *own) {
  char boot[64] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file) {
    if (!fgets(boot, sizeof boot, file))
      boot[0] = 0;
    fclose(file);
  }
  gethostname(own->name, sizeof own->name - 1);
  own->machine = hashOf(boot[0] ? boot : own->name);
  if (sched_getaffinity(0, sizeof own->processors,
                        (cpu_set_t *)own->processors))
    memset(own->processors, -1, sizeof own->processors); /* not known */
}

static int byPlace(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->machine != y->machine)
    return x->machine < y->machine ? -1 : 1;
  int order = memcmp(x->processors, y->processors, sizeof x->processors);
  return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int overlap(const place *a, const place *b) {
  for (int i = 0; i < kWords; ++i)
    if (a->processors[i] & b->processors[i])
      return 1;
  return 0;
}

/* Ranks of a machine with the same processors. */
typedef struct group {
  place *first;
  int32_t count, threads, seen, crowded;
} group;

/* The ranks of one machine. */
typedef struct machine {
  group *groups;
  int32_t count;
  int32_t owner[kProcessors]; /* a group + 1; 0: free */
} machine;

/* The groups of `count` sorted rows. What a rank computes on is its part of
   what the ranks leave each other. */
static void divide(machine *m, place *rows, int32_t count) {
  memset(m->owner, 0, sizeof m->owner);
  m->count = 0;
  for (int32_t i = 0; i < count; ++i)
    if (i > 0 && memcmp(rows[i].processors, rows[i - 1].processors,
                        sizeof rows[i].processors) == 0)
      ++m->groups[m->count - 1].count;
    else
      m->groups[m->count++] = (group){rows + i, 1, 0, 0, 0};
  for (int32_t g = 0; g < m->count; ++g) {
    group *own = m->groups + g;
    int32_t ranks = 0;
    for (int32_t h = 0; h < m->count; ++h)
      if (overlap(own->first, m->groups[h].first))
        ranks += m->groups[h].count;
    for (place *row = own->first; row < own->first + own->count; ++row) {
      if (row->share && ranks > 1)
        row->threads = row->threads > ranks ? row->threads / ranks : 1;
      own->threads += row->threads;
    }
  }
}

/* Finds one more processor for group `g`. */
static int findProcessor(machine *m, int32_t g) {
  const uint64_t *set = m->groups[g].first->processors;
  m->groups[g].seen = 1;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < kWords; ++i)
      for (uint64_t rest = set[i]; rest; rest &= rest - 1) {
        int at = 64 * i + __builtin_ctzll(rest);
        int32_t owner = m->owner[at] - 1;
        if (pass == 0 ? owner >= 0
                      : m->groups[owner].seen || !findProcessor(m, owner))
          continue;
        m->owner[at] = g + 1;
        return 1;
      }
  return 0;
}

/* Whether there are ranks with more threads than processors; their groups are
   `crowded` then. */
static int isCrowded(machine *m) {
  int found = 0;
  for (int32_t g = 0; g < m->count; ++g) {
    int fits = 1;
    for (int32_t i = 0; fits && i < m->groups[g].threads; ++i) {
      for (int32_t h = 0; h < m->count; ++h)
        m->groups[h].seen = 0;
      fits = findProcessor(m, g);
    }
    if (fits)
      continue;
    found = 1;
    for (int32_t h = 0; h < m->count; ++h)
      m->groups[h].crowded |= m->groups[h].seen;
  }
  return found;
}

/* Whether some ranks have no processor for one thread more each. */
static int32_t isFull(machine *m) {
  memset(m->owner, 0, sizeof m->owner);
  for (int32_t g = 0; g < m->count; ++g)
    m->groups[g].threads += m->groups[g].count;
  return isCrowded(m);
}

typedef struct text {
  char *at;
  size_t left;
} text;

static void say(text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(text *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(out->at, out->left, format, args);
  va_end(args);
  size_t fits = out->left - 1, used = n < 0 ? 0 : (size_t)n;
  if (used > fits)
    used = fits;
  out->at += used;
  out->left -= used;
}

/* "0-3, 7", of the bits; returns how many there are. */
static int32_t sayNumbers(text *out, const uint64_t *bits, int32_t most) {
  int32_t count = 0, parts = 0;
#define HAS(i) ((i) < most && (bits[(i) / 64] >> ((i) % 64) & 1))
  for (int32_t i = 0; i < most; ++i) {
    if (!HAS(i))
      continue;
    int32_t first = i;
    while (HAS(i + 1))
      ++i;
    count += i - first + 1;
    if (++parts > 8)
      continue;
    say(out, parts == 1 ? "%d" : ", %d", (int)first);
    if (i > first)
      say(out, "-%d", (int)i);
  }
#undef HAS
  if (parts > 8)
    say(out, ", ...");
  return count;
}

/* What is wrong on a crowded machine. */
static void sayCrowded(text *out, const machine *m, int32_t size,
                       uint64_t *ranks) {
  uint64_t processors[kWords] = {0};
  char numbers[256];
  text names = {numbers, sizeof numbers};
  int32_t threads = 0, count = 0;
  memset(ranks, 0, ((size_t)size + 63) / 64 * 8);
  for (int32_t g = 0; g < m->count; ++g) {
    const group *each = m->groups + g;
    if (!each->crowded)
      continue;
    threads += each->threads;
    count += each->count;
    for (int32_t i = 0; i < each->count; ++i)
      ranks[each->first[i].rank / 64] |= UINT64_C(1)
                                         << (each->first[i].rank % 64);
    for (int i = 0; i < kWords; ++i)
      processors[i] |= each->first->processors[i];
  }
  int32_t there = sayNumbers(&names, processors, kProcessors);
  say(out, "%s ", count == 1 ? "rank" : "ranks");
  sayNumbers(out, ranks, size);
  say(out, " on %s %s on %d threads and may run on %d processor%s (%s)",
      m->groups->first->name, count == 1 ? "computes" : "compute", (int)threads,
      (int)there, there == 1 ? "" : "s", numbers);
}

/* What the ranks of all machines, by which `rows` are sorted, compute on; rank
   0 says what is wrong. Returns whether the own machine is full. */
static int32_t inspect(place *rows, int32_t size, machine *m, uint64_t *ranks,
                       const place *own, text *out) {
  int32_t crowded = 0, full = 0;
  for (int32_t begin = 0, end; begin < size; begin = end) {
    for (end = begin + 1;
         end < size && rows[end].machine == rows[begin].machine;)
      ++end;
    if (own->rank != 0 && rows[begin].machine != own->machine)
      continue;
    divide(m, rows + begin, end - begin);
    if (own->rank == 0 && isCrowded(m) && ++crowded == 1)
      sayCrowded(out, m, size, ranks);
    if (rows[begin].machine == own->machine)
      full = isFull(m);
  }
  if (crowded > 1)
    say(out, ", and so it is on %d more machines", (int)crowded - 1);
  if (crowded)
    say(out, "; give each rank processors of its own (--bind-to, --map-by of "
             "mpiexec), or start fewer ranks or threads "
             "(CELLGRAD_NUM_THREADS)");
  return full;
}

int32_t cg_comm_threads(cg_comm *comm, int32_t threads, int32_t share,
                        char *words, size_t bytes) {
  int32_t size = comm->size, result = 0;
  place own = {.rank = comm->rank, .threads = threads, .share = share};
  text out = {words, bytes};
  say(&out, "%s", "");
  describe(&own);
  place *rows = malloc(sizeof *rows * (size_t)size);
  machine *m = malloc(sizeof *m);
  group *groups = malloc(sizeof *groups * (size_t)size);
  uint64_t *ranks = malloc(((size_t)size + 63) / 64 * 8);
  void *request;
  cg_collective gather = {.struct_size = sizeof gather,
                          .kind = CG_ALL_GATHER,
                          .dtype = CG_INT8,
                          .flags = CG_AT_ONCE,
                          .count = sizeof own,
                          .send = &own,
                          .recv = rows};
  if (!rows || !m || !groups || !ranks)
    commBreak((comm_base *)comm, "out of memory");
  else if (comm->start(comm, &gather, &request) == CG_OK &&
           comm->wait(comm, &request) == CG_OK) {
    m->groups = groups;
    qsort(rows, (size_t)size, sizeof *rows, byPlace);
    int32_t full = inspect(rows, size, m, ranks, &own, &out);
    /* A thread would take turns with those that compute, and hide nothing. */
    if (full && ((comm_base *)comm)->copies)
      cg_comm_use_thread(comm, 0);
    for (int32_t i = 0; i < size; ++i)
      if (rows[i].rank == comm->rank)
        result = rows[i].threads;
  }
  free(rows);
  free(m);
  free(groups);
  free(ranks);
  return result;
}
