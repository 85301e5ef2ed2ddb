/*===- nccl.c - collectives of memory of CUDA devices
 * ------------------------===
 *
 * NCCL is opened at run time; no header of it when this is built. It is given
 * to a communicator that there is already, over which the ranks have told each
 * other where to meet, and which does what NCCL does not do alike:
 *
 *  - the largest and smallest of floats, of which NCCL drops NaNs;
 *  - sums in one fixed order, barriers, and sums of elements that it lacks.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/progress.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As NCCL 2 has them. */
typedef struct ncclComm *ncclComm_t;
typedef struct {
  char internal[128];
} ncclUniqueId;
enum { kSuccess = 0, kInProgress = 7 };
enum { kSum = 0, kProd = 1, kMax = 2, kMin = 3 };
enum {
  kNone = -1,
  kInt8 = 0,
  kInt32 = 2,
  kInt64 = 4,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9
};

#define FUNCTIONS(X)                                                           \
  X(ncclGetErrorString, const char *, (int))                                   \
  X(ncclGetUniqueId, int, (ncclUniqueId *))                                    \
  X(ncclCommInitRank, int, (ncclComm_t *, int, ncclUniqueId, int))             \
  X(ncclCommDestroy, int, (ncclComm_t))                                        \
  X(ncclCommAbort, int, (ncclComm_t))                                          \
  X(ncclCommGetAsyncError, int, (ncclComm_t, int *))                           \
  X(ncclAllReduce, int,                                                        \
    (const void *, void *, size_t, int, int, ncclComm_t, void *))              \
  X(ncclReduceScatter, int,                                                    \
    (const void *, void *, size_t, int, int, ncclComm_t, void *))              \
  X(ncclAllGather, int,                                                        \
    (const void *, void *, size_t, int, ncclComm_t, void *))                   \
  X(ncclBroadcast, int,                                                        \
    (const void *, void *, size_t, int, int, ncclComm_t, void *))              \
  X(ncclSend, int, (const void *, size_t, int, int, ncclComm_t, void *))       \
  X(ncclRecv, int, (void *, size_t, int, int, ncclComm_t, void *))             \
  X(ncclGroupStart, int, (void))                                               \
  X(ncclGroupEnd, int, (void))

struct comm_nccl {
#define MEMBER(name, result, types) result(*name) types;
  FUNCTIONS(MEMBER)
#undef MEMBER
  const char *(*lastError)(ncclComm_t); /* NULL before NCCL 2.13 */
  ncclComm_t comm;
  char kind[64];
};

/* What NCCL says of an error, kept like all; it uses no buffer then. */
static int32_t broken(comm_base *base, const char *what, int result) {
  struct comm_nccl *n = base->nccl;
  char text[kText];
  const char *more = n->lastError ? n->lastError(n->comm) : NULL;
  snprintf(text, sizeof text, "NCCL: %s: %s (%d)%s%.200s", what,
           n->ncclGetErrorString(result), result, more && *more ? ": " : "",
           more ? more : "");
  n->ncclCommAbort(n->comm);
  n->comm = NULL;
  return commBreak(base, text);
}

static int typeOf(int32_t dtype) {
  switch (dtype) {
  case CG_FLOAT64:
    return kFloat64;
  case CG_FLOAT32:
    return kFloat32;
  case CG_FLOAT16:
    return kFloat16;
  case CG_BFLOAT16:
    return kBfloat16;
  case CG_INT64:
    return kInt64;
  case CG_INT32:
    return kInt32;
  case CG_INT8:
    return kInt8;
  default:
    return kNone;
  }
}

/* Whether NCCL combines as combine.c does, but for the order of sums. */
static int combinesAlike(const cg_collective *what) {
  int type = typeOf(what->dtype);
  int extremum = what->op == CG_MAX || what->op == CG_MIN;
  return type != kNone && !(what->flags & CG_ORDERED) &&
         !(extremum && type >= kFloat16);
}

/* Blocks of `bytes` bytes, one for each rank. */
static int toAll(struct comm_nccl *n, const char *from, char *to, size_t bytes,
                 int32_t size, void *stream) {
  int result = n->ncclGroupStart();
  for (int32_t r = 0; result == kSuccess && r < size; ++r) {
    result =
        n->ncclSend(from + (size_t)r * bytes, bytes, kInt8, r, n->comm, stream);
    if (result == kSuccess)
      result =
          n->ncclRecv(to + (size_t)r * bytes, bytes, kInt8, r, n->comm, stream);
  }
  int end = n->ncclGroupEnd();
  return result == kSuccess ? end : result;
}

