/*===- stash.c - memory that grows with the trips of a loop -----------------===
 *
 * What a loop of unknown length keeps for its adjoint: fixed-size elements,
 * addressed by trip. Capacity doubles, so that a trip costs O(1) on average.
 * A failed allocation is remembered; reads then give zeros, and the entry
 * returns CG_ERROR_ALLOCATION.
 *===----------------------------------------------------------------------===*/

#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

struct cell_rt_stash {
  int64_t bytes;    /* of an element */
  int64_t capacity; /* in elements; all of them are initialised */
  char *data;
};

void *cell_rt_stash_new(int64_t bytes, int32_t *status) {
  struct cell_rt_stash *stash = (struct cell_rt_stash *)aligned_alloc(64, 64);
  if (!stash) {
    *status = CG_ERROR_ALLOCATION;
    return 0;
  }
  stash->bytes = bytes;
  stash->capacity = 0;
  stash->data = 0;
  return stash;
}

void cell_rt_stash_free(void *handle) {
  struct cell_rt_stash *stash = (struct cell_rt_stash *)handle;
  if (!stash)
    return;
  free(stash->data);
  free(stash);
}

/* The element at `position`, or NULL where there is none. */
static char *elementAt(struct cell_rt_stash *stash, int64_t position) {
  if (!stash || position < 0 || position >= stash->capacity)
    return 0;
  return stash->data + position * stash->bytes;
}

/* The element at `position`, which is made if there is none. */
static char *makeElement(struct cell_rt_stash *stash, int64_t position,
                         int32_t *status) {
  char *found = elementAt(stash, position);
  if (found || !stash || position < 0)
    return found;
  int64_t capacity = stash->capacity ? stash->capacity : 8;
  while (capacity <= position)
    capacity *= 2;
  int64_t size = (capacity * stash->bytes + 63) / 64 * 64;
  char *data = (char *)aligned_alloc(64, (size_t)size);
  if (!data) {
    *status = CG_ERROR_ALLOCATION;
    return 0;
  }
  int64_t old = stash->capacity * stash->bytes;
  if (old)
    memcpy(data, stash->data, (size_t)old);
  memset(data + old, 0, (size_t)(size - old));
  free(stash->data);
  stash->data = data;
  stash->capacity = capacity;
  return data + position * stash->bytes;
}

void cell_rt_stash_load(void *handle, int64_t position, int64_t bytes,
                        void *to) {
  const char *from = elementAt((struct cell_rt_stash *)handle, position);
  if (from)
    memcpy(to, from, (size_t)bytes);
  else
    memset(to, 0, (size_t)bytes);
}

void cell_rt_stash_store(void *handle, int64_t position, int64_t bytes,
                         const void *from, int32_t *status) {
  char *to = makeElement((struct cell_rt_stash *)handle, position, status);
  if (to)
    memcpy(to, from, (size_t)bytes);
}
