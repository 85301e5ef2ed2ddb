/*===- parts.h - what communicators share
 * ------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_COMM_PARTS_H
#define CELLGRAD_RUNTIME_COMM_PARTS_H

#include "runtime/comm/comm.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

enum { kText = 512, kAgreed = 256, kMostBegun = 64 };

/* Collectives that are begun; see progress.c. */
typedef struct comm_progress {
  pthread_mutex_t mutex; /* of all that follows */
  pthread_cond_t changed;
  cg_collective queue[kMostBegun]; /* those begun and not done, in a ring */
  uint64_t begun, done;            /* of all so far */
  int64_t performed, waited;       /* nanoseconds, see cg_comm_times */
  int32_t status;                  /* of the first that failed */
  int32_t busy;                    /* somebody does one */
  int32_t hasThread, noThread, stops;
  pid_t maker; /* the process of the thread */
  pthread_t thread;
} comm_progress;

/* What goes before the elements of a message. */
typedef struct comm_header {
  int64_t tag, count;
  int32_t dtype, reserved;
} comm_header;

/* A message that has come before it is received. */
typedef struct comm_message {
  struct comm_message *next;
  comm_header header;
  int32_t from;
  char data[];
} comm_message;

/* What every communicator of this folder begins with. Who performs a
   collective, and nobody else, uses the members from `agreed` to `text`. */
typedef struct comm_base {
  cg_comm face;
  const char *kind;
  /* Does a collective that can be done (commCheck), and whether all ranks give
     the same hash. From one thread at a time. */
  int32_t (*perform)(struct comm_base *self, const cg_collective *what);
  int32_t (*compare)(struct comm_base *self, uint64_t hash);
  void (*release)(struct comm_base *self);
  void (*abort)(struct comm_base *self);
  uint64_t agreed[kAgreed]; /* hashes that all ranks are known to have */
  int32_t agreedCount;
  int32_t failed; /* the status of the first error, which stays */
  int32_t copies; /* collectives are copies by processors, and nothing else */
  char text[kText];
  comm_message *kept; /* in the order in which they came */
  comm_progress progress;
  /* Of one that takes memory of devices (nccl.c), else NULL. */
  struct comm_nccl *nccl;
  void (*leaveDevice)(struct comm_base *self, int32_t aborts);
} comm_base;

/* Bytes of an element; 0: no such type. */
size_t commElementBytes(int32_t dtype);

/* Where what is combined lies: part p begins `stride` bytes times order[p]
   behind `first`; without `order`, times p. That of `own`, -1 for none, is
   `mine`. */
typedef struct comm_parts {
  const char *first;
  size_t stride;
  const int32_t *order;
  int32_t count, own;
  const char *mine;
} comm_parts;

/* out[i] = part 0 [i] op part 1 [i] op ...; `out` may be a part. Parts are
   combined as a binary counter carries: when part i is in, as many pairs of
   complete subtrees are joined as i + 1 has trailing zeros; at the end, what is
   left is joined from the right. So a power of two of parts makes a balanced
   tree, and the bits depend on nothing but the parts. Elements of 16 bits are
   combined in single precision and rounded each time. */
void commCombine(int32_t dtype, int32_t op, void *out, const comm_parts *parts,
                 int64_t n);

/* Keeps an error: in words, and for all later calls. Returns `status`. */
int32_t commFail(comm_base *comm, int32_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Why a function of comm.h gives NULL, which it returns. */
void *commRefuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether all ranks are known to have the hash already; `commNoteAgreed` is
   called when they are found to. */
int32_t commHasAgreed(const comm_base *comm, uint64_t hash);
void commNoteAgreed(comm_base *comm, uint64_t hash);

/* That `what` can be done: CG_OK or an error, kept. */
int32_t commCheck(comm_base *comm, const cg_collective *what);

/* Where `rank` stands in the group of `what`, which is all ranks where it names
   none; -1: nowhere. And how many ranks it has. */
int32_t commPlace(const cg_collective *what, int32_t rank);
int32_t commCount(const comm_base *comm, const cg_collective *what);

/* The first message from that rank with that tag that is kept, which the caller
   frees then; NULL: none. A message is kept behind the others. */
comm_message *commTake(comm_base *comm, int32_t from, int64_t tag);
void commKeep(comm_base *comm, comm_message *message);
/* One of so many elements. NULL: out of memory, an error that is kept. */
comm_message *commMessage(comm_base *comm, int32_t from,
                          const comm_header *header);

/* What `what` sends. */
comm_header commHeader(const cg_collective *what);
/* Its bytes. */
size_t commBytes(const comm_header *header);
/* Whether it is what `what` receives; if not, writes to `text`, of kText bytes,
   why. */
int32_t commFits(const comm_base *comm, const comm_header *header,
                 const cg_collective *what, char *text);

/* "all_reduce". */
const char *commName(int32_t kind);

#endif
