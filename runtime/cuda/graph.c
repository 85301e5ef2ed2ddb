/*===- graph.c - lists of launches as graphs --------------------------------===
 *
 * A graph is an optimisation: where the driver cannot make one, the list is
 * called as before.
 *===----------------------------------------------------------------------===*/

#include "runtime/cuda/handle.h"

#include <string.h>

enum { kCallsBefore = 2 }; /* with the same words, before they are captured */

/* Whether the list was last called with these words. */
static int sameWords(const struct slot *slot, uint64_t arena,
                     const uint64_t *words, uint32_t count) {
  return slot->calls && slot->words[count] == arena &&
         (!count || memcmp(slot->words, words, count * sizeof *words) == 0);
}

/* Whether there was memory to remember them. */
static int remember(struct slot *slot, uint64_t arena, const uint64_t *words,
                    uint32_t count) {
  slot->captured = 0;
  slot->calls = 0;
  if (!slot->words)
    slot->words =
        (uint64_t *)cell_rt_cuda_zeros((count + UINT64_C(1)) * sizeof *words);
  if (!slot->words)
    return 0;
  if (count)
    memcpy(slot->words, words, count * sizeof *words);
  slot->words[count] = arena;
  return 1;
}

/* Makes the graph of the slot that of `graph`; whether that worked. */
static int instantiate(const struct cell_rt_cuda_driver *d, struct slot *slot,
                       CUgraph graph) {
  CUgraphExecUpdateResultInfo info;
  if (slot->graph) {
    if (d->cuGraphExecUpdate_v2(slot->graph, graph, &info) == CUDA_SUCCESS)
      return 1;
    /* It may still run, and goes when it has. */
    d->cuGraphExecDestroy(slot->graph);
  }
  if (d->cuGraphInstantiateWithFlags(&slot->graph, graph, 0) == CUDA_SUCCESS)
    return 1;
  slot->graph = 0;
  return 0;
}

/* Captures the list, on a stream of the handle's own: the legacy stream cannot
   be captured. slot->captured says whether that worked; an error is one of the
   list itself. */
static int32_t capture(struct cell_rt_cuda_call *call, struct slot *slot,
                       cell_rt_cuda_list list, const uint64_t *words) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  if (d->cuStreamBeginCapture_v2(cuda->own, CU_STREAM_CAPTURE_MODE_RELAXED) !=
      CUDA_SUCCESS)
    return CG_OK;
  void *stream = call->stream;
  int32_t first = cuda->first, pending = call->pending;
  call->stream = cuda->own;
  call->capturing = 1;
  cuda->first = kNoKernel;
  int32_t status = list(call, words);
  slot->first = cuda->first;
  cuda->first = first;
  call->pending = pending;
  call->capturing = 0;
  call->stream = stream;
  CUgraph graph = 0;
  if (d->cuStreamEndCapture(cuda->own, &graph) == CUDA_SUCCESS && graph &&
      status == CG_OK)
    slot->captured = instantiate(d, slot, graph);
  if (graph)
    d->cuGraphDestroy(graph);
  return status;
}

int32_t cell_rt_cuda_run(struct cell_rt_cuda_call *call, uint32_t number,
                         cell_rt_cuda_list list, const uint64_t *words,
                         uint32_t count) {
  cg_cuda *cuda = call->cuda;
  struct slot *slot = &cuda->slots[number];
  if (call->capturing || cuda->wait)
    return list(call, words);
  if (!sameWords(slot, call->arena, words, count) &&
      !remember(slot, call->arena, words, count))
    return list(call, words);
  /* The capture is tried once for the same words. */
  if (slot->calls <= kCallsBefore && slot->calls++ == kCallsBefore) {
    int32_t status = capture(call, slot, list, words);
    if (status != CG_OK)
      return status;
  }
  if (!slot->captured)
    return list(call, words);
  CUresult result = cuda->driver.cuGraphLaunch(slot->graph, streamOf(call));
  if (result != CUDA_SUCCESS)
    return cell_rt_cuda_failed(cuda, result,
                               slot->first == kNoKernel
                                   ? "launch of a graph"
                                   : "launch of a graph that begins with that",
                               slot->first);
  cell_rt_cuda_launched(call, slot->first);
  return CG_OK;
}
