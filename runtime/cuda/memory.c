/*===- memory.c - copies, and memory of a call ----------------------------===*/

#include "runtime/cuda/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CG_OK, or the words of `what` that failed. */
static int32_t enqueued(struct cell_rt_cuda_call *call, CUresult result,
                        const char *what) {
  call->pending = 1;
  return result == CUDA_SUCCESS
             ? CG_OK
             : cell_rt_cuda_failed(call->cuda, result, what, kNoKernel);
}

int32_t cell_rt_cuda_upload(struct cell_rt_cuda_call *call, uint64_t to,
                            const void *from, uint64_t bytes) {
  static const char what[] = "a copy to the device";
  int32_t status = cell_rt_cuda_uncaptured(call, what);
  if (status != CG_OK || !bytes)
    return status;
  call->host = 1;
  return enqueued(
      call,
      call->cuda->driver.cuMemcpyHtoDAsync_v2(to, from, bytes, streamOf(call)),
      what);
}

int32_t cell_rt_cuda_download(struct cell_rt_cuda_call *call, void *to,
                              uint64_t from, uint64_t bytes) {
  static const char what[] = "a copy from the device";
  int32_t status = cell_rt_cuda_uncaptured(call, what);
  if (status != CG_OK || !bytes)
    return status;
  call->host = 1;
  return enqueued(
      call,
      call->cuda->driver.cuMemcpyDtoHAsync_v2(to, from, bytes, streamOf(call)),
      what);
}

int32_t cell_rt_cuda_copy(struct cell_rt_cuda_call *call, uint64_t to,
                          uint64_t from, uint64_t bytes) {
  if (!bytes)
    return CG_OK;
  return enqueued(
      call,
      call->cuda->driver.cuMemcpyDtoDAsync_v2(to, from, bytes, streamOf(call)),
      "a copy on the device");
}

int32_t cell_rt_cuda_fill(struct cell_rt_cuda_call *call, uint64_t to,
                          uint32_t value, uint64_t count, uint32_t bytes) {
  const struct cell_rt_cuda_driver *d = &call->cuda->driver;
  CUstream stream = streamOf(call);
  if (!count)
    return CG_OK;
  CUresult result =
      bytes == 1 ? d->cuMemsetD8Async(to, (unsigned char)value, count, stream)
      : bytes == 2
          ? d->cuMemsetD16Async(to, (unsigned short)value, count, stream)
          : d->cuMemsetD32Async(to, value, count, stream);
  return enqueued(call, result, "a fill on the device");
}

int32_t cell_rt_cuda_read(struct cell_rt_cuda_call *call, void *to,
                          uint64_t from, uint64_t bytes) {
  void *page = call->cuda->page;
  int32_t status =
      cell_rt_cuda_uncaptured(call, "reading a value from the device");
  if (status == CG_OK)
    status =
        cell_rt_cuda_download(call, bytes <= kPage ? page : to, from, bytes);
  if (status == CG_OK)
    status = cell_rt_cuda_synchronize(call);
  if (status == CG_OK && bytes <= kPage)
    memcpy(to, page, bytes);
  return status;
}

int32_t cell_rt_cuda_write(struct cell_rt_cuda_call *call, uint64_t to,
                           const void *from, uint64_t bytes) {
  int32_t status = cell_rt_cuda_upload(call, to, from, bytes);
  return status == CG_OK ? cell_rt_cuda_synchronize(call) : status;
}

void *cell_rt_cuda_host_memory(struct cell_rt_cuda_call *call, uint64_t bytes) {
  cg_cuda *cuda = call->cuda;
  if (cuda->host_bytes < bytes) {
    free(cuda->host);
    cuda->host_bytes = (bytes + 63) / 64 * 64;
    cuda->host = aligned_alloc(64, cuda->host_bytes);
    if (!cuda->host) {
      cuda->host_bytes = 0;
      snprintf(cuda->message, sizeof cuda->message,
               "out of memory: %llu bytes for what is printed or kept",
               (unsigned long long)bytes);
    }
  }
  return cuda->host;
}

struct cell_rt_cuda_block {
  struct cell_rt_cuda_block *next;
  CUdeviceptr memory;
  uint64_t bytes;
};

int32_t cell_rt_cuda_allocate(struct cell_rt_cuda_call *call, uint64_t bytes,
                              uint64_t *out) {
  cg_cuda *cuda = call->cuda;
  int32_t status = cell_rt_cuda_uncaptured(call, "allocating memory");
  if (status != CG_OK)
    return status;
  struct cell_rt_cuda_block *block = 0;
  if (bytes > call->stash_bytes) {
    status = CG_ERROR_STASH_LIMIT;
  } else if (!(block = (struct cell_rt_cuda_block *)cell_rt_cuda_zeros(
                   sizeof *block))) {
    snprintf(cuda->message, sizeof cuda->message, "out of memory");
    status = CG_ERROR_ALLOCATION;
  } else {
    char what[64];
    snprintf(what, sizeof what, "%llu bytes on the device",
             (unsigned long long)bytes);
    /* No memory has size 0. */
    status = enqueued(call,
                      cuda->driver.cuMemAllocAsync(
                          &block->memory, bytes ? bytes : 1, streamOf(call)),
                      what);
  }
  if (status != CG_OK) {
    free(block);
    if (call->failed_bytes)
      *call->failed_bytes = bytes;
    return status;
  }
  block->bytes = bytes;
  block->next = call->blocks;
  call->blocks = block;
  call->stash_bytes -= bytes;
  *out = block->memory;
  return CG_OK;
}

/* Frees what `link` points at. */
static int32_t release(struct cell_rt_cuda_call *call,
                       struct cell_rt_cuda_block **link) {
  struct cell_rt_cuda_block *block = *link;
  CUresult result =
      call->cuda->driver.cuMemFreeAsync(block->memory, streamOf(call));
  *link = block->next;
  call->stash_bytes += block->bytes;
  free(block);
  return enqueued(call, result, "giving memory back");
}

int32_t cell_rt_cuda_free(struct cell_rt_cuda_call *call, uint64_t memory) {
  struct cell_rt_cuda_block **link = &call->blocks;
  while (*link && (*link)->memory != memory)
    link = &(*link)->next;
  if (*link)
    return release(call, link);
  snprintf(call->cuda->message, sizeof call->cuda->message,
           "memory that is given back was not allocated by the call");
  return CG_ERROR_EXECUTION;
}

int32_t cell_rt_cuda_free_last(struct cell_rt_cuda_call *call) {
  return release(call, &call->blocks);
}
