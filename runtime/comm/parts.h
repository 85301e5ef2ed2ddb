/*===- parts.h - what communicators share
 * ------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_COMM_PARTS_H
#define CELLGRAD_RUNTIME_COMM_PARTS_H

#include "runtime/comm/comm.h"

#include <stddef.h>

enum { kText = 512, kAgreed = 256 };

/* What every communicator of this folder begins with. */
typedef struct comm_base {
  cg_comm face;
  const char *kind;
  void (*release)(struct comm_base *self);
  void (*abort)(struct comm_base *self);
  uint64_t agreed[kAgreed]; /* hashes that all ranks are known to have */
  int32_t agreedCount;
  int32_t failed; /* the status of the first error, which stays */
  char text[kText];
} comm_base;

/* Bytes of an element; 0: no such type. */
size_t commElementBytes(int32_t dtype);

/* out[i] = part 0 [i] op part 1 [i] op ..., with `stride` bytes from part to
   part. Parts are combined as a binary counter carries: when part i is in, as
   many pairs of complete subtrees are joined as i + 1 has trailing zeros; at
   the end, what is left is joined from the right. So a power of two of parts
   makes a balanced tree, and the bits depend on nothing but the parts. Elements
   of 16 bits are combined in single precision and rounded each time. */
void commCombine(int32_t dtype, int32_t op, void *out, const void *parts,
                 size_t stride, int32_t count, int64_t n);

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

/* "all_reduce". */
const char *commName(int32_t kind);

#endif
