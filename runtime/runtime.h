/*===- runtime.h - what a compiled model may carry --------------------------===
 *
 * Compiled with the compiler into one relocatable object for each system that
 * models are made for; the linker takes
 * from it what a model refers to. All of it is hidden: no symbol leaves a
 * model.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_RUNTIME_H
#define CELLGRAD_RUNTIME_RUNTIME_H

#include "runtime/cellgrad_abi.h"

#include <stdint.h>

/* The words for a status code; never NULL. */
const char *cell_rt_status_message(int32_t status);

/* CG_OK, or CG_ERROR_CPU if this processor lacks one of the instruction sets of
   the mask (runtime/cpu.h). Asks once a model; a model has one mask. */
int32_t cell_rt_check_cpu(uint64_t wanted);

/* Those bits of the mask that this processor lacks. */
uint64_t cell_rt_missing_features(uint64_t wanted);

/* The first of `count` masks of which this processor lacks nothing; the last
   where there is none. Asks once a model, whose levels are always the same. */
int32_t cell_rt_level(const uint64_t *levels, int32_t count);

/* Hands one tensor to the print hook of `context`, or to the default hook when
   `context` or its hook is NULL. */
void cell_rt_print(const cg_context *context, const char *text, int32_t dtype,
                   int32_t rank, const int64_t *shape, const void *data);

/* Where memory comes from: NULL stands for the C library's. */
struct cell_rt_memory {
  cg_allocate_fn allocate;
  cg_release_fn release;
  void *user;
};

/* That of `context`, which may be NULL. */
struct cell_rt_memory cell_rt_memory_of(const cg_context *context);

/* Whether `context` sets both functions of its memory, or none. */
int32_t cell_rt_memory_is_whole(const cg_context *context);

/* `bytes` bytes, a multiple of CG_ARENA_ALIGNMENT, aligned to that; or NULL. */
void *cell_rt_allocate(const struct cell_rt_memory *memory, uint64_t bytes);
void cell_rt_release(const struct cell_rt_memory *memory, void *taken,
                     uint64_t bytes);

/* The same from the memory of `context`, for its arena. */
void *cell_rt_arena_new(const cg_context *context, uint64_t bytes);
void cell_rt_arena_free(const cg_context *context, void *arena, uint64_t bytes);

/* What a call of an entry keeps while it runs. Compiled code reads `cancel` and
   `trips`. */
struct cell_rt_call {
  const volatile int32_t *cancel; /* never NULL */
  uint64_t trips;                 /* that loops may still make */
  uint64_t stash_bytes;           /* that stashes may still take */
  uint64_t *failed_bytes;         /* as in cg_context */
  struct cell_rt_stash *stashes;  /* that are not freed yet */
  int32_t (*on_cancel)(void *);   /* as in cg_context */
  void *on_cancel_user;
  struct cell_rt_memory memory; /* for stashes */
};

/* Sets up a call with `context`, which may be NULL. */
void cell_rt_enter(const cg_context *context, struct cell_rt_call *call);

/* Whether a call that found `cancel` set is to end. */
int32_t cell_rt_cancelled(const struct cell_rt_call *call);

/* Frees the stashes that are left. */
void cell_rt_leave(struct cell_rt_call *call);

/* How many workers the regions of a call may have: the threads of `context`,
   but no more than there are slots of `slot` bytes behind the `fixed` bytes of
   the arena it lends, at least 1. Where it lends none, what the call allocates
   has one for each thread. 0: cg_context.parallel is not filled in. */
int32_t cell_rt_workers(const cg_context *context, uint64_t fixed,
                        uint64_t slot);

/* Runs the items 0 <= i < count of a region on the threads of `context`, or on
   this one where it has none, or more than `most_workers`: the `worker` of a
   task is below that. */
void cell_rt_run(const cg_context *context, int64_t count, int32_t most_workers,
                 cg_task_fn task, void *frame);

/* Tells the probe of `context`, where it has one, that a kernel begins or has
   ended. */
void cell_rt_probe(const cg_context *context, int32_t kernel, int32_t begins);

/* Collectives of the communicator of `context`; without one the caller is the
   only rank. Each returns CG_OK or CG_ERROR_COMM.... `start`: of `count`
   elements as in cg_collective, in a program for `ranks` ranks, or any number
   where that is 0, of which `group` names some; `wait` with what it put into
   `request`. */
int32_t cell_rt_comm_start(const cg_context *context, int32_t kind,
                           int32_t combine, int32_t dtype, int32_t root,
                           int32_t flags, int64_t ranks, int64_t count,
                           const void *send, void *receive,
                           const int32_t *group, int32_t group_size,
                           int64_t tag, uint64_t schedule, void **request);
int32_t cell_rt_comm_wait(const cg_context *context, void **request);
/* The number of this rank, or with `size` that of the ranks. */
int32_t cell_rt_comm_rank(const cg_context *context, int32_t size);

/* Bytes of an element of a collective. */
int64_t cell_rt_comm_bytes(int32_t dtype);

/* A pool of `threads` threads with the caller's, which start at the first
   region and sleep when idle. threads <= 0: as many as the processors that the
   caller may run on. NULL: out of memory. */
cg_parallel *cell_rt_pool_new(int32_t threads);

/* Ends the threads. No region may be running; NULL is fine. */
void cell_rt_pool_free(cg_parallel *pool);

/* Stashes: elements of a fixed size by position, zero where none was stored.
   NULL: out of memory. */
void *cell_rt_stash_new(struct cell_rt_call *call, int64_t bytes);
void cell_rt_stash_free(void *stash);
void cell_rt_stash_load(void *stash, int64_t position, int64_t bytes, void *to);
/* CG_OK, or why there is no memory. */
int32_t cell_rt_stash_store(void *stash, int64_t position, int64_t bytes,
                            const void *from);

#endif
