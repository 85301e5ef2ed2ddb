/*===- memory.c - where a call takes memory ---------------------------------===
 *
 * From the functions of its context, or from the C library.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/given.h"
#include "runtime/libc.h"
#include "runtime/runtime.h"

struct cell_rt_memory cell_rt_memory_of(const cg_context *context) {
  struct cell_rt_memory memory = {0, 0, 0};
  if (GIVEN(context, allocate) && GIVEN(context, release)) {
    memory.allocate = context->allocate;
    memory.release = context->release;
    memory.user = GIVEN(context, memory_user) ? context->memory_user : 0;
  }
  return memory;
}

int32_t cell_rt_memory_is_whole(const cg_context *context) {
  return !!GIVEN(context, allocate) == !!GIVEN(context, release);
}

/* Large blocks ask for large pages: memory is read at half the speed where each
   4 KiB have an entry of their own in the table of pages. */
static void *fromLibrary(size_t bytes) {
#ifndef __wasm__
  enum { kHugePage = 2 << 20, kHuge = 2 * kHugePage };
  if (bytes >= kHuge) {
    void *taken = aligned_alloc(kHugePage, bytes);
    if (taken)
      (void)madvise(taken, bytes, MADV_HUGEPAGE); /* or small pages, then */
    return taken;
  }
#endif
  return aligned_alloc(CG_ARENA_ALIGNMENT, bytes);
}

void *cell_rt_allocate(const struct cell_rt_memory *memory, uint64_t bytes) {
  if (!memory->allocate)
    return (size_t)bytes == bytes ? fromLibrary((size_t)bytes) : 0;
  void *taken = memory->allocate(bytes, CG_ARENA_ALIGNMENT, memory->user);
  if ((uintptr_t)taken % CG_ARENA_ALIGNMENT == 0)
    return taken;
  /* Compiled code relies on the alignment: this is as good as none. */
  memory->release(taken, bytes, memory->user);
  return 0;
}

void cell_rt_release(const struct cell_rt_memory *memory, void *taken,
                     uint64_t bytes) {
  if (!memory->release)
    free(taken);
  else if (taken)
    memory->release(taken, bytes, memory->user);
}

void *cell_rt_arena_new(const cg_context *context, uint64_t bytes) {
  struct cell_rt_memory memory = cell_rt_memory_of(context);
  return cell_rt_allocate(&memory, bytes);
}

void cell_rt_arena_free(const cg_context *context, void *arena,
                        uint64_t bytes) {
  struct cell_rt_memory memory = cell_rt_memory_of(context);
  cell_rt_release(&memory, arena, bytes);
}
