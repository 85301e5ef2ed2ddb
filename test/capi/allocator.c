// Calls take memory where the context says, all of it, and give all of it back:
// with an allocator that counts, and with one that fails at each place or gives
// memory that is not aligned, when nothing may have changed. Also with
// AddressSanitizer in the code of the models and of their runtime.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/iterate.mlir -o %t/libiterate.so
// RUN: cellc %S/Inputs/regions.mlir -o %t/libregions.so
// RUN: %cc %strict -D_GNU_SOURCE -DOWN_LIBRARY -I%t %s -L%t -literate -lregions -Wl,-rpath,%t -pthread -o %t/run
// RUN: %t/run
// RUN: cellc %S/Inputs/iterate.mlir --target=x86-64-v2 --emit=ll -o %t/iterate.ll
// RUN: cellc %S/Inputs/regions.mlir --target=x86-64-v2 --emit=ll -o %t/regions.ll
// RUN: sed -i "s/^\(attributes #[0-9]* = { \)\(.*nounwind\)/\1sanitize_address \2/" %t/iterate.ll %t/regions.ll
// RUN: %cxx -Wno-override-module -O1 -fsanitize=address -c %t/iterate.ll -o %t/iterate.o
// RUN: %cxx -Wno-override-module -O1 -fsanitize=address -c %t/regions.ll -o %t/regions.o
// RUN: llvm-nm %t/iterate.o | FileCheck %s
// CHECK: __asan_report
// RUN: %cxx -x c -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I%root -I%t %s %runtime/pool.c %runtime/processors.c %runtime/call.c %runtime/memory.c %runtime/cpu.c %runtime/status.c %runtime/stash.c %runtime/print.c %runtime/halves.c -x none %t/iterate.o %t/regions.o -pthread -lm -o %t/run
// RUN: %t/run

#include "iterate.h"
#include "regions.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIPS = 20, N = 1000, kBlocks = 16 };

static int failures;
static long of_the_library; /* calls of aligned_alloc */

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      printf("line %d: not %s\n", __LINE__, #what);                            \
      ++failures;                                                              \
    }                                                                          \
  while (0)

#ifdef OWN_LIBRARY
/* In place of the library's, also for the model. */
void *aligned_alloc(size_t alignment, size_t bytes) {
  void *memory = NULL;
  ++of_the_library;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}
#define LIBRARY_WAS_CALLED(times) (of_the_library == (times))
#else
#define LIBRARY_WAS_CALLED(times) ((void)of_the_library, 1)
#endif

/* An allocator that knows what it gave. */
struct counting {
  long asked, refused, crooked, live;
  uint64_t bytes; /* of all that were asked for */
  struct {
    char *memory, *start;
    uint64_t bytes;
  } blocks[kBlocks];
};

static void *take(uint64_t bytes, uint64_t alignment, void *user) {
  struct counting *counting = user;
  EXPECT(bytes > 0 && bytes % 64 == 0 && alignment == 64);
  counting->bytes += bytes;
  long number = counting->asked++;
  if (number == counting->refused)
    return NULL;
  int i = 0;
  while (i < kBlocks && counting->blocks[i].memory)
    ++i;
  void *start = NULL;
  if (i == kBlocks || posix_memalign(&start, 64, bytes + 64) != 0)
    return NULL;
  memset(start, 0xA5, bytes + 64);
  counting->blocks[i].start = start;
  counting->blocks[i].memory =
      (char *)start + (number == counting->crooked ? 8 : 0);
  counting->blocks[i].bytes = bytes;
  ++counting->live;
  return counting->blocks[i].memory;
}

static void give(void *memory, uint64_t bytes, void *user) {
  struct counting *counting = user;
  int i = 0;
  while (i < kBlocks && counting->blocks[i].memory != memory)
    ++i;
  EXPECT(memory != NULL && i < kBlocks);
  if (i == kBlocks)
    return;
  EXPECT(counting->blocks[i].bytes == bytes);
  free(counting->blocks[i].start);
  counting->blocks[i].memory = NULL;
  --counting->live;
}

struct state {
  float w[64], m[64], loss;
  int32_t count;
};

static void silent(const cg_print_record *record, void *user) {
  (void)record, (void)user;
}

static int32_t step(struct state *state, const cg_context *context) {
  int32_t n = TRIPS, label = 0;
  cg_iterate_step_args args = {.w = state->w,
                               .m = state->m,
                               .count = &state->count,
                               .n = &n,
                               .label = &label,
                               .loss = &state->loss};
  of_the_library = 0;
  return cg_iterate_step(&args, context);
}

static cg_context context_of(struct counting *counting) {
  return (cg_context){.struct_size = sizeof(cg_context),
                      .print = silent,
                      .allocate = take,
                      .release = give,
                      .memory_user = counting};
}

