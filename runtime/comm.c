/*===- comm.c - the collectives of a call -----------------------------------===
 *
 * Without a communicator, and with one of a single rank, a collective is a
 * copy.
 *===----------------------------------------------------------------------===*/

#include "runtime/libc.h"
#include "runtime/runtime.h"

static cg_comm *given(const cg_context *context) {
  return context && context->struct_size >=
                        offsetof(cg_context, comm) + sizeof context->comm
             ? context->comm
             : 0;
}

/* What a communicator returned, which may be one of a program's own. */
static int32_t outcome(int32_t status) {
  switch (status) {
  case CG_OK:
  case CG_ERROR_COMM_MISMATCH:
  case CG_ERROR_COMM_TIMEOUT:
  case CG_ERROR_DEVICE: /* of what stands in for it where there is a device */
  case CG_ERROR_ALLOCATION:
    return status;
  default:
    return CG_ERROR_COMM;
  }
}

/* That all members of `comm` are there. */
static int32_t complete(const cg_comm *comm) {
  return comm->struct_size >=
             offsetof(cg_comm, message) + sizeof comm->message &&
         comm->size >= 1 && comm->rank >= 0 && comm->rank < comm->size &&
         comm->start && comm->wait && comm->agree && comm->message;
}

int32_t cell_rt_comm_rank(const cg_context *context, int32_t size) {
  cg_comm *comm = given(context);
  if (!comm)
    return size ? 1 : 0;
  return size ? comm->size : comm->rank;
}

int64_t cell_rt_comm_bytes(int32_t dtype) {
  switch (dtype) {
  case CG_FLOAT64:
  case CG_INT64:
    return 8;
  case CG_FLOAT32:
  case CG_INT32:
    return 4;
  case CG_FLOAT16:
  case CG_BFLOAT16:
  case CG_INT16:
    return 2;
  default:
    return 1;
  }
}

/* What *request is of a message to the caller, which has ended when it began.
 */
static char done;

/* Hands a message to the caller's functions. */
static int32_t toHost(const cg_context *context, const cg_collective *what) {
  int32_t covered =
      context && context->struct_size >= offsetof(cg_context, host_user) +
                                             sizeof context->host_user;
  if (!covered || !context->host)
    return CG_ERROR_CONTEXT;
  return context->host(what, context->host_user) == 0 ? CG_OK
                                                      : CG_ERROR_CANCELLED;
}

int32_t cell_rt_comm_start(const cg_context *context, int32_t kind,
                           int32_t combine, int32_t dtype, int32_t root,
                           int32_t flags, int64_t ranks, int64_t count,
                           const void *send, void *receive,
                           const int32_t *group, int32_t group_size,
                           int64_t tag, uint64_t schedule, void **request) {
  cg_comm *comm = given(context);
  int32_t copies = !comm || (comm->size == 1 && !(comm->flags & CG_COMM_ALONE));
  int32_t size = comm ? comm->size : 1;
  int32_t isMessage = kind == CG_SEND || kind == CG_RECEIVE;
  cg_collective what = {sizeof what, kind,  combine, dtype,   root,
                        flags,       count, send,    receive, group,
                        group_size,  0,     tag,     schedule};
  *request = 0;
  if (isMessage && root == CG_HOST) {
    *request = &done;
    return toHost(context, &what);
  }
  if ((ranks != 0 && ranks != (group ? group_size : size)) || root >= size)
    return CG_ERROR_COMM_MISMATCH;
  if (size == 1 && (isMessage || (group && (group_size != 1 || group[0] != 0))))
    return CG_ERROR_COMM_MISMATCH;
  if (copies) {
    if (receive && receive != send)
      memcpy(receive, send, (size_t)(count * cell_rt_comm_bytes(dtype)));
    return CG_OK;
  }
  if (!complete(comm))
    return CG_ERROR_CONTEXT;
  if (!(comm->flags & CG_COMM_GROUPS)) {
    if (group || isMessage)
      return CG_ERROR_COMM_NO_GROUPS;
    int32_t status = schedule ? outcome(comm->agree(comm, schedule)) : CG_OK;
    if (status != CG_OK)
      return status;
  }
  return outcome(comm->start(comm, &what, request));
}

int32_t cell_rt_comm_wait(const cg_context *context, void **request) {
  cg_comm *comm = given(context);
  if (*request == &done)
    return CG_OK;
  return comm && comm->size > 1 ? outcome(comm->wait(comm, request)) : CG_OK;
}
