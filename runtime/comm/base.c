/*===- base.c - what communicators share
 * -------------------------------------===*/

#include "runtime/comm/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local char why[kText];

const char *cg_comm_error(void) { return why; }

void *commRefuse(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  return NULL;
}

int32_t commFail(comm_base *comm, int32_t status, const char *format, ...) {
  if (comm->failed)
    return comm->failed;
  va_list args;
  va_start(args, format);
  vsnprintf(comm->text, sizeof comm->text, format, args);
  va_end(args);
  return comm->failed = status;
}

int32_t commHasAgreed(const comm_base *comm, uint64_t hash) {
  for (int32_t i = 0; i < comm->agreedCount; ++i)
    if (comm->agreed[i] == hash)
      return 1;
  return 0;
}

/* Ranks run the same programs, so their lists are equal: where one is full, all
   are, and agree each time. */
void commNoteAgreed(comm_base *comm, uint64_t hash) {
  if (comm->agreedCount < kAgreed)
    comm->agreed[comm->agreedCount++] = hash;
}

const char *commName(int32_t kind) {
  static const char *const names[] = {
      "all_reduce", "reduce_scatter", "all_gather", "broadcast",
      "all_to_all", "reduce",         "gather",     "scatter",
      "send",       "receive",        "barrier"};
  return kind >= 0 && kind <= CG_BARRIER ? names[kind] : "collective";
}

int32_t commCheck(comm_base *comm, const cg_collective *what) {
  if (comm->failed)
    return comm->failed;
  if (what->struct_size < sizeof *what)
    return commFail(comm, CG_ERROR_COMM,
                    "the model has a cg_collective of %u bytes: compile it "
                    "again with this version",
                    what->struct_size);
  switch (what->kind) {
  case CG_BARRIER:
    return CG_OK;
  case CG_ALL_REDUCE:
  case CG_REDUCE_SCATTER:
  case CG_ALL_GATHER:
  case CG_BROADCAST:
  case CG_ALL_TO_ALL:
    break;
  default:
    return commFail(comm, CG_ERROR_COMM,
                    "%s (kind %d) is nothing this communicator does",
                    commName(what->kind), what->kind);
  }
  if (commElementBytes(what->dtype) == 0)
    return commFail(comm, CG_ERROR_COMM, "%s of elements of type %d",
                    commName(what->kind), what->dtype);
  if (what->root < 0 || what->root >= comm->face.size)
    return commFail(comm, CG_ERROR_COMM_MISMATCH,
                    "%s has rank %d as root, and there are %d ranks",
                    commName(what->kind), what->root, comm->face.size);
  return CG_OK;
}

const char *cg_comm_kind(const cg_comm *comm) {
  return ((const comm_base *)comm)->kind;
}

void cg_comm_free(cg_comm *comm) {
  if (!comm)
    return;
  comm_base *base = (comm_base *)comm;
  if (base->leaveDevice)
    base->leaveDevice(base, 0);
  commClose(base);
  base->release(base);
  free(base->nccl);
  free(base);
}

void cg_comm_abort(cg_comm *comm) {
  comm_base *base = (comm_base *)comm;
  if (base->leaveDevice)
    base->leaveDevice(base, 1);
  base->abort(base);
}
