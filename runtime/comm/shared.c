/*===- shared.c - the ranks of one machine, by memory they share
 * -------------===
 *
 * A file in /dev/shm has a slot for each rank and one for what is combined,
 * twice. A collective goes in pieces that fit a slot: each rank puts its piece
 * in, all meet, each takes what it needs. The next piece uses the other set of
 * slots, so that one meeting a piece is enough: who has met for it has taken
 * all of the one before. Where all get what is combined, each rank combines a
 * part and puts it where the others take it from: one meeting more.
 *
 * A group has sets of slots of its own, and results where its first rank has a
 * place for them. Its ranks meet once more when they have taken what
 * they need, as the next of each may be of another group. How they meet, and
 * messages, is in messages.c.
 *
 * At each meeting ranks compare what they think they do. Each holds a lock on a
 * byte of the file as long as it lives. Who waits long at a meeting asks
 * whether the others' locks are held.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t sharedNow(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

int32_t sharedIsGone(shared *c, int32_t rank) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
  return rank != c->base.face.rank && fcntl(c->fd, F_GETLK, &lock) == 0 &&
         lock.l_type == F_UNLCK;
}

/* The first other rank whose lock is free, or -1. */
static int32_t gone(shared *c) {
  for (int32_t r = 0; r < c->base.face.size; ++r)
    if (sharedIsGone(c, r))
      return r;
  return -1;
}

int32_t sharedFail(shared *c) {
  uint32_t failed = atomic_load(&c->s->failed);
  if (failed == kWords)
    return commFail(&c->base, (int32_t)atomic_load(&c->s->culprit), "%s",
                    c->s->words);
  if (failed == kLate)
    return commFail(&c->base, CG_ERROR_COMM_TIMEOUT,
                    "ranks have waited %lld ms for one that did not come: it "
                    "is slower than the time limit allows, or stopped calling "
                    "collectives",
                    (long long)c->timeout);
  if (failed == kDifferent)
    return commFail(&c->base, CG_ERROR_COMM_MISMATCH,
                    "rank %u does another collective than rank 0: the ranks "
                    "run different programs, or the same with other shapes or "
                    "dtypes, or not the same number of times",
                    atomic_load(&c->s->culprit));
  return commFail(&c->base, CG_ERROR_COMM, "rank %u has ended", failed - 1);
}

void sharedDeclare(shared *c, uint32_t what) {
  uint32_t none = 0;
  atomic_compare_exchange_strong(&c->s->failed, &none, what);
}

int32_t sharedSay(shared *c, int32_t status, const char *format, ...) {
  char text[kText];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!atomic_load(&c->s->failed) && !atomic_exchange(&c->s->worded, 1)) {
    memcpy(c->s->words, text, sizeof text);
    atomic_store(&c->s->culprit, (uint32_t)status);
    sharedDeclare(c, kWords);
  }
  return commFail(&c->base, status, "%s", text);
}

