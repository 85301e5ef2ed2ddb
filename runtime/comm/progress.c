/*===- progress.c - collectives beside the computation
 * -----------------------===
 *
 * What is begun stands in a queue, and is done in that order: by a thread, or
 * by who waits where the thread has not come to it. One does a collective at a
 * time, so a library below needs to know of no more than one thread at a time.
 *
 * The first collective that is not waited for at once begins the thread.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Does the first of the queue. With the lock, and nobody else at it; what is
   behind a failure is left out. */
static void doNext(comm_base *comm) {
  comm_progress *p = &comm->progress;
  cg_collective what = p->queue[p->done % kMostBegun];
  int32_t status = p->status;
  p->busy = 1;
  pthread_mutex_unlock(&p->mutex);
  int64_t begin = now();
  if (status == CG_OK)
    status = comm->perform(comm, &what);
  int64_t took = now() - begin;
  pthread_mutex_lock(&p->mutex);
  p->busy = 0;
  p->status = status;
  p->performed += took;
  ++p->done;
  pthread_cond_broadcast(&p->changed);
}

/* Returns when the first `count` of all are done. With the lock. */
static void finish(comm_base *comm, uint64_t count) {
  comm_progress *p = &comm->progress;
  int64_t begin = now();
  while (p->done < count)
    if (p->busy)
      pthread_cond_wait(&p->changed, &p->mutex);
    else
      doNext(comm);
  p->waited += now() - begin;
}

static void *work(void *of) {
  comm_base *comm = of;
  comm_progress *p = &comm->progress;
  pthread_mutex_lock(&p->mutex);
  for (;;)
    if (p->busy || (p->done == p->begun && !p->stops))
      pthread_cond_wait(&p->changed, &p->mutex);
    else if (p->done == p->begun)
      break;
    else
      doNext(comm);
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

/* Begins a thread; signals of the program are its own threads'. Returns whether
   there is one. */
static int beginQuietly(pthread_t *thread, void *(*body)(void *), void *of) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int begun = pthread_create(thread, NULL, body, of) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return begun;
}

/* Without a thread, who waits does it all. */
static void beginThread(comm_base *comm) {
  comm_progress *p = &comm->progress;
  p->maker = getpid();
  p->hasThread = beginQuietly(&p->thread, work, comm);
  p->noThread = !p->hasThread;
}

int32_t commBegin(cg_comm *self, const cg_collective *what, void **request) {
  comm_base *comm = (comm_base *)self;
  comm_progress *p = &comm->progress;
  *request = NULL;
  pthread_mutex_lock(&p->mutex);
  if (p->begun - p->done == kMostBegun)
    finish(comm, p->done + 1);
  int32_t status = p->status;
  if (status == CG_OK) {
    /* One that is too small is an error, of perform. */
    size_t known =
        what->struct_size < sizeof *what ? what->struct_size : sizeof *what;
    cg_collective *place = &p->queue[p->begun++ % kMostBegun];
    memset(place, 0, sizeof *place); /* of an older program: no group */
    memcpy(place, what, known);
    *request = (void *)(uintptr_t)p->begun;
    if (!p->noThread && !(what->flags & CG_AT_ONCE)) {
      if (!p->hasThread)
        beginThread(comm);
      pthread_cond_broadcast(&p->changed);
    }
  }
  pthread_mutex_unlock(&p->mutex);
  return status;
}

int32_t commEnd(cg_comm *self, void **request) {
  comm_base *comm = (comm_base *)self;
  comm_progress *p = &comm->progress;
  pthread_mutex_lock(&p->mutex);
  finish(comm, (uintptr_t)*request);
  int32_t status = p->status;
  pthread_mutex_unlock(&p->mutex);
  return status;
}

int32_t commAgree(cg_comm *self, uint64_t hash) {
  comm_base *comm = (comm_base *)self;
  comm_progress *p = &comm->progress;
  pthread_mutex_lock(&p->mutex);
  finish(comm, p->begun);
  if (p->status == CG_OK)
    p->status = comm->compare(comm, hash);
  int32_t status = p->status;
  pthread_mutex_unlock(&p->mutex);
  return status;
}

int32_t commBreak(comm_base *comm, const char *why) {
  comm_progress *p = &comm->progress;
  pthread_mutex_lock(&p->mutex);
  finish(comm, p->begun);
  int32_t status = p->status = commFail(comm, CG_ERROR_COMM, "%s", why);
  pthread_mutex_unlock(&p->mutex);
  return status;
}

void commOpen(comm_base *comm) {
  pthread_mutex_init(&comm->progress.mutex, NULL);
  pthread_cond_init(&comm->progress.changed, NULL);
}

void commClose(comm_base *comm) {
  comm_progress *p = &comm->progress;
  /* A fork has no such thread. */
  if (p->hasThread && p->maker == getpid()) {
    pthread_mutex_lock(&p->mutex);
    p->stops = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    pthread_join(p->thread, NULL);
  }
  p->hasThread = 0;
}

void cg_comm_use_thread(cg_comm *comm, int32_t use) {
  comm_progress *p = &((comm_base *)comm)->progress;
  pthread_mutex_lock(&p->mutex);
  p->noThread = !use;
  pthread_mutex_unlock(&p->mutex);
}

void cg_comm_times(cg_comm *comm, int64_t *performed, int64_t *waited) {
  comm_progress *p = &((comm_base *)comm)->progress;
  pthread_mutex_lock(&p->mutex);
  *performed = p->performed;
  *waited = p->waited;
  pthread_mutex_unlock(&p->mutex);
}

/*===----------------------------------------------------------------------===
 * A call that nobody can leave
 *===----------------------------------------------------------------------===*/

static void *lookAtClock(void *of) {
  comm_watch *w = of;
  int late = 0;
  pthread_mutex_lock(&w->mutex);
  while (!w->over && late == 0)
    late = pthread_cond_timedwait(&w->changed, &w->mutex, &w->until);
  if (!w->over) {
    fprintf(stderr,
            "error: a rank has waited %lld ms in %s for ranks that did not "
            "come to it: they are slower than the time limit allows, or have "
            "ended; all ranks end\n",
            (long long)w->timeout, w->what);
    fflush(NULL);
    _Exit(CG_ERROR_COMM_TIMEOUT);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

void commBeginWatch(comm_watch *w, const char *what, int64_t timeout) {
  *w = (comm_watch){.what = what, .timeout = timeout};
  clock_gettime(CLOCK_MONOTONIC, &w->until);
  int64_t end = w->until.tv_nsec / 1000000 + timeout;
  w->until.tv_sec += end / 1000;
  w->until.tv_nsec = end % 1000 * 1000000;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&w->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&w->mutex, NULL);
  w->hasThread = beginQuietly(&w->thread, lookAtClock, w);
}

void commEndWatch(comm_watch *w) {
  pthread_mutex_lock(&w->mutex);
  w->over = 1;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->mutex);
  if (w->hasThread)
    pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->mutex);
}
