/*===- comm.c - collectives of memory of the device -----------------------===
 *
 * Compiled code calls a communicator with addresses of the device. This one
 * stands before that of the caller:
 *
 *  - where that takes memory of a device (cg_comm.enqueue), a collective is
 *    enqueued on a stream of its own, behind the work so far of the call's; its
 *    wait lets the call's stream wait. The host waits for nothing. One that is
 *    waited for at once is enqueued on the call's stream.
 *  - else, and of a group or a message, it goes through page-locked memory: its
 * start waits for what is sent, and its wait enqueues the copy of what was
 * received.
 *===----------------------------------------------------------------------===*/

#include "runtime/cuda/handle.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A collective that was begun, and what the next one can use of it. */
struct cell_rt_cuda_transfer {
  struct cell_rt_cuda_transfer *next;
  char *memory; /* page-locked: what is sent, then what is received */
  uint64_t bytes;
  CUevent done;     /* behind the last that was enqueued for it */
  int32_t enqueued; /* that was, and the host has not waited for it */
  int32_t beside;   /* it is a collective, and not a copy */
  void *request;    /* of the caller's communicator */
  uint64_t receive, received, offset; /* address, bytes, place in `memory` */
};

static int32_t failed(struct cell_rt_cuda_call *call, CUresult result) {
  return cell_rt_cuda_failed(call->cuda, result, "a collective", kNoKernel);
}

/* One with so many bytes of page-locked memory, and nothing under way; NULL:
 *status says why. */
static struct cell_rt_cuda_transfer *take(struct cell_rt_cuda_call *call,
                                          uint64_t bytes, int32_t *status) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  struct cell_rt_cuda_transfer **link = &cuda->transfers, *found;
  CUresult result = CUDA_SUCCESS;
  while (*link && (*link)->bytes < bytes)
    link = &(*link)->next;
  found = *link;
  if (found) {
    *link = found->next;
    if (found->enqueued)
      result = d->cuEventSynchronize(found->done);
  } else {
    found = (struct cell_rt_cuda_transfer *)cell_rt_cuda_zeros(sizeof *found);
    if (!found) {
      snprintf(cuda->message, sizeof cuda->message, "out of memory");
      *status = CG_ERROR_ALLOCATION;
      return 0;
    }
    result = d->cuEventCreate(&found->done, CU_EVENT_DISABLE_TIMING);
    if (result == CUDA_SUCCESS && bytes)
      result = d->cuMemAllocHost_v2((void **)&found->memory, bytes);
    if (result == CUDA_SUCCESS)
      found->bytes = bytes;
  }
  found->next = call->transfers;
  call->transfers = found;
  found->enqueued = 0;
  found->beside = 0;
  found->request = 0;
  found->received = 0;
  if (result == CUDA_SUCCESS)
    return found;
  char what[80];
  snprintf(what, sizeof what, "%llu bytes of page-locked memory",
           (unsigned long long)bytes);
  *status = cell_rt_cuda_failed(cuda, result, what, kNoKernel);
  return 0;
}

/* The handle has it again. */
static void giveBack(struct cell_rt_cuda_call *call,
                     struct cell_rt_cuda_transfer *transfer) {
  struct cell_rt_cuda_transfer **link = &call->transfers;
  while (*link != transfer)
    link = &(*link)->next;
  *link = transfer->next;
  /* Behind the others: its copy may still be under way. */
  link = &call->cuda->transfers;
  while (*link)
    link = &(*link)->next;
  transfer->next = 0;
  *link = transfer;
}

static uint64_t sentBy(const cg_collective *what, int32_t size) {
  uint64_t bytes =
      (uint64_t)what->count * (uint64_t)cell_rt_comm_bytes(what->dtype);
  switch (what->kind) {
  case CG_BARRIER:
  case CG_RECEIVE:
    return 0;
  case CG_REDUCE_SCATTER:
  case CG_ALL_TO_ALL:
    return bytes * (uint64_t)size;
  default:
    return bytes;
  }
}

