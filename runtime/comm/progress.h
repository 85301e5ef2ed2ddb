/*===- progress.h - collectives beside the computation
 * -----------------------===*/

#ifndef CELLGRAD_RUNTIME_COMM_PROGRESS_H
#define CELLGRAD_RUNTIME_COMM_PROGRESS_H

#include "runtime/comm/parts.h"

#include <time.h>

/* The functions of every communicator of this folder. */
int32_t commBegin(cg_comm *self, const cg_collective *what, void **request);
int32_t commEnd(cg_comm *self, void **request);
int32_t commAgree(cg_comm *self, uint64_t hash);

/* An error that the caller has found, kept like all. Returns its status. */
int32_t commBreak(comm_base *comm, const char *why);

/* Before the first of them, and after the last: the thread has ended then. */
void commOpen(comm_base *comm);
void commClose(comm_base *comm);

/* A call that waits for all ranks, and can be neither asked nor left: a thread
   looks at the clock, and ends the process where it takes too long. */
typedef struct comm_watch {
  const char *what;
  int64_t timeout; /* in milliseconds */
  struct timespec until;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int over, hasThread;
} comm_watch;

void commBeginWatch(comm_watch *w, const char *what, int64_t timeout);
void commEndWatch(comm_watch *w);

#endif
