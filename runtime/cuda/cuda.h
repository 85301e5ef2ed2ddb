/*===- cuda.h - what a compiled model with CUDA kernels carries -------------===
 *
 * Compiled once with the compiler into a relocatable object of its own, that
 * only models with device code are linked with. Nothing of CUDA is linked: the
 * driver is loaded when a device is opened.
 *
 * The compiler emits a constant `struct cell_rt_cuda_program` for a model, and
 * entries of this shape. For device pointers, which only enqueues:
 *
 *    struct cell_rt_cuda_call call;
 *    status = cell_rt_cuda_enter(context, &program, ARENA_BYTES, &call);
 *    if (status == CG_OK)
 *      status = cell_rt_cuda_leave(&call,
 *                  cell_rt_cuda_run(&call, SLOT, list, pointers, count));
 *
 * and for host pointers, with the buffers in the arena:
 *
 *    enter; upload of every argument; run (on the same places every time, so
 *    that a graph is replayed); finish: the wait that shows what failed; then
 *    download of every result, of donated buffers last; finish; leave
 *
 * where each step follows if the one before gave CG_OK. So a call that fails
 * leaves donated buffers as they were.
 *
 *  - All functions but open, close and message belong to a call, between enter
 *    and leave: the handle's context is current there, and the one that was
 *    current before is again after it.
 *  - They return CG_OK or an error; the handle has its words.
 *  - Nothing waits but finish, read, write, and uploads and downloads of memory
 *    that is not page-locked.
 *  - Calls of one handle run one after another on the device, whatever their
 *    streams, since they share its memory.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_CUDA_CUDA_H
#define CELLGRAD_RUNTIME_CUDA_CUDA_H

#include "runtime/cellgrad_abi.h"

#include <stdint.h>

typedef struct cg_cuda cg_cuda;

enum {
  CELL_RT_CUDA_PTX = 0,       /* text that runs on its chip and later ones */
  CELL_RT_CUDA_PTX_EXACT = 1, /* text for its chip alone, as that of sm_90a */
  CELL_RT_CUDA_CUBIN = 2      /* machine code for its chip alone */
};

/* Code for one chip. */
struct cell_rt_cuda_image {
  const void *data; /* a zero follows text */
  uint64_t bytes;
  uint32_t chip; /* 10 * major + minor version: 90 for sm_90a */
  uint32_t kind;
};

struct cell_rt_cuda_kernel {
  const char *name;  /* in the images */
  const char *place; /* the user's line, "net.py:12", or "" */
  uint32_t shared;   /* most bytes of dynamic shared memory of a launch */
  uint32_t reserved; /* 0 */
};

/* What a model's calls need of a device. Constant. */
struct cell_rt_cuda_program {
  const struct cell_rt_cuda_image *images;
  const struct cell_rt_cuda_kernel *kernels;
  uint32_t image_count, kernel_count;
  uint32_t slot_count; /* of graphs: one for each list of launches */
  uint32_t reserved;   /* 0 */
};

/* The communicator that the code of a call gets: it takes memory of the device,
   whatever that of the caller takes (comm.c). */
struct cell_rt_cuda_comm {
  cg_comm face;
  cg_comm *ranks; /* of the caller; NULL: one rank */
  struct cell_rt_cuda_call *call;
};

/* One call of an entry. Compiled code reads the first four members, and passes
   `context` on. */
struct cell_rt_cuda_call {
  cg_cuda *cuda;
  void *stream;
  uint64_t status; /* address on the device of the int32_t for checks */
  uint64_t arena;  /* address on the device */
  /* Of the runtime. */
  struct cell_rt_cuda_block *blocks; /* allocated and not freed yet */
  uint64_t stash_bytes;              /* that may still be allocated */
  uint64_t *failed_bytes;            /* as in cg_context */
  int32_t capturing;                 /* by the runtime or the caller */
  int32_t pending;                   /* something was enqueued */
  int32_t host;                      /* it reads or writes the host's memory */
  struct cell_rt_cuda_transfer *transfers; /* begun and not waited for */
  struct cell_rt_cuda_comm comm;
  cg_context context; /* the caller's, with that communicator */
};

/* Opens device number `device` for `program`: loads the driver and the code for
   the device's chip. The handle belongs to the caller's current context if that
   is of the device, which then has to outlive it; else to the device's primary
   one. On an error *out is NULL, and the words are in the `size` bytes of
   `message`, which may be NULL. */
int32_t cell_rt_cuda_open(const struct cell_rt_cuda_program *program,
                          int32_t device, cg_cuda **out, char *message,
                          uint64_t size);