static uint64_t receivedBy(const cg_collective *what, int32_t size) {
  uint64_t bytes =
      (uint64_t)what->count * (uint64_t)cell_rt_comm_bytes(what->dtype);
  switch (what->kind) {
  case CG_BARRIER:
  case CG_SEND:
    return 0;
  case CG_ALL_GATHER:
  case CG_ALL_TO_ALL:
    return bytes * (uint64_t)size;
  default:
    return bytes;
  }
}

/* Through memory of the host. */
static int32_t startByHost(struct cell_rt_cuda_comm *self,
                           const cg_collective *what, void **request) {
  struct cell_rt_cuda_call *call = self->call;
  int32_t size = what->group ? what->group_size : self->face.size;
  uint64_t sent = sentBy(what, size), received = receivedBy(what, size);
  uint64_t offset = (sent + 63) / 64 * 64;
  int32_t status =
      cell_rt_cuda_uncaptured(call, "a collective through memory of the host");
  if (status != CG_OK)
    return status;
  struct cell_rt_cuda_transfer *transfer =
      take(call, offset + received, &status);
  if (!transfer)
    return status;
  /* A barrier has none; ranks meet when their devices have come so far. */
  const void *from = what->send ? what->send : what->recv;
  if (sent)
    status =
        cell_rt_cuda_download(call, transfer->memory, (uintptr_t)from, sent);
  if (status == CG_OK)
    status = cell_rt_cuda_synchronize(call);
  if (status != CG_OK)
    return status;
  transfer->receive = (uintptr_t)what->recv;
  transfer->received = received;
  transfer->offset = offset;
  cg_collective there = *what;
  there.send = transfer->memory;
  there.recv = transfer->memory + offset;
  *request = transfer;
  return self->ranks->start(self->ranks, &there, &transfer->request);
}

/* The end of a collective that went through memory of the host. */
static int32_t waitByHost(struct cell_rt_cuda_comm *self,
                          struct cell_rt_cuda_transfer *transfer) {
  struct cell_rt_cuda_call *call = self->call;
  const struct cell_rt_cuda_driver *d = &call->cuda->driver;
  int32_t status = self->ranks->wait(self->ranks, &transfer->request);
  if (status != CG_OK)
    return status;
  if (transfer->received) {
    CUresult result = d->cuMemcpyHtoDAsync_v2(
        transfer->receive, transfer->memory + transfer->offset,
        transfer->received, streamOf(call));
    call->pending = 1;
    if (result == CUDA_SUCCESS)
      result = d->cuEventRecord(transfer->done, streamOf(call));
    if (result != CUDA_SUCCESS)
      return failed(call, result);
    transfer->enqueued = 1;
  }
  giveBack(call, transfer);
  return CG_OK;
}

/* On a stream beside that of the call, which waits for it in `wait`. */
static int32_t startBeside(struct cell_rt_cuda_comm *self,
                           const cg_collective *what, void **request) {
  struct cell_rt_cuda_call *call = self->call;
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  int32_t status = CG_OK;
  struct cell_rt_cuda_transfer *transfer = take(call, 0, &status);
  if (!transfer)
    return status;
  CUresult result = CUDA_SUCCESS;
  if (!cuda->beside)
    result = d->cuStreamCreate(&cuda->beside, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS)
    result = d->cuEventRecord(transfer->done, streamOf(call));
  if (result == CUDA_SUCCESS)
    result = d->cuStreamWaitEvent(cuda->beside, transfer->done, 0);
  if (result != CUDA_SUCCESS)
    return failed(call, result);
  call->pending = 1;
  status = self->ranks->enqueue(self->ranks, what, cuda->beside);
  if (status == CG_COMM_BY_HOST)
    giveBack(call, transfer);
  if (status != CG_OK)
    return status;
  result = d->cuEventRecord(transfer->done, cuda->beside);
  if (result != CUDA_SUCCESS)
    return failed(call, result);
  transfer->enqueued = 1;
  transfer->beside = 1;
  *request = transfer;
  return CG_OK;
}

