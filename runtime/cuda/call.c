/*===- call.c - a call begins, waits and ends -----------------------------===*/

#include "runtime/cuda/handle.h"
#include "runtime/given.h"

#include <stdio.h>
#include <string.h>

enum { kAlignment = CG_CUDA_ARENA_ALIGNMENT };

int32_t cell_rt_cuda_uncaptured(struct cell_rt_cuda_call *call,
                                const char *what) {
  if (!call->capturing)
    return CG_OK;
  snprintf(call->cuda->message, sizeof call->cuda->message,
           "%s cannot be part of a graph, and the stream of the call is being "
           "captured into one",
           what);
  return CG_ERROR_DEVICE;
}

/* An arena of the handle's own with that many bytes. It only grows, so that
   calls find it in one place. */
static int32_t ownArena(struct cell_rt_cuda_call *call, uint64_t bytes) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  /* The graph would keep the address, which changes when the arena grows. */
  int32_t status = cell_rt_cuda_uncaptured(
      call, "a call without an arena of cg_context.arena");
  if (status != CG_OK)
    return status;
  if (cuda->arena_bytes < bytes) {
    CUresult result = CUDA_SUCCESS;
    if (cuda->arena)
      result = d->cuMemFreeAsync(cuda->arena, streamOf(call));
    cuda->arena = 0;
    cuda->arena_bytes = 0;
    if (result == CUDA_SUCCESS)
      result = d->cuMemAllocAsync(&cuda->arena, bytes, streamOf(call));
    call->pending = 1;
    if (result != CUDA_SUCCESS) {
      char what[64];
      cuda->arena = 0;
      snprintf(what, sizeof what, "an arena of %llu bytes",
               (unsigned long long)bytes);
      if (call->failed_bytes)
        *call->failed_bytes = bytes;
      return cell_rt_cuda_failed(cuda, result, what, kNoKernel);
    }
    cuda->arena_bytes = bytes;
  }
  call->arena = cuda->arena;
  return CG_OK;
}

/* Begins the call in the handle's context, which is current. */
static int32_t begin(struct cell_rt_cuda_call *call, uint64_t arena_bytes) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  if (call->stream) {
    CUresult result = d->cuStreamIsCapturing(streamOf(call), &call->capturing);
    if (result != CUDA_SUCCESS)
      return cell_rt_cuda_failed(cuda, result, "cg_context.stream", kNoKernel);
  }
  /* The caller's graph runs when the caller launches it. */
  if (cuda->recorded && !call->capturing) {
    CUresult result = d->cuStreamWaitEvent(streamOf(call), cuda->last, 0);
    if (result != CUDA_SUCCESS)
      return cell_rt_cuda_failed(cuda, result, "the order of calls", kNoKernel);
  }
  return call->arena || !arena_bytes ? CG_OK : ownArena(call, arena_bytes);
}

int32_t cell_rt_cuda_enter(const cg_context *context,
                           const struct cell_rt_cuda_program *program,
                           uint64_t arena_bytes,
                           struct cell_rt_cuda_call *call) {
  cg_cuda *cuda = GIVEN(context, cuda) ? context->cuda : 0;
  if (!cuda || cuda->program != program)
    return CG_ERROR_CONTEXT;
  if (context->arena && arena_bytes &&
      (context->arena_bytes < arena_bytes ||
       (uintptr_t)context->arena % kAlignment != 0))
    return CG_ERROR_ARENA;
  if (atomic_exchange_explicit(&cuda->busy, 1, memory_order_acquire))
    return CG_ERROR_BUSY;
  memset(call, 0, sizeof *call);
  call->cuda = cuda;
  cell_rt_cuda_lend(call, context);
  call->stream = GIVEN(context, stream) ? context->stream : 0;
  call->status = cuda->status;
  call->arena = arena_bytes ? (uintptr_t)context->arena : 0;
  call->stash_bytes =
      GIVEN(context, max_stash_bytes) ? context->max_stash_bytes : UINT64_MAX;
  call->failed_bytes = GIVEN(context, failed_bytes) ? context->failed_bytes : 0;
  cuda->message[0] = 0;
  CUresult result = cuda->driver.cuCtxPushCurrent_v2(cuda->context);
  if (result == CUDA_SUCCESS) {
    int32_t status = begin(call, arena_bytes);
    return status == CG_OK ? CG_OK : cell_rt_cuda_leave(call, status);
  }
  int32_t status =
      cell_rt_cuda_failed(cuda, result, "the CUDA context", kNoKernel);
  atomic_store_explicit(&cuda->busy, 0, memory_order_release);
  return status;
}

int32_t cell_rt_cuda_leave(struct cell_rt_cuda_call *call, int32_t status) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  CUcontext popped;
  char words[kWords];
  /* What failed first is what the caller hears of. */
  if (status != CG_OK)
    memcpy(words, cuda->message, sizeof words);
  int32_t end = CG_OK;
  cell_rt_cuda_drop_transfers(call);
  while (call->blocks) {
    int32_t freed = cell_rt_cuda_free_last(call);
    end = end == CG_OK ? freed : end;
  }
  CUresult result;
  if (call->pending && !call->capturing) {
    result = d->cuEventRecord(cuda->last, streamOf(call));
    cuda->recorded = result == CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
      end = cell_rt_cuda_failed(cuda, result, "the order of calls", kNoKernel);
    /* What would still use the caller's memory, or could not be waited for. */
    if (call->host || result != CUDA_SUCCESS)
      d->cuStreamSynchronize(streamOf(call));
  }
  result = d->cuCtxPopCurrent_v2(&popped);
  if (result != CUDA_SUCCESS)
    end = cell_rt_cuda_failed(cuda, result, "leaving the CUDA context",
                              kNoKernel);
  if (status != CG_OK)
    memcpy(cuda->message, words, sizeof words);
  atomic_store_explicit(&cuda->busy, 0, memory_order_release);
  return status == CG_OK ? end : status;
}

int32_t cell_rt_cuda_synchronize(struct cell_rt_cuda_call *call) {
  cg_cuda *cuda = call->cuda;
  CUresult result = cuda->driver.cuStreamSynchronize(streamOf(call));
  if (result != CUDA_SUCCESS)
    return cell_rt_cuda_failed(cuda, result, "waiting for the device",
                               kNoKernel);
  cuda->first = kNoKernel;
  cuda->recorded = 0;
  call->pending = 0;
  call->host = 0;
  return CG_OK;
}

int32_t cell_rt_cuda_finish(struct cell_rt_cuda_call *call) {
  cg_cuda *cuda = call->cuda;
  int32_t code;
  int32_t status = cell_rt_cuda_read(call, &code, cuda->status, sizeof code);
  if (status != CG_OK || code == CG_OK)
    return status;
  status = cell_rt_cuda_fill(call, cuda->status, 0, 1, sizeof code);
  return status == CG_OK ? code : status;
}

int32_t cell_rt_cuda_wait(const cg_context *context,
                          const struct cell_rt_cuda_program *program) {
  struct cell_rt_cuda_call call;
  int32_t status = cell_rt_cuda_enter(context, program, 0, &call);
  if (status != CG_OK)
    return status;
  return cell_rt_cuda_leave(&call, cell_rt_cuda_finish(&call));
}