/* Returns when all ranks are here. */
static int32_t barrier(shared *c) {
  segment *s = c->s;
  uint32_t phase = atomic_load(&s->phase);
  if (atomic_load(&s->failed))
    return sharedFail(c);
  if (atomic_fetch_add(&s->arrived, 1) + 1 == atomic_load(&s->size)) {
    atomic_store(&s->arrived, 0);
    atomic_fetch_add(&s->phase, 1);
    syscall(SYS_futex, &s->phase, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return CG_OK;
  }
  for (int i = 0; i < kSpins; ++i) {
    if (atomic_load(&s->phase) != phase)
      return CG_OK;
    rest();
  }
  int64_t until = sharedNow() + c->timeout;
  while (atomic_load(&s->phase) == phase) {
    struct timespec poll = {0, kPollMs * 1000000};
    syscall(SYS_futex, &s->phase, FUTEX_WAIT, phase, &poll, NULL, 0);
    sharedDrain(c);
    if (atomic_load(&s->phase) != phase)
      break;
    int32_t dead = gone(c);
    /* It may have come, and ended, since. */
    if (atomic_load(&s->phase) != phase)
      break;
    if (dead >= 0)
      sharedDeclare(c, 1 + (uint32_t)dead);
    else if (sharedNow() > until)
      sharedDeclare(c, kLate);
    if (atomic_load(&s->failed))
      return sharedFail(c);
  }
  return CG_OK;
}

/* The same, and that all are about to do the same. */
static int32_t meetAll(shared *c, uint32_t set, uint64_t doing) {
  atomic_store(&c->s->doing[set][c->base.face.rank], doing);
  int32_t status = barrier(c);
  if (status != CG_OK)
    return status;
  uint64_t first = atomic_load(&c->s->doing[set][0]);
  for (int32_t r = 1; r < c->base.face.size; ++r)
    if (atomic_load(&c->s->doing[set][r]) != first) {
      atomic_store(&c->s->culprit, (uint32_t)r);
      sharedDeclare(c, kDifferent);
      return sharedFail(c);
    }
  return CG_OK;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t signatureOf(const cg_collective *what) {
  uint64_t hash = mix(1, (uint64_t)what->kind);
  hash = mix(hash, (uint64_t)what->op);
  hash = mix(hash, (uint64_t)what->dtype);
  hash = mix(hash, (uint64_t)what->root);
  for (int32_t i = 0; i < what->group_size; ++i)
    hash = mix(hash, (uint64_t)what->group[i] + 1);
  return mix(hash, (uint64_t)what->count);
}

static char *slot(shared *c, uint32_t set, int32_t rank) {
  return c->s->data +
         ((size_t)set * (size_t)(c->base.face.size + 1) + (size_t)rank) *
             c->slotBytes;
}

static int32_t meet(shared *c, const cg_collective *what, uint32_t set,
                    uint64_t doing) {
  return what->group ? sharedMeet(c, what, doing) : meetAll(c, set, doing);
}

/* `n` elements of a piece, of `count` in all, which begins with element `at`.
 */
static int32_t movePiece(shared *c, const cg_collective *what, const char *from,
                         int64_t at, int64_t n, uint64_t doing) {
  int32_t rank = commPlace(what, c->base.face.rank);
  int32_t size = commCount(&c->base, what);
  const int32_t *group = what->group; /* NULL: all, in their order */
  uint32_t set = group ? kGroupSets : c->piece++ & 1;
  size_t element = commElementBytes(what->dtype);
  size_t offset = (size_t)at * element, bytes = (size_t)n * element;
  size_t whole = (size_t)what->count * element;
  char *own = slot(c, set, c->base.face.rank);
  char *to = what->recv;
#define SLOT_OF(r) slot(c, set, group ? group[r] : (r))
  switch (what->kind) {
  case CG_REDUCE_SCATTER: /* a block for each other rank */
  case CG_ALL_TO_ALL:
    for (int32_t r = 0; r < size; ++r)
      if (r != rank)
        memcpy(own + (size_t)r * bytes, from + (size_t)r * whole + offset,
               bytes);
    break;
  case CG_BROADCAST:
  case CG_BARRIER:
    break;
  default:
    memcpy(own, from + offset, bytes);
  }
  if (what->kind == CG_BROADCAST && c->base.face.rank == what->root)
    memcpy(own, from + offset, bytes);
  int32_t status = meet(c, what, set, doing);
  if (status != CG_OK)
    return status;
  switch (what->kind) {
  case CG_REDUCE_SCATTER: {
    comm_parts parts = {
        slot(c, set, 0) + (size_t)rank * bytes, c->slotBytes, group, size, rank,
        from + (size_t)rank * whole + offset};
    commCombine(what->dtype, what->op, to + offset, &parts, n);
    break;
  }
  case CG_ALL_GATHER:
    for (int32_t r = 0; r < size; ++r)
      memcpy(to + (size_t)r * whole + offset, SLOT_OF(r), bytes);
    break;
  case CG_ALL_TO_ALL:
    for (int32_t r = 0; r < size; ++r)
      memmove(to + (size_t)r * whole + offset,
              r == rank ? from + (size_t)r * whole + offset
                        : SLOT_OF(r) + (size_t)rank * bytes,
              bytes);
    break;
  case CG_BROADCAST:
    memcpy(to + offset, slot(c, set, what->root), bytes);
    break;
  }
#undef SLOT_OF
  /* Its slots are for any group from here on. */
  return group && status == CG_OK ? sharedMeet(c, what, doing) : status;
}

static int32_t movePieces(shared *c, const cg_collective *what,
                          const char *from, uint64_t doing) {
  int64_t blocks =
      what->kind == CG_REDUCE_SCATTER || what->kind == CG_ALL_TO_ALL
          ? commCount(&c->base, what)
          : 1;
  int64_t most =
      (int64_t)(c->slotBytes / commElementBytes(what->dtype)) / blocks;
  int64_t at = 0;
  int32_t status;
  do { /* at least one, so that ranks notice where one has none */
    int64_t n = what->count - at < most ? what->count - at : most;
    status = movePiece(c, what, from, at, n, doing);
    at += n;
  } while (status == CG_OK && at < what->count);
  return status;
}

/* Element `at` begins a piece of `n`. What other ranks combine goes to the
   slot; each combines its own part, for all, from where the elements are. */
typedef struct piece {
  int64_t at, n, begin, end; /* of the own part */
  char *slots, *own, *result;
} piece;

static piece pieceOf(shared *c, const cg_collective *what, int64_t index,
                     int64_t most, uint32_t set) {
  int32_t rank = commPlace(what, c->base.face.rank);
  int32_t size = commCount(&c->base, what);
  int64_t at = index * most, left = what->count - at;
  int64_t n = left < most ? left : most;
  int64_t part = ((n + size - 1) / size + 15) / 16 * 16;
  int64_t begin = rank * part < n ? rank * part : n;
  int64_t end = begin + part < n ? begin + part : n;
  /* Of a group, the results are where its first rank has a place for them. */
  set = ((set + (uint32_t)index) & 1) + (what->group ? kGroupSets : 0);
  return (piece){at,
                 n,
                 begin,
                 end,
                 slot(c, set, 0),
                 slot(c, set, c->base.face.rank),
                 what->group ? slot(c, set + 2, what->group[0])
                             : slot(c, set, size)};
}

/* Where the result goes, for the other ranks, while it is in the cache. */
static void combineOwn(shared *c, const cg_collective *what, const char *from,
                       const piece *p) {
  size_t element = commElementBytes(what->dtype);
  char *to = (char *)what->recv + (size_t)p->at * element;
  for (int64_t i = p->begin; i < p->end; i += kChunk) {
    int64_t n = p->end - i < kChunk ? p->end - i : kChunk;
    size_t skip = (size_t)i * element;
    comm_parts parts = {p->slots + skip,
                        c->slotBytes,
                        what->group,
                        commCount(&c->base, what),
                        commPlace(what, c->base.face.rank),
                        from + (size_t)p->at * element + skip};
    commCombine(what->dtype, what->op, to + skip, &parts, n);
    memcpy(p->result + skip, to + skip, (size_t)n * element);
  }
}

/* All but the own part. */
static void copyOthers(char *to, const char *from, const piece *p,
                       size_t element) {
  memcpy(to, from, (size_t)p->begin * element);
  memcpy(to + (size_t)p->end * element, from + (size_t)p->end * element,
         (size_t)(p->n - p->end) * element);
}

/* While a piece is combined, the next one is put in: one meeting for each. The
   first compares what ranks do for all. */
static int32_t allReduce(shared *c, const cg_collective *what, const char *from,
                         uint64_t doing) {
  size_t element = commElementBytes(what->dtype);
  int64_t most = (int64_t)(c->slotBytes / element);
  int64_t pieces = what->count > 0 ? (what->count + most - 1) / most : 1;
  uint32_t set = what->group ? 0 : c->piece++ & 1;
  piece next = pieceOf(c, what, 0, most, set);
  copyOthers(next.own, from, &next, element);
  int32_t status = meet(c, what, set, doing);
  for (int64_t i = 0; status == CG_OK && i < pieces; ++i) {
    piece now = next;
    combineOwn(c, what, from, &now);
    if (i + 1 < pieces) {
      next = pieceOf(c, what, i + 1, most, set);
      copyOthers(next.own, from + (size_t)next.at * element, &next, element);
    }
    status = what->group ? sharedMeet(c, what, doing) : barrier(c);
    if (status == CG_OK)
      copyOthers((char *)what->recv + (size_t)now.at * element, now.result,
                 &now, element);
  }
  return what->group && status == CG_OK ? sharedMeet(c, what, doing) : status;
}

static void playNetwork(const cg_network *network, double bytes) {
  double us = network->delay_us;
  if (network->bytes_per_us > 0)
    us += bytes / network->bytes_per_us;
  if (us > 0) {
    struct timespec t = {(time_t)(us / 1e6),
                         (long)((us - (double)(time_t)(us / 1e6) * 1e6) * 1e3)};
    nanosleep(&t, NULL);
  }
}

static int32_t perform(comm_base *self, const cg_collective *what) {
  shared *c = (shared *)self;
  int32_t status = commCheck(&c->base, what);
  if (status != CG_OK)
    return status;
  if (what->kind == CG_SEND || what->kind == CG_RECEIVE) {
    status = sharedMessage(c, what);
    if (status == CG_OK && what->kind == CG_SEND) {
      comm_header header = commHeader(what);
      playNetwork(&c->network, (double)commBytes(&header));
    }
    return status;
  }
  /* In the first meeting, what ranks have to agree on before. */
  uint64_t doing = signatureOf(what);
  if (what->schedule)
    doing = mix(doing, what->schedule);
  const char *from = what->send ? what->send : what->recv;
  if (what->kind == CG_BARRIER)
    return movePiece(c, what, from, 0, 0, doing);
  size_t element = commElementBytes(what->dtype);
  if (what->kind == CG_ALL_REDUCE)
    status = allReduce(c, what, from, doing);
  else
    status = movePieces(c, what, from, doing);
  if (status == CG_OK)
    playNetwork(&c->network, (double)what->count * (double)element);
  return status;
}

static int32_t compare(comm_base *self, uint64_t hash) {
  shared *c = (shared *)self;
  if (c->base.failed)
    return c->base.failed;
  if (commHasAgreed(&c->base, hash))
    return CG_OK;
  int32_t status = meetAll(c, c->piece++ & 1, mix(2, hash));
  if (status == CG_OK)
    commNoteAgreed(&c->base, hash);
  return status;
}

static const char *message(cg_comm *self) {
  return ((shared *)self)->base.text;
}

static void release(comm_base *base) {
  shared *c = (shared *)base;
  for (int32_t r = 0; r < CG_MOST_SHARED_RANKS; ++r)
    free(c->in[r].message);
  munmap(c->s, c->bytes);
  close(c->fd); /* gives the lock back */
}

static void *refuseShared(shared *c, const char *path) {
  if (c->s)
    munmap(c->s, c->bytes);
  if (c->fd >= 0)
    close(c->fd);
  if (path)
    shm_unlink(path);
  free(c);
  return NULL;
}

cg_comm *cg_comm_shared(const char *name, int32_t rank, int32_t size,
                        int64_t timeout, const cg_network *network) {
  char path[128];
  if (size < 1 || size > CG_MOST_SHARED_RANKS || rank < 0 || rank >= size)
    return commRefuse("rank %d of %d is not possible: a machine has 1 to %d "
                      "ranks, with numbers from 0",
                      rank, size, CG_MOST_SHARED_RANKS);
  if (strchr(name, '/') ||
      snprintf(path, sizeof path, "/cellgrad-%s", name) >= (int)sizeof path)
    return commRefuse("'%s' is no name of a group: it has a slash, or more "
                      "than 100 letters",
                      name);
  shared *c = calloc(1, sizeof *c);
  if (!c)
    return commRefuse("out of memory");
  c->base.face = (cg_comm){sizeof(cg_comm), rank,      size,
                           CG_COMM_GROUPS,  commBegin, commEnd,
                           commAgree,       message,   NULL};
  c->base.perform = perform;
  c->base.compare = compare;
  c->base.kind = "shared memory";
  c->base.release = release;
  c->base.abort = release;
  c->timeout = timeout;
  if (network)
    c->network = *network;
  c->base.copies = c->network.delay_us <= 0 && c->network.bytes_per_us <= 0;
  size_t count = (size_t)kSets * (size_t)(size + 1);
  c->slotBytes = kMostSlot;
  while (c->slotBytes * count > kMostSlots)
    c->slotBytes /= 2;
  size_t slots = count * c->slotBytes;
  size_t channels = (size_t)size * (size_t)size * sizeof(channel);
  c->bytes = sizeof(segment) + slots + channels; /* taken when written to */
  c->fd = shm_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (c->fd < 0 || ftruncate(c->fd, (off_t)c->bytes)) {
    commRefuse("cannot open /dev/shm%s: %s", path, strerror(errno));
    return refuseShared(c, NULL);
  }
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};
  if (fcntl(c->fd, F_SETLK, &lock)) {
    commRefuse("there is a rank %d in the group '%s' already", rank, name);
    return refuseShared(c, NULL);
  }
  void *memory =
      mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
  if (memory == MAP_FAILED) {
    commRefuse("cannot map %zu bytes of /dev/shm: %s", c->bytes,
               strerror(errno));
    return refuseShared(c, NULL);
  }
  c->s = memory;
  c->channels = (channel *)(void *)(c->s->data + slots);
  uint32_t noVersion = 0, noSize = 0;
  atomic_compare_exchange_strong(&c->s->version, &noVersion, kVersion);
  atomic_compare_exchange_strong(&c->s->size, &noSize, (uint32_t)size);
  if (atomic_load(&c->s->version) != kVersion ||
      atomic_load(&c->s->size) != (uint32_t)size) {
    commRefuse("the group '%s' has %u ranks and version %u; this rank has %d "
               "and %d",
               name, atomic_load(&c->s->size), atomic_load(&c->s->version),
               size, kVersion);
    return refuseShared(c, NULL);
  }
  atomic_fetch_add(&c->s->joined, 1);
  int64_t until = sharedNow() + timeout;
  while (atomic_load(&c->s->joined) < (uint32_t)size) {
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
    if (sharedNow() > until) {
      commRefuse("%u of %d ranks have come within %lld ms",
                 atomic_load(&c->s->joined), size, (long long)timeout);
      return refuseShared(c, path);
    }
  }
  if (rank == 0)
    shm_unlink(path); /* nothing is left, however the processes end */
  commOpen(&c->base);
  return &c->base.face;
}