static int32_t start(cg_comm *face, const cg_collective *what, void **request) {
  struct cell_rt_cuda_comm *self = (struct cell_rt_cuda_comm *)face;
  struct cell_rt_cuda_call *call = self->call;
  *request = 0;
  if (self->face.size == 1)
    return what->recv && what->send && what->recv != what->send
               ? cell_rt_cuda_copy(call, (uintptr_t)what->recv,
                                   (uintptr_t)what->send, sentBy(what, 1))
               : CG_OK;
  cg_comm *ranks = self->ranks;
  if (ranks->struct_size < offsetof(cg_comm, enqueue) + sizeof ranks->enqueue ||
      !ranks->enqueue || what->group || what->kind == CG_SEND ||
      what->kind == CG_RECEIVE)
    return startByHost(self, what, request);
  /* What is enqueued does not compare it. */
  int32_t status = what->schedule ? ranks->agree(ranks, what->schedule) : CG_OK;
  if (status != CG_OK)
    return status;
  if (what->flags & CG_AT_ONCE) {
    call->pending = 1;
    status = ranks->enqueue(ranks, what, streamOf(call));
  } else {
    status = startBeside(self, what, request);
  }
  return status == CG_COMM_BY_HOST ? startByHost(self, what, request) : status;
}

static int32_t wait(cg_comm *face, void **request) {
  struct cell_rt_cuda_comm *self = (struct cell_rt_cuda_comm *)face;
  struct cell_rt_cuda_call *call = self->call;
  struct cell_rt_cuda_transfer *transfer = *request;
  if (!transfer) /* on the stream of the call */
    return CG_OK;
  if (!transfer->beside)
    return waitByHost(self, transfer);
  CUresult result =
      call->cuda->driver.cuStreamWaitEvent(streamOf(call), transfer->done, 0);
  call->pending = 1;
  if (result != CUDA_SUCCESS)
    return failed(call, result);
  giveBack(call, transfer);
  return CG_OK;
}

static int32_t agree(cg_comm *face, uint64_t value) {
  cg_comm *ranks = ((struct cell_rt_cuda_comm *)face)->ranks;
  return ranks && ranks->size > 1 ? ranks->agree(ranks, value) : CG_OK;
}

static const char *message(cg_comm *face) {
  cg_comm *ranks = ((struct cell_rt_cuda_comm *)face)->ranks;
  return ranks ? ranks->message(ranks) : "";
}

void cell_rt_cuda_lend(struct cell_rt_cuda_call *call,
                       const cg_context *context) {
  struct cell_rt_cuda_comm *comm = &call->comm;
  size_t known = context->struct_size < sizeof call->context
                     ? context->struct_size
                     : sizeof call->context;
  memcpy(&call->context, context, known);
  call->context.struct_size = sizeof call->context;
  cg_comm *ranks = call->context.comm;
  /* One that is not filled in is refused as it is on the CPU. */
  if (ranks && (ranks->size < 1 || !ranks->start || !ranks->wait ||
                !ranks->agree || !ranks->message))
    return;
  comm->face =
      (cg_comm){.struct_size = sizeof comm->face,
                .rank = ranks ? ranks->rank : 0,
                .size = ranks ? ranks->size : 1,
                .flags = CG_COMM_ALONE | (ranks ? ranks->flags & CG_COMM_GROUPS
                                                : CG_COMM_GROUPS),
                .start = start,
                .wait = wait,
                .agree = agree,
                .message = message};
  comm->ranks = ranks;
  comm->call = call;
  call->context.comm = &comm->face;
}

void cell_rt_cuda_drop_transfers(struct cell_rt_cuda_call *call) {
  while (call->transfers) {
    struct cell_rt_cuda_transfer *transfer = call->transfers;
    /* What comes behind the call is behind it, too. */
    if (transfer->beside)
      call->cuda->driver.cuStreamWaitEvent(streamOf(call), transfer->done, 0);
    giveBack(call, transfer);
  }
}

void cell_rt_cuda_close_transfers(cg_cuda *cuda) {
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  while (cuda->transfers) {
    struct cell_rt_cuda_transfer *transfer = cuda->transfers;
    cuda->transfers = transfer->next;
    if (transfer->enqueued)
      d->cuEventSynchronize(transfer->done);
    if (transfer->memory)
      d->cuMemFreeHost(transfer->memory);
    if (transfer->done)
      d->cuEventDestroy_v2(transfer->done);
    free(transfer);
  }
  if (cuda->beside) {
    d->cuStreamSynchronize(cuda->beside);
    d->cuStreamDestroy_v2(cuda->beside);
  }
}
