// Ranks that share processors: five ranks with processors and threads that are
// drawn, on two machines. What is said is compared with all sets of ranks: one
// with more threads than processors is there, or nothing is said.
// RUN: rm -rf %t && mkdir %t
// RUN: %cxx -x c -std=c11 -O2 -I%root %s %runtime/comm/base.c %runtime/comm/combine.c %runtime/comm/messages.c %runtime/comm/places.c %runtime/comm/progress.c %runtime/comm/shared.c %runtime/halves.c -pthread -Wl,--wrap=sched_getaffinity,--wrap=gethostname,--wrap=fopen -o %t/run
// RUN: %t/run

#define _GNU_SOURCE
#include "runtime/comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d, round %d: not %s: %s\n", __LINE__, round_,     \
              #what, words);                                                   \
      _exit(1);                                                                \
    }                                                                          \
  while (0)

enum { kRanks = 5, kRounds = 3000 };
static int round_, rank;
static char words[1024];

/* Of the round: bits of processors, from 60 on; threads; machine; whether
   threads are divided. */
static unsigned set[kRanks];
static int threads[kRanks], machine[kRanks], share;

static void draw(void) {
  static unsigned state = 7;
  for (int r = 0; r < kRanks; ++r) {
    state = state * 1664525 + 1013904223;
    machine[r] = round_ % 3 == 0 && (state >> 9 & 1);
    threads[r] = 1 + (int)(state >> 10) % 3;
    set[r] = state >> 16 & (round_ & 1 ? 0xffff : 0xff);
    if (round_ % 5 == 0 && r > 0)
      set[r] = set[r - 1];
    if (set[r] == 0)
      set[r] = 1;
  }
  share = round_ % 4 == 0;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, void *mask) {
  (void)pid;
  memset(mask, 0, size);
  uint64_t *bits = mask; /* across two words */
  bits[0] = (uint64_t)set[rank] << 60;
  bits[1] = set[rank] >> 4;
  return 0;
}

int __wrap_gethostname(char *name, size_t size) {
  return snprintf(name, size, "machine%d", machine[rank]) < 0;
}

FILE *__wrap_fopen(const char *name, const char *mode) {
  (void)name, (void)mode;
  return NULL; /* no kernel tells machines apart: their names do */
}

/* More threads than processors in a set of ranks of one machine: by how many.
 */
static int excess(unsigned ranks, int *of) {
  unsigned processors = 0;
  int all = 0, first = __builtin_ctz(ranks);
  for (int r = 0; r < kRanks; ++r)
    if (ranks >> r & 1) {
      if (machine[r] != machine[first])
        return 0;
      processors |= set[r];
      all += of[r];
    }
  return all - __builtin_popcount(processors);
}

/* The bits of "0-2, 4". */
static unsigned numbers(const char **at) {
  unsigned bits = 0;
  for (;;) {
    char *end;
    long first = strtol(*at, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    for (; first <= last; ++first)
      bits |= 1u << first;
    *at = end;
    if (strncmp(end, ", ", 2) != 0)
      return bits;
    *at += 2;
  }
}

static void check(int32_t got) {
  int use[kRanks];
  for (int r = 0; r < kRanks; ++r) {
    int others = 0;
    for (int s = 0; s < kRanks; ++s)
      others += machine[r] == machine[s] && (set[r] & set[s]);
    use[r] = threads[r];
    if (share && others > 1)
      use[r] = use[r] > others ? use[r] / others : 1;
  }
  EXPECT(got == use[rank]);
  int crowded = 0;
  for (unsigned ranks = 1; ranks < 1u << kRanks; ++ranks)
    crowded |= excess(ranks, use) > 0;
  EXPECT((*words != 0) == (rank == 0 && crowded));
  if (!*words)
    return;
  const char *at = strchr(words, ' ') + 1;
  unsigned named = numbers(&at), processors = 0;
  int machineNamed, all, count;
  char verb[20];
  EXPECT(sscanf(at, " on machine%d %19s on %d threads and may run on %d",
                &machineNamed, verb, &all, &count) == 4);
  EXPECT(excess(named, use) == all - count && all > count);
  for (unsigned ranks = 1; ranks < 1u << kRanks; ++ranks)
    EXPECT(machine[__builtin_ctz(ranks)] != machineNamed ||
           excess(ranks, use) <= all - count);
  EXPECT(machine[__builtin_ctz(named)] == machineNamed);
  at = strchr(at, '(') + 1;
  for (int r = 0; r < kRanks; ++r)
    processors |= named >> r & 1 ? set[r] : 0;
  for (int p = 0; p < 16; ++p) { /* the list, one number after the other */
    if (!(processors >> p & 1))
      continue;
    char *end;
    EXPECT(strtol(at, &end, 10) == 60 + p);
    int last = p;
    while (processors >> (last + 1) & 1)
      ++last;
    if (last > p)
      EXPECT(*end == '-' && strtol(end + 1, &end, 10) == 60 + last);
    p = last;
    at = end + (*end == ',' ? 2 : 0);
  }
  EXPECT(*at == ')');
  int second = 0;
  for (unsigned ranks = 1; ranks < 1u << kRanks; ++ranks)
    second |=
        machine[__builtin_ctz(ranks)] != machineNamed && excess(ranks, use) > 0;
  EXPECT((strstr(words, "and so it is on 1 more") != NULL) == second);
  EXPECT(strstr(words, "; give each rank processors of its own"));
}

int main(void) {
  char name[64];
  int status = 0, crowded = 0;
  snprintf(name, sizeof name, "places-%d", (int)getpid());
  while (rank + 1 < kRanks && fork() == 0)
    ++rank; /* each rank starts the next one */
  cg_comm *comm = cg_comm_shared(name, rank, kRanks, 20000, NULL);
  EXPECT(comm);
  for (; round_ < kRounds; ++round_) {
    draw();
    check(cg_comm_threads(comm, threads[rank], share, words, sizeof words));
    crowded += *words != 0;
  }
  EXPECT(rank != 0 || (crowded > kRounds / 10 && crowded < kRounds * 9 / 10));
  /* A text that does not fit is cut. */
  char small[12];
  for (int r = 0; r < kRanks; ++r)
    set[r] = 1, machine[r] = 0;
  EXPECT(cg_comm_threads(comm, 2, 0, small, sizeof small) == 2);
  EXPECT(strcmp(small, rank == 0 ? "ranks 0-4 o" : "") == 0);
  cg_comm_free(comm);
  if (rank + 1 < kRanks)
    wait(&status);
  return status != 0;
}
