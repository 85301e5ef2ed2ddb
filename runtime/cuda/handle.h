/*===- handle.h - what an open device is ----------------------------------===*/

#ifndef CELLGRAD_RUNTIME_CUDA_HANDLE_H
#define CELLGRAD_RUNTIME_CUDA_HANDLE_H

#include "runtime/cuda/cuda.h"
#include "runtime/cuda/driver.h"

#include <stdatomic.h>
#include <stddef.h>

enum {
  kPage = 4096,  /* bytes of page-locked memory for what the host reads */
  kWords = 2048, /* bytes of a message */
  kNoKernel = -1
};

/* What is known of a list of launches. All zeros at first. */
struct slot {
  CUgraphExec graph;
  uint64_t *words;  /* that it was last called with, then the arena */
  uint32_t calls;   /* in a row with them; 0: none */
  int32_t captured; /* the graph is that of the words */
  int32_t first;    /* its first kernel */
};

struct cg_cuda {
  const struct cell_rt_cuda_program *program; /* first, in all versions */
  _Atomic uint32_t busy;                      /* a call has the handle */
  struct cell_rt_cuda_device device;
  struct cell_rt_cuda_driver driver;
  CUcontext context;
  int32_t retained; /* the context is the primary one */
  int32_t wait;     /* after every launch */
  CUmodule module;
  CUfunction *functions; /* as in program->kernels */
  CUstream own;          /* for captures */
  CUevent last;          /* after what the last call enqueued */
  int32_t recorded;      /* it has to be waited for */
  int32_t first;         /* kernel that was launched since the last wait */
  CUdeviceptr status;
  void *page;
  CUdeviceptr arena;
  uint64_t arena_bytes;
  struct slot *slots;
  struct cell_rt_cuda_transfer *transfers; /* those that no call has */
  CUstream beside; /* for collectives beside the kernels; made for the first */
  void *host;      /* cell_rt_cuda_host_memory */
  uint64_t host_bytes;
  char message[kWords];
};

static inline CUstream streamOf(const struct cell_rt_cuda_call *call) {
  return (CUstream)call->stream;
}

/* `bytes` zeros, or NULL; free() gives them back. */
void *cell_rt_cuda_zeros(uint64_t bytes);

/* The code for what the driver returned; the handle's message says that `what`,
   of that kernel unless it is kNoKernel, failed, and the driver's words. */
int32_t cell_rt_cuda_failed(cg_cuda *cuda, CUresult result, const char *what,
                            int32_t kernel);

/* Remembers that `kernel` was enqueued. */
void cell_rt_cuda_launched(struct cell_rt_cuda_call *call, int32_t kernel);

/* Waits for the call's stream. */
int32_t cell_rt_cuda_synchronize(struct cell_rt_cuda_call *call);

/* Frees the block that the call allocated last; there is one. */
int32_t cell_rt_cuda_free_last(struct cell_rt_cuda_call *call);

/* Gives the call its context and communicator (comm.c). */
void cell_rt_cuda_lend(struct cell_rt_cuda_call *call,
                       const cg_context *context);

/* Ends what the call has begun with other ranks and not waited for, after an
   error. */
void cell_rt_cuda_drop_transfers(struct cell_rt_cuda_call *call);

/* Frees what collectives had of the handle, whose context is current. */
void cell_rt_cuda_close_transfers(cg_cuda *cuda);

/* CG_OK, or an error while the call's stream is captured: `what` cannot be part
   of a graph. */
int32_t cell_rt_cuda_uncaptured(struct cell_rt_cuda_call *call,
                                const char *what);

#endif