/* Waits for what is enqueued and frees everything. No call may be running; NULL
   is fine. */
void cell_rt_cuda_close(cg_cuda *cuda);

/* The words for the last error of a call with the handle, never NULL; valid
   until its next call. */
const char *cell_rt_cuda_message(const cg_cuda *cuda);

/* cell_rt_status_message of models with CUDA kernels: those without do not
   carry the words of device errors. */
const char *cell_rt_cuda_status_message(int32_t status);

/* Begins a call with the handle, the stream and the arena of `context`, or with
   the handle's own arena if it lends none; the caller has looked at struct_size
   and flags of the context. On an error there is nothing to
   leave. CG_ERROR_CONTEXT: no handle, or that of another model. CG_ERROR_BUSY:
   another thread is in a call with it. */
int32_t cell_rt_cuda_enter(const cg_context *context,
                           const struct cell_rt_cuda_program *program,
                           uint64_t arena_bytes,
                           struct cell_rt_cuda_call *call);

/* Ends it: frees what it has allocated, and waits if memory of the host is
   still in use after an error. Returns `status`, or why this failed if that is
   CG_OK.
 */
int32_t cell_rt_cuda_leave(struct cell_rt_cuda_call *call, int32_t status);

/* Waits for the call's stream, and for the handle's calls before it. Returns
   the code that a check stored, of this call or one before that was not waited
   for, and sets the word back to zero. Kernels store a code only where there is
   none yet, and write no donated buffer where there is one: a check that fails
   also stops the updates of the calls behind it, until someone waits. */
int32_t cell_rt_cuda_finish(struct cell_rt_cuda_call *call);

/* An entry of a model: cell_rt_cuda_finish as a call. */
int32_t cell_rt_cuda_wait(const cg_context *context,
                          const struct cell_rt_cuda_program *program);

/* Enqueues kernel number `kernel`, nothing if an extent of the grid is 0. The
   values that `arguments` points at are copied. */
int32_t cell_rt_cuda_launch(struct cell_rt_cuda_call *call, uint32_t kernel,
                            const uint32_t grid[3], const uint32_t block[3],
                            uint32_t shared, void **arguments);

/* A list of launches, copies and fills on the device. */
typedef int32_t (*cell_rt_cuda_list)(struct cell_rt_cuda_call *call,
                                     const uint64_t *words);

/* Enqueues a list. What it does may depend on nothing but the `count` words and
   call->arena: if they are the same for the third time in a row it becomes a
   graph, which is launched as long as they stay. `slot` is one number for one
   list, which always has as many words. Lists that read from the device are
   called directly instead. */
int32_t cell_rt_cuda_run(struct cell_rt_cuda_call *call, uint32_t slot,
                         cell_rt_cuda_list list, const uint64_t *words,
                         uint32_t count);

/* Copies. Host memory has to stay as it is until the next wait. */
int32_t cell_rt_cuda_upload(struct cell_rt_cuda_call *call, uint64_t to,
                            const void *from, uint64_t bytes);
int32_t cell_rt_cuda_download(struct cell_rt_cuda_call *call, void *to,
                              uint64_t from, uint64_t bytes);
int32_t cell_rt_cuda_copy(struct cell_rt_cuda_call *call, uint64_t to,
                          uint64_t from, uint64_t bytes);

/* Fills with elements of 1, 2 or 4 bytes; `to` is aligned to them. */
int32_t cell_rt_cuda_fill(struct cell_rt_cuda_call *call, uint64_t to,
                          uint32_t value, uint64_t count, uint32_t bytes);

/* Waits and reads, for conditions and prints. */
int32_t cell_rt_cuda_read(struct cell_rt_cuda_call *call, void *to,
                          uint64_t from, uint64_t bytes);

/* Waits and writes: `from` is the caller's again. */
int32_t cell_rt_cuda_write(struct cell_rt_cuda_call *call, uint64_t to,
                           const void *from, uint64_t bytes);

/* Memory of the host, aligned to 64 bytes, for what is printed or kept there;
   valid until it is asked for again. NULL: out of memory. */
void *cell_rt_cuda_host_memory(struct cell_rt_cuda_call *call, uint64_t bytes);

/* Memory that lives at most until the end of the call, taken and given back in
   the order of the stream. It counts against cg_context.max_stash_bytes. */
int32_t cell_rt_cuda_allocate(struct cell_rt_cuda_call *call, uint64_t bytes,
                              uint64_t *out);
int32_t cell_rt_cuda_free(struct cell_rt_cuda_call *call, uint64_t memory);

#endif
