/*===- messages.c - messages and meetings of some ranks, by shared memory
 * ----===
 *
 * A message goes through a ring of bytes that each rank has for each other one.
 * Who waits takes messages out of the rings that lead to it, and keeps those
 * that are not what it waits for: so two ranks may send to each other before
 * they receive, however much.
 *
 * The ranks of a group meet at the first of them: they tell it that they are
 * there, it compares what they are about to do, and tells them.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/segment.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void ring(shared *c, int32_t rank) {
  atomic_fetch_add(&c->s->bell[rank], 1);
  syscall(SYS_futex, &c->s->bell[rank], FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static channel *between(shared *c, int32_t from, int32_t to) {
  return &c->channels[from * c->base.face.size + to];
}

/* Returns when `isReady`, for which rank `other` has to do something; `why` is
   what it has to do. */
static int32_t waitFor(shared *c, int32_t (*isReady)(shared *, int32_t),
                       int32_t other, const char *why) {
  _Atomic uint32_t *bell = &c->s->bell[c->base.face.rank];
  for (int i = 0; i < kSpins; ++i) {
    if (isReady(c, other))
      return CG_OK;
    rest();
  }
  int64_t until = sharedNow() + c->timeout;
  for (;;) {
    uint32_t before = atomic_load(bell);
    sharedDrain(c);
    if (c->base.failed)
      return c->base.failed;
    if (isReady(c, other))
      return CG_OK;
    if (atomic_load(&c->s->failed))
      return sharedFail(c);
    struct timespec poll = {0, kPollMs * 1000000};
    syscall(SYS_futex, bell, FUTEX_WAIT, before, &poll, NULL, 0);
    int32_t dead = sharedIsGone(c, other);
    sharedDrain(c);
    if (isReady(c, other)) /* it may have done it, and ended, since */
      return CG_OK;
    if (dead)
      sharedDeclare(c, 1 + (uint32_t)other);
    else if (sharedNow() > until)
      return sharedSay(c, CG_ERROR_COMM_TIMEOUT,
                       "rank %d has waited %lld ms for rank %d %s",
                       c->base.face.rank, (long long)c->timeout, other, why);
  }
}

/*===----------------------------------------------------------------------===*/
/* Messages */
/*===----------------------------------------------------------------------===*/

/* What has come whole: to who waits for it, or kept. */
static void deliver(shared *c, incoming *in, int32_t from) {
  const cg_collective *awaited = c->awaited;
  int32_t isIt =
      awaited && awaited->root == from && awaited->tag == in->header.tag;
  char text[kText];
  if (!in->message) {
    c->awaited = NULL;
  } else if (!isIt) {
    commKeep(&c->base, in->message);
  } else {
    if (commFits(&c->base, &in->header, awaited, text))
      memcpy(awaited->recv, in->message->data, commBytes(&in->header));
    else
      sharedSay(c, CG_ERROR_COMM_MISMATCH, "%s", text);
    c->awaited = NULL;
    free(in->message);
  }
  in->message = NULL;
  in->got = 0;
}

/* The header is there: where do the elements go? */
static int32_t open_(shared *c, incoming *in, int32_t from) {
  const cg_collective *awaited = c->awaited;
  char text[kText];
  if (awaited && awaited->root == from && awaited->tag == in->header.tag &&
      commFits(&c->base, &in->header, awaited, text)) {
    in->to = awaited->recv;
    return 1;
  }
  in->message = commMessage(&c->base, from, &in->header);
  if (!in->message)
    return 0;
  in->to = in->message->data;
  return 1;
}

/* Takes what has come from a rank. */
static void absorb(shared *c, int32_t from) {
  channel *way = between(c, from, c->base.face.rank);
  incoming *in = &c->in[from];
  uint64_t read = atomic_load(&way->read), begin = read;
  uint64_t written = atomic_load(&way->written);
  while (read != written) {
    int32_t isHeader = in->got < sizeof in->header;
    size_t all = sizeof in->header;
    if (!isHeader)
      all += commBytes(&in->header);
    char *to = isHeader ? (char *)&in->header + in->got
                        : in->to + (in->got - sizeof in->header);
    size_t at = read % kRing, n = kRing - at;
    if (n > written - read)
      n = written - read;
    if (n > all - in->got)
      n = all - in->got;
    memcpy(to, way->ring + at, n);
    read += n;
    in->got += n;
    if (isHeader && in->got == sizeof in->header) {
      if (!open_(c, in, from))
        break;
      all += commBytes(&in->header);
    }
    if (in->got >= sizeof in->header && in->got == all)
      deliver(c, in, from);
  }
  if (read != begin) {
    atomic_store(&way->read, read);
    ring(c, from);
  }
}