int main(void) {
  struct state first = {.count = 0};
  for (int i = 0; i < 64; ++i)
    first.w[i] = (float)(i - 32) / 16;
  struct counting counting = {.refused = -1, .crooked = -1};
  cg_context plain = {.struct_size = sizeof plain, .print = silent};
  cg_context context = context_of(&counting);

  /* The same numbers as with the library's memory, of which none is taken. */
  struct state wanted = first, got = first;
  EXPECT(step(&wanted, &plain) == CG_OK && LIBRARY_WAS_CALLED(5));
  EXPECT(step(&got, &context) == CG_OK && LIBRARY_WAS_CALLED(0));
  EXPECT(memcmp(&got, &wanted, sizeof got) == 0);
  long needed = counting.asked;
  EXPECT(needed == 5 && counting.live == 0); /* arena, stash, 3 times room */
  EXPECT(counting.bytes == (CG_ITERATE_STEP_ARENA_BYTES + 63) / 64 * 64 + 64 +
                               (8 + 16 + 32) * sizeof first.w);

  /* Each that fails, or is not aligned, ends the call: nothing is half written,
     and nothing stays. */
  uint64_t missing = 0;
  context.failed_bytes = &missing;
  for (int crooked = 0; crooked < 2; ++crooked)
    for (long at = 0; at < needed; ++at) {
      counting = (struct counting){.refused = crooked ? -1 : at,
                                   .crooked = crooked ? at : -1};
      got = first;
      missing = 0;
      EXPECT(step(&got, &context) == CG_ERROR_ALLOCATION);
      got.loss = first.loss;
      EXPECT(memcmp(&got, &first, sizeof got) == 0);
      EXPECT(counting.asked == at + 1 && counting.live == 0);
      EXPECT(at < 2 || missing == (uint64_t)(8 << (at - 2)) * sizeof first.w);
      EXPECT(LIBRARY_WAS_CALLED(0));
    }

  /* A lent arena is not taken; the rest is. */
  counting = (struct counting){.refused = -1, .crooked = -1};
  static _Alignas(64) char arena[CG_ITERATE_STEP_ARENA_BYTES + 1];
  context.arena = arena;
  context.arena_bytes = CG_ITERATE_STEP_ARENA_BYTES;
  got = first;
  EXPECT(step(&got, &context) == CG_OK && counting.asked == needed - 1);
  EXPECT(memcmp(&got, &wanted, sizeof got) == 0 && counting.live == 0);

  /* Half of the functions is an error, also where no memory is needed; an older
     context has none, and one that ends before the user's pointer NULL. */
  for (int half = 0; half < 2; ++half) {
    context = context_of(&counting);
    if (half)
      context.allocate = NULL;
    else
      context.release = NULL;
    got = first;
    EXPECT(step(&got, &context) == CG_ERROR_CONTEXT);
    EXPECT(memcmp(&got, &first, sizeof got) == 0);
  }
  counting.asked = 0;
  for (size_t size = 40; size <= offsetof(cg_context, release); size += 8) {
    context = context_of(&counting);
    context.struct_size = (uint32_t)size;
    /* What lies behind the caller's struct. */
    if (size < sizeof context)
      memset((char *)&context + size, 0xFF, sizeof context - size);
    got = first;
    int32_t status = step(&got, &context);
    /* Here it covers `allocate`, and release is not there. */
    int32_t expected =
        size == offsetof(cg_context, release) ? CG_ERROR_CONTEXT : CG_OK;
    EXPECT(status == expected && counting.asked == 0);
    EXPECT(status != CG_OK || memcmp(&got, &wanted, sizeof got) == 0);
  }

  /* The arena of a call on threads has room for all of them. */
  counting = (struct counting){.refused = -1, .crooked = -1};
  static float x[N];
  for (int i = 0; i < N; ++i)
    x[i] = (float)(i % 17);
  float alone = 0, together = 1;
  EXPECT(cg_regions_total(&(cg_regions_total_args){x, &alone}, NULL) == CG_OK);
  cg_parallel *pool = cg_regions_pool_new(3);
  EXPECT(pool != NULL);
  context = context_of(&counting);
  context.parallel = pool;
  cg_regions_total_args total = {x, &together};
  EXPECT(cg_regions_total(&total, &context) == CG_OK && together == alone);
  EXPECT(counting.asked == 1 && counting.live == 0);
  EXPECT(counting.bytes == cg_regions_total_arena_bytes(1, 3));
  counting.refused = 1;
  EXPECT(cg_regions_total(&total, &context) == CG_ERROR_ALLOCATION);
  cg_regions_pool_free(pool);

  /* An entry that needs no memory asks for none. */
  float copy = 0;
  context = context_of(&counting);
  counting.asked = 0;
  EXPECT(cg_regions_copy(&(cg_regions_copy_args){x + 3, &copy}, &context) ==
             CG_OK &&
         copy == 3 && counting.asked == 0);
  return failures != 0;
}
