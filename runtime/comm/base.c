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

static const char *dtypeName(int32_t dtype) {
  static const char *const names[] = {
      "bool",  "int8",    "int16",    "int32",   "int64",
      "uint8", "float16", "bfloat16", "float32", "float64"};
  return dtype >= 0 && dtype <= CG_FLOAT64 ? names[dtype] : "another type";
}

int32_t commPlace(const cg_collective *what, int32_t rank) {
  if (!what->group)
    return rank;
  for (int32_t i = 0; i < what->group_size; ++i)
    if (what->group[i] == rank)
      return i;
  return -1;
}

int32_t commCount(const comm_base *comm, const cg_collective *what) {
  return what->group ? what->group_size : comm->face.size;
}

/* That there are the ranks of the group, and this one and the root are in it.
 */
static int32_t checkGroup(comm_base *comm, const cg_collective *what) {
  const char *name = commName(what->kind);
  int32_t size = comm->face.size, rank = comm->face.rank;
  for (int32_t i = 0; i < what->group_size; ++i)
    if (what->group[i] < 0 || what->group[i] >= size)
      return commFail(comm, CG_ERROR_COMM_MISMATCH,
                      "%s is of a group with rank %d, and there are %d ranks",
                      name, what->group[i], size);
  if (commPlace(what, rank) < 0)
    return commFail(comm, CG_ERROR_COMM_MISMATCH,
                    "%s is of a group that rank %d is not in", name, rank);
  if (what->kind == CG_BROADCAST && commPlace(what, what->root) < 0)
    return commFail(comm, CG_ERROR_COMM_MISMATCH,
                    "%s has rank %d as root, which is not in its group", name,
                    what->root);
  return CG_OK;
}

static int32_t checkMessage(comm_base *comm, const cg_collective *what) {
  const char *verb = what->kind == CG_SEND ? "send to" : "receive from";
  if (what->root < 0 || what->root >= comm->face.size)
    return commFail(comm, CG_ERROR_COMM_MISMATCH,
                    "rank %d is to %s rank %d, and there are %d ranks",
                    comm->face.rank, verb, what->root, comm->face.size);
  if (what->root == comm->face.rank)
    return commFail(comm, CG_ERROR_COMM_MISMATCH,
                    "rank %d is to %s itself: a message is between two ranks",
                    comm->face.rank, verb);
  return CG_OK;
}

comm_message *commTake(comm_base *comm, int32_t from, int64_t tag) {
  for (comm_message **at = &comm->kept; *at; at = &(*at)->next) {
    comm_message *message = *at;
    if (message->from == from && message->header.tag == tag) {
      *at = message->next;
      return message;
    }
  }
  return NULL;
}

void commKeep(comm_base *comm, comm_message *message) {
  comm_message **end = &comm->kept;
  while (*end)
    end = &(*end)->next;
  *end = message;
}

comm_header commHeader(const cg_collective *what) {
  return (comm_header){what->tag, what->count, what->dtype, 0};
}

size_t commBytes(const comm_header *header) {
  return (size_t)header->count * commElementBytes(header->dtype);
}

comm_message *commMessage(comm_base *comm, int32_t from,
                          const comm_header *header) {
  comm_message *message = malloc(sizeof *message + commBytes(header));
  if (!message) {
    commFail(comm, CG_ERROR_COMM, "out of memory: %zu bytes for a message",
             commBytes(header));
    return NULL;
  }
  message->next = NULL;
  message->header = *header;
  message->from = from;
  return message;
}

int32_t commFits(const comm_base *comm, const comm_header *header,
                 const cg_collective *what, char *text) {
  if (header->count == what->count && header->dtype == what->dtype)
    return 1;
  snprintf(text, kText,
           "rank %d sends %lld elements of %s to rank %d, which expects %lld "
           "of %s: give Receive the shape and dtype of what is sent",
           what->root, (long long)header->count, dtypeName(header->dtype),
           comm->face.rank, (long long)what->count, dtypeName(what->dtype));
  return 0;
}

int32_t commCheck(comm_base *comm, const cg_collective *what) {
  if (comm->failed)
    return comm->failed;
  if (what->struct_size < offsetof(cg_collective, group))
    return commFail(comm, CG_ERROR_COMM,
                    "the model has a cg_collective of %u bytes: compile it "
                    "again with this version",
                    what->struct_size);
  if (what->group && checkGroup(comm, what) != CG_OK)
    return comm->failed;
  switch (what->kind) {
  case CG_BARRIER:
    return CG_OK;
  case CG_SEND:
  case CG_RECEIVE:
    if (checkMessage(comm, what) != CG_OK)
      return comm->failed;
    break;
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
  while (base->kept) {
    comm_message *message = base->kept;
    base->kept = message->next;
    free(message);
  }
  free(base);
}

void cg_comm_abort(cg_comm *comm) {
  comm_base *base = (comm_base *)comm;
  if (base->leaveDevice)
    base->leaveDevice(base, 1);
  base->abort(base);
}
