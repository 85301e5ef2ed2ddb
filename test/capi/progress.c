// Collectives that go on beside the computation: many at a time, waited for in
// any order, with a thread and without; errors come out where one waits. Two
// ranks are two processes.
// RUN: rm -rf %t && mkdir %t
// RUN: %cxx -x c -std=c11 -O2 -I%root -I%S %s %runtime/comm/base.c %runtime/comm/combine.c %runtime/comm/messages.c %runtime/comm/progress.c %runtime/comm/shared.c %runtime/halves.c -pthread -Wl,--wrap=pthread_create -o %t/run
// RUN: %t/run
// RUN: %cxx -x c -std=c11 -g -O1 -fsanitize=thread -DOWN_THREADS -I%root -I%S %s %runtime/comm/base.c %runtime/comm/combine.c %runtime/comm/messages.c %runtime/comm/progress.c %runtime/comm/shared.c %runtime/halves.c -pthread -Wl,--wrap=pthread_create -o %t/checked
// RUN: env TSAN_OPTIONS=die_after_fork=0 %t/checked

#define _GNU_SOURCE
#include "Inputs/count-threads.h"
#include "runtime/comm/comm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      _exit(1);                                                                \
    }                                                                          \
  while (0)

/* In place of the library's. */
static int threadsLeft = 1, threadsMade;
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
  if (!threadsLeft)
    return EAGAIN;
  ++threadsMade;
  return __real_pthread_create(thread, attributes, function, argument);
}

static char group[64];

static cg_comm *join(int rank, const char *name, const cg_network *network) {
  char text[128];
  snprintf(text, sizeof text, "%s-%s", group, name);
  cg_comm *comm = cg_comm_shared(text, rank, 2, 20000, network);
  EXPECT(comm);
  return comm;
}

static int32_t begin(cg_comm *comm, int64_t count, float *x, int32_t flags,
                     void **request) {
  cg_collective what = {sizeof what, CG_ALL_REDUCE, CG_SUM, CG_FLOAT32, 0,
                        flags,       count,         NULL,   x};
  return comm->start(comm, &what, request);
}

enum { kMost = 200, kCount = 3000 };
static float x[kMost][kCount];

/* More than the queue holds, waited for in an order of their own. */
static void many(cg_comm *comm, int rank) {
  static void *requests[kMost];
  for (int i = 0; i < kMost; ++i) {
    for (int j = 0; j < kCount; ++j)
      x[i][j] = (float)(i + j * (rank + 1));
    EXPECT(begin(comm, kCount - i, x[i], 0, &requests[i]) == CG_OK);
  }
  for (int k = 0; k < kMost; ++k) {
    int i = rank ? kMost - 1 - k : k * 7 % kMost;
    EXPECT(comm->wait(comm, &requests[i]) == CG_OK);
    for (int j = 0; j < kCount; ++j)
      EXPECT(x[i][j] == (j < kCount - i ? (float)(2 * i + 3 * j)
                                        : (float)(i + j * (rank + 1))));
  }
  EXPECT(comm->agree(comm, 5) == CG_OK);
}

static void hidden(int rank) {
  cg_network network = {30000, 0};
  cg_comm *comm = join(rank, "hidden", &network);
  int64_t performed, waited;
  void *request;
  EXPECT(begin(comm, 9, x[0], CG_AT_ONCE, &request) == CG_OK);
  EXPECT(comm->wait(comm, &request) == CG_OK);
  EXPECT(threadsMade == 0);
  cg_comm_times(comm, &performed, &waited);
  EXPECT(waited >= performed && performed >= 30000000);
  int64_t before = performed - waited;
  EXPECT(begin(comm, 9, x[0], 0, &request) == CG_OK);
  EXPECT(threadsMade == 1);
  usleep(60000); /* the computation */
  EXPECT(comm->wait(comm, &request) == CG_OK);
  cg_comm_times(comm, &performed, &waited);
  EXPECT(performed - waited - before > 5000000);
  if (fork() == 0) { /* which has no such thread */
    cg_comm_free(comm);
    _exit(0);
  }
  int status = 1;
  wait(&status);
  EXPECT(status == 0);
  cg_comm_free(comm);
#ifndef OWN_THREADS
  EXPECT(hasThreads(1));
#endif
}

/* The other rank ends while collectives are on their way. */
static void failing(int rank) {
  cg_comm *comm = join(rank, "failing", NULL);
  void *requests[3];
  for (int i = 0; i < 3; ++i)
    EXPECT(begin(comm, 9, x[i], 0, &requests[i]) == CG_OK);
  EXPECT(comm->wait(comm, &requests[0]) == CG_OK);
  if (rank == 1) {
    EXPECT(comm->wait(comm, &requests[2]) == CG_OK);
    _exit(0);
  }
  EXPECT(comm->wait(comm, &requests[1]) == CG_OK);
  EXPECT(comm->wait(comm, &requests[2]) == CG_OK);
  EXPECT(begin(comm, 9, x[0], 0, &requests[0]) == CG_OK);
  EXPECT(begin(comm, 9, x[1], 0, &requests[1]) == CG_OK);
  EXPECT(comm->wait(comm, &requests[1]) == CG_ERROR_COMM);
  EXPECT(comm->wait(comm, &requests[0]) == CG_ERROR_COMM);
  EXPECT(begin(comm, 9, x[0], 0, &requests[0]) == CG_ERROR_COMM);
  EXPECT(comm->agree(comm, 1) == CG_ERROR_COMM);
  cg_comm_free(comm);
}

static void onRank(int rank) {
  cg_comm *comm = join(rank, "alone", NULL);
  cg_comm_use_thread(comm, 0);
  many(comm, rank);
  EXPECT(threadsMade == 0);
  cg_comm_free(comm);
  threadsLeft = 0;
  comm = join(rank, "none", NULL);
  many(comm, rank);
  cg_comm_free(comm);
  threadsLeft = 1;
  hidden(rank);
  comm = join(rank, "many", NULL);
  many(comm, rank);
  EXPECT(threadsMade == 2);
  cg_comm_free(comm);
  failing(rank);
}

int main(void) {
  snprintf(group, sizeof group, "progress-%d", (int)getpid());
  pid_t children[2];
  for (int rank = 0; rank < 2; ++rank)
    if ((children[rank] = fork()) == 0) {
      onRank(rank);
      _exit(0);
    }
  int bad = 0;
  for (int rank = 0; rank < 2; ++rank) {
    int status = 1;
    waitpid(children[rank], &status, 0);
    bad |= status;
  }
  return bad != 0;
}
