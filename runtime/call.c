/*===- call.c - what a call of an entry may use -----------------------------===
 *
 * Members that a caller's cg_context lacks, because it is older, count as zero.
 *===----------------------------------------------------------------------===*/

#include "runtime/given.h"
#include "runtime/runtime.h"

/* The flag of callers that have none. */
static const int32_t never = 0;

void cell_rt_enter(const cg_context *context, struct cell_rt_call *call) {
  call->cancel = GIVEN(context, cancel) ? context->cancel : &never;
  call->trips = GIVEN(context, max_trips) ? context->max_trips : UINT64_MAX;
  call->stash_bytes =
      GIVEN(context, max_stash_bytes) ? context->max_stash_bytes : UINT64_MAX;
  call->failed_bytes = GIVEN(context, failed_bytes) ? context->failed_bytes : 0;
  call->stashes = 0;
  call->memory = cell_rt_memory_of(context);
  call->on_cancel = GIVEN(context, on_cancel) ? context->on_cancel : 0;
  call->on_cancel_user =
      GIVEN(context, on_cancel_user) ? context->on_cancel_user : 0;
}

int32_t cell_rt_cancelled(const struct cell_rt_call *call) {
  return !call->on_cancel || call->on_cancel(call->on_cancel_user);
}

static cg_parallel *lent(const cg_context *context) {
  return GIVEN(context, parallel) ? context->parallel : 0;
}

int32_t cell_rt_workers(const cg_context *context, uint64_t fixed,
                        uint64_t slot) {
  const cg_parallel *parallel = lent(context);
  if (!parallel)
    return 1;
  if (parallel->struct_size < sizeof *parallel || parallel->threads < 1 ||
      !parallel->run)
    return 0;
  if (!context->arena || slot == 0)
    return parallel->threads;
  uint64_t slots = (context->arena_bytes - fixed) / slot;
  return slots < (uint64_t)parallel->threads ? (int32_t)slots
                                             : parallel->threads;
}

void cell_rt_run(const cg_context *context, int64_t count, int32_t most_workers,
                 cg_task_fn task, void *frame) {
  cg_parallel *parallel = lent(context);
  if (parallel && count > 1 && parallel->threads > 1 &&
      parallel->threads <= most_workers)
    parallel->run(parallel, count, task, frame);
  else if (count > 0)
    task(frame, 0, count, 0);
}

void cell_rt_probe(const cg_context *context, int32_t kernel, int32_t begins) {
  if (GIVEN(context, probe))
    context->probe(kernel, begins,
                   GIVEN(context, probe_user) ? context->probe_user : 0);
}
