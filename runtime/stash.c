/*===- stash.c - memory that grows with the trips of a loop -----------------===
 *
 * What a loop of unknown length keeps for its adjoint: fixed-size elements,
 * addressed by trip. Capacity doubles, so that a trip costs O(1) on average.
 * A call knows its stashes, and frees what is left of them when it ends.
 *===----------------------------------------------------------------------===*/

#include "runtime/libc.h"
#include "runtime/runtime.h"

struct cell_rt_stash {
  struct cell_rt_call *call;
  struct cell_rt_stash *next, **link; /* link points at what points here */
  int64_t bytes;                      /* of an element */
  int64_t capacity; /* in elements; all of them are initialised */
  uint64_t taken;   /* bytes of data */
  char *data;
};

enum { kStashBytes = 64 };
_Static_assert(sizeof(struct cell_rt_stash) <= kStashBytes, "one line");

/* Memory of the call's share, or NULL and why not. */
static void *take(struct cell_rt_call *call, uint64_t size, int32_t *status) {
  void *memory = 0;
  *status = size > call->stash_bytes ? CG_ERROR_STASH_LIMIT : CG_OK;
  if (*status == CG_OK) {
    memory = cell_rt_allocate(&call->memory, size);
    if (memory)
      call->stash_bytes -= size;
    else
      *status = CG_ERROR_ALLOCATION;
  }
  if (!memory && call->failed_bytes)
    *call->failed_bytes = size;
  return memory;
}

void *cell_rt_stash_new(struct cell_rt_call *call, int64_t bytes) {
  struct cell_rt_stash *stash =
      (struct cell_rt_stash *)cell_rt_allocate(&call->memory, kStashBytes);
  if (!stash) {
    if (call->failed_bytes)
      *call->failed_bytes = sizeof *stash;
    return 0;
  }
  stash->call = call;
  stash->bytes = bytes;
  stash->capacity = 0;
  stash->taken = 0;
  stash->data = 0;
  stash->link = &call->stashes;
  stash->next = call->stashes;
  if (stash->next)
    stash->next->link = &stash->next;
  call->stashes = stash;
  return stash;
}

void cell_rt_stash_free(void *handle) {
  struct cell_rt_stash *stash = (struct cell_rt_stash *)handle;
  *stash->link = stash->next;
  if (stash->next)
    stash->next->link = stash->link;
  stash->call->stash_bytes += stash->taken;
  cell_rt_release(&stash->call->memory, stash->data, stash->taken);
  cell_rt_release(&stash->call->memory, stash, kStashBytes);
}

/* The element at `position`, or NULL where there is none. */
static char *elementAt(struct cell_rt_stash *stash, int64_t position) {
  if (position < 0 || position >= stash->capacity)
    return 0;
  return stash->data + position * stash->bytes;
}

/* Makes room for the element at `position`. */
static int32_t grow(struct cell_rt_stash *stash, int64_t position) {
  int32_t status;
  int64_t capacity = stash->capacity ? stash->capacity : 8;
  /* No memory has as much, and the numbers below would overflow. */
  if (position >= INT64_MAX / 4 / (stash->bytes ? stash->bytes : 1)) {
    if (stash->call->failed_bytes)
      *stash->call->failed_bytes = UINT64_MAX;
    return CG_ERROR_ALLOCATION;
  }
  while (capacity <= position)
    capacity *= 2;
  uint64_t size = (uint64_t)(capacity * stash->bytes + 63) / 64 * 64;
  /* For no bytes, an allocator may give nothing. */
  if (size == 0)
    size = 64;
  char *data = (char *)take(stash->call, size, &status);
  if (!data)
    return status;
  int64_t old = stash->capacity * stash->bytes;
  if (old)
    memcpy(data, stash->data, (size_t)old);
  memset(data + old, 0, size - (size_t)old);
  cell_rt_release(&stash->call->memory, stash->data, stash->taken);
  stash->call->stash_bytes += stash->taken;
  stash->data = data;
  stash->capacity = capacity;
  stash->taken = size;
  return CG_OK;
}

void cell_rt_stash_load(void *handle, int64_t position, int64_t bytes,
                        void *to) {
  const char *from = elementAt((struct cell_rt_stash *)handle, position);
  if (from)
    memcpy(to, from, (size_t)bytes);
  else
    memset(to, 0, (size_t)bytes);
}

int32_t cell_rt_stash_store(void *handle, int64_t position, int64_t bytes,
                            const void *from) {
  struct cell_rt_stash *stash = (struct cell_rt_stash *)handle;
  if (position < 0)
    return CG_OK;
  if (position >= stash->capacity) {
    int32_t status = grow(stash, position);
    if (status != CG_OK)
      return status;
  }
  memcpy(elementAt(stash, position), from, (size_t)bytes);
  return CG_OK;
}

void cell_rt_leave(struct cell_rt_call *call) {
  while (call->stashes)
    cell_rt_stash_free(call->stashes);
}