void sharedDrain(shared *c) {
  for (int32_t r = 0; r < c->base.face.size; ++r)
    if (r != c->base.face.rank)
      absorb(c, r);
}

static int32_t hasRoom(shared *c, int32_t to) {
  channel *way = between(c, c->base.face.rank, to);
  return atomic_load(&way->written) - atomic_load(&way->read) < kRing;
}

static int32_t push(shared *c, int32_t to, const void *what, size_t bytes) {
  channel *way = between(c, c->base.face.rank, to);
  const char *from = what;
  while (bytes != 0) {
    int32_t status = waitFor(c, hasRoom, to, "to receive what it was sent");
    if (status != CG_OK)
      return status;
    uint64_t written = atomic_load(&way->written);
    size_t at = written % kRing, n = kRing - at;
    size_t room = kRing - (size_t)(written - atomic_load(&way->read));
    if (n > room)
      n = room;
    if (n > bytes)
      n = bytes;
    memcpy(way->ring + at, from, n);
    atomic_store(&way->written, written + n);
    ring(c, to);
    from += n;
    bytes -= n;
  }
  return CG_OK;
}

static int32_t hasCome(shared *c, int32_t from) {
  if (c->awaited)
    absorb(c, from);
  return !c->awaited;
}

static int32_t receive(shared *c, const cg_collective *what) {
  comm_message *message = commTake(&c->base, what->root, what->tag);
  char text[kText];
  if (message) {
    int32_t fits = commFits(&c->base, &message->header, what, text);
    if (fits)
      memcpy(what->recv, message->data, commBytes(&message->header));
    free(message);
    return fits ? CG_OK : sharedSay(c, CG_ERROR_COMM_MISMATCH, "%s", text);
  }
  c->awaited = what;
  int32_t status =
      waitFor(c, hasCome, what->root, "to send what it is to receive");
  c->awaited = NULL;
  return status == CG_OK ? c->base.failed : status;
}

int32_t sharedMessage(shared *c, const cg_collective *what) {
  if (what->kind == CG_RECEIVE)
    return receive(c, what);
  if (sharedIsGone(c, what->root)) {
    sharedDeclare(c, 1 + (uint32_t)what->root);
    return sharedFail(c);
  }
  comm_header header = commHeader(what);
  int32_t status = push(c, what->root, &header, sizeof header);
  if (status == CG_OK)
    status = push(c, what->root, what->send ? what->send : what->recv,
                  commBytes(&header));
  return status;
}

/*===----------------------------------------------------------------------===*/
/* Groups */
/*===----------------------------------------------------------------------===*/

static void tell(shared *c, int32_t rank) {
  atomic_fetch_add(&c->s->signals[c->base.face.rank][rank], 1);
  ring(c, rank);
}

static int32_t hasTold(shared *c, int32_t rank) {
  return atomic_load(&c->s->signals[rank][c->base.face.rank]) != c->seen[rank];
}

static int32_t hear(shared *c, int32_t rank) {
  int32_t status =
      waitFor(c, hasTold, rank, "to come to a collective of their group");
  if (status == CG_OK)
    ++c->seen[rank];
  return status;
}

int32_t sharedMeet(shared *c, const cg_collective *what, uint64_t doing) {
  int32_t own = c->base.face.rank, first = what->group[0];
  int32_t status = CG_OK;
  atomic_store(&c->s->inGroup[own], doing);
  if (own != first) {
    tell(c, first);
    return hear(c, first);
  }
  for (int32_t i = 1; status == CG_OK && i < what->group_size; ++i)
    status = hear(c, what->group[i]);
  for (int32_t i = 1; status == CG_OK && i < what->group_size; ++i)
    if (atomic_load(&c->s->inGroup[what->group[i]]) != doing)
      status = sharedSay(
          c, CG_ERROR_COMM_MISMATCH,
          "rank %d does another collective than rank %d of its group: the "
          "ranks run different programs, or the same with other shapes or "
          "dtypes, or not the same number of times",
          what->group[i], own);
  for (int32_t i = 1; status == CG_OK && i < what->group_size; ++i)
    tell(c, what->group[i]);
  return status;
}