static int32_t enqueue(cg_comm *self, const cg_collective *what, void *stream) {
  static const int ops[] = {kSum, kProd, kMin, kMax};
  comm_base *base = (comm_base *)self;
  struct comm_nccl *n = base->nccl;
  const void *from = what->send ? what->send : what->recv;
  size_t count = (size_t)what->count;
  size_t bytes = count * commElementBytes(what->dtype);
  if (!n->comm)
    return commBreak(base, "NCCL has ended");
  int ended = kSuccess;
  int result = n->ncclCommGetAsyncError(n->comm, &ended);
  if (result == kSuccess && ended != kInProgress)
    result = ended;
  if (result != kSuccess)
    return broken(base, "a collective before", result);
  if (!bytes && what->kind != CG_BARRIER)
    return commBreak(base, "NCCL: a collective of elements of no known type");
  switch (what->kind) {
  case CG_ALL_REDUCE:
  case CG_REDUCE_SCATTER:
    if (!combinesAlike(what) || what->op < CG_SUM || what->op > CG_MAX)
      return CG_COMM_BY_HOST;
    result =
        (what->kind == CG_ALL_REDUCE ? n->ncclAllReduce : n->ncclReduceScatter)(
            from, what->recv, count, typeOf(what->dtype), ops[what->op],
            n->comm, stream);
    break;
  case CG_ALL_GATHER:
    result = n->ncclAllGather(from, what->recv, bytes, kInt8, n->comm, stream);
    break;
  case CG_BROADCAST:
    result = n->ncclBroadcast(from, what->recv, bytes, kInt8, what->root,
                              n->comm, stream);
    break;
  case CG_ALL_TO_ALL:
    result = toAll(n, from, what->recv, bytes, self->size, stream);
    break;
  default:
    return CG_COMM_BY_HOST;
  }
  return result == kSuccess ? CG_OK
                            : broken(base, commName(what->kind), result);
}

static void leave(comm_base *base, int32_t aborts) {
  struct comm_nccl *n = base->nccl;
  if (n->comm)
    (aborts ? n->ncclCommAbort : n->ncclCommDestroy)(n->comm);
  n->comm = NULL;
}

/* One collective of the host. */
static int32_t doNow(cg_comm *comm, int32_t kind, int32_t op, int32_t dtype,
                     int64_t count, void *buffer) {
  void *request = NULL;
  cg_collective what = {.struct_size = sizeof what,
                        .kind = kind,
                        .op = op,
                        .dtype = dtype,
                        .flags = CG_AT_ONCE,
                        .count = count,
                        .recv = buffer};
  int32_t status = comm->start(comm, &what, &request);
  return status == CG_OK ? comm->wait(comm, &request) : status;
}

/* Whether all ranks are at one; else says what this one, or that another, has
   found. */
static int32_t allFound(cg_comm *comm, int32_t found, const char *what) {
  char own[kText];
  int32_t all = found;
  snprintf(own, sizeof own, "%s", cg_comm_error());
  if (doNow(comm, CG_ALL_REDUCE, CG_MIN, CG_INT32, 1, &all) != CG_OK)
    commRefuse("%s", comm->message(comm));
  else if (!found)
    commRefuse("%s", own);
  else if (!all)
    commRefuse("%s on another rank, which says why", what);
  else
    return 1;
  return 0;
}

/* The library's functions; 0: it is not there. */
static int32_t load(struct comm_nccl *n, const char *library) {
  const char *name = library ? library : "libnccl.so.2";
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    commRefuse("no NCCL library: %s", dlerror());
    return 0;
  }
#define FIND(function, result, types)                                          \
  if (!(*(void **)&n->function = dlsym(handle, #function))) {                  \
    commRefuse("the NCCL library %s has no " #function, name);                 \
    return 0;                                                                  \
  }
  FUNCTIONS(FIND)
#undef FIND
  *(void **)&n->lastError = dlsym(handle, "ncclGetLastError");
  return 1;
}

/* Joins the ranks of `comm`, all of which have the library; 0: it fails. */
static int32_t join(struct comm_nccl *n, cg_comm *comm) {
  ncclUniqueId place;
  int result = kSuccess;
  memset(&place, 0, sizeof place);
  if (comm->rank == 0)
    result = n->ncclGetUniqueId(&place);
  if (result != kSuccess)
    commRefuse("NCCL: %s", n->ncclGetErrorString(result));
  if (!allFound(comm, result == kSuccess, "NCCL does not start"))
    return 0;
  if (doNow(comm, CG_BROADCAST, 0, CG_INT8, sizeof place, &place) != CG_OK) {
    commRefuse("%s", comm->message(comm));
    return 0;
  }
  result = n->ncclCommInitRank(&n->comm, comm->size, place, comm->rank);
  if (result != kSuccess) {
    const char *more = n->lastError ? n->lastError(NULL) : NULL;
    commRefuse("NCCL: %s%s%.300s", n->ncclGetErrorString(result),
               more && *more ? ": " : "", more ? more : "");
    n->comm = NULL;
  }
  return allFound(comm, result == kSuccess, "NCCL does not start");
}

int32_t cg_comm_nccl(cg_comm *comm, const char *library) {
  comm_base *base = (comm_base *)comm;
  struct comm_nccl *n = calloc(1, sizeof *n);
  int32_t found = n && load(n, library);
  if (!n)
    commRefuse("out of memory");
  if (!allFound(comm, found, "there is no NCCL library") || !join(n, comm)) {
    if (n && n->comm)
      n->ncclCommAbort(n->comm);
    free(n);
    return CG_ERROR_COMM;
  }
  snprintf(n->kind, sizeof n->kind, "NCCL and %s", base->kind);
  base->kind = n->kind;
  base->nccl = n;
  base->leaveDevice = leave;
  comm->enqueue = enqueue;
  return CG_OK;
}
