/*===- segment.h - the memory that ranks of a machine share
 * ------------------===*/

#ifndef CELLGRAD_RUNTIME_COMM_SEGMENT_H
#define CELLGRAD_RUNTIME_COMM_SEGMENT_H

#include "runtime/comm/progress.h"
#include "runtime/rest.h"

#include <stdatomic.h>

enum { kVersion = 3, kRing = 1 << 18, kPollMs = 50 };
/* Of a slot: as much as the processors' caches hold, less where many ranks
   would fill /dev/shm, of which containers have 64 MiB. */
enum { kMostSlot = 1 << 20, kMostSlots = 1 << 25 };
enum { kSpins = 2000, kChunk = 4096 };
/* Sets of slots: two of all ranks, two of groups, two of groups' results. */
enum { kGroupSets = 2, kSets = 6 };

/* In segment.failed: the first rank that has ended + 1, or one of these. */
enum { kLate = 1 << 20, kDifferent = 1 << 21, kWords = 1 << 22 };

typedef struct segment {
  _Atomic uint32_t version, size, joined, failed;
  _Atomic uint32_t culprit; /* of kDifferent: a rank */
  _Atomic uint32_t worded;  /* of kWords: somebody writes the text */
  char words[kText];
  _Alignas(64) _Atomic uint32_t arrived;
  _Alignas(64) _Atomic uint32_t phase;
  /* What each rank is about to do, for either set. */
  _Alignas(64) _Atomic uint64_t doing[2][CG_MOST_SHARED_RANKS];
  /* The same in a group, and how often a rank has told another that it is
     there. */
  _Atomic uint64_t inGroup[CG_MOST_SHARED_RANKS];
  _Atomic uint32_t signals[CG_MOST_SHARED_RANKS][CG_MOST_SHARED_RANKS];
  /* Changes when there is something new for a rank. */
  _Alignas(64) _Atomic uint32_t bell[CG_MOST_SHARED_RANKS];
  _Alignas(4096) char data[];
} segment;

/* Bytes on their way from one rank to another: how many so far. */
typedef struct channel {
  _Alignas(64) _Atomic uint64_t written;
  _Alignas(64) _Atomic uint64_t read;
  _Alignas(4096) char ring[kRing];
} channel;

/* The message that comes from a rank. */
typedef struct incoming {
  comm_header header;
  size_t got; /* bytes, with those of the header */
  char *to;
  comm_message *message; /* where it is kept; NULL: it goes to the receiver */
} incoming;

typedef struct shared {
  comm_base base;
  segment *s;
  int fd;
  size_t bytes, slotBytes;
  int64_t timeout;
  uint64_t piece; /* so far */
  cg_network network;
  channel *channels;                   /* by sender and receiver */
  uint32_t seen[CG_MOST_SHARED_RANKS]; /* signals of other ranks */
  incoming in[CG_MOST_SHARED_RANKS];
  const cg_collective *awaited; /* what is received now; NULL: nothing, or it
                                   has come */
} shared;

/* In shared.c. */
int64_t sharedNow(void);
/* The error that some rank has found. */
int32_t sharedFail(shared *c);
void sharedDeclare(shared *c, uint32_t what);
/* An error in words, on all ranks; returns it. */
int32_t sharedSay(shared *c, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether that rank has ended. */
int32_t sharedIsGone(shared *c, int32_t rank);

/* In messages.c. */
/* Returns when the ranks of the group are here, all about to do the same. */
int32_t sharedMeet(shared *c, const cg_collective *what, uint64_t doing);
int32_t sharedMessage(shared *c, const cg_collective *what);
/* Takes what other ranks have sent out of their way. */
void sharedDrain(shared *c);

#endif
