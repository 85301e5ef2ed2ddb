// A call that fails leaves donated buffers as they were, ends at once and frees
// what it has taken: for every allocation of 30 training steps, every check,
// every limit, and where another thread or a print cancels it.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/iterate.mlir -o %t/libiterate.so
// RUN: %cc %strict -D_GNU_SOURCE -I%t %s -L%t -literate -Wl,-rpath,%t -pthread -o %t/run
// RUN: %t/run

#include "iterate.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 30, TRIPS = 20, LOOKS = 3 * TRIPS, KEPT = 64 * sizeof(float) };

static long allocations, refused = -1, live;

/* In place of the library's, also for the model. */
void *aligned_alloc(size_t alignment, size_t bytes) {
  void *memory = NULL;
  if (allocations++ == refused ||
      posix_memalign(&memory, alignment, bytes) != 0)
    return NULL;
  ++live;
  return memory;
}

void __libc_free(void *);
void free(void *memory) {
  if (memory)
    --live;
  __libc_free(memory);
}

struct state {
  float w[64], m[64];
  int32_t count;
};

static int failures, prints, cancel_at = -1;
static volatile int32_t cancel;

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      printf("line %d: not %s\n", __LINE__, #what);                            \
      ++failures;                                                              \
    }                                                                          \
  while (0)

static void count_prints(const cg_print_record *record, void *user) {
  (void)user;
  size_t length = strlen(record->text);
  if (length && record->text[length - 1] == '\n' && prints++ == cancel_at)
    cancel = 1;
}

static int32_t step(struct state *state, int32_t n, int32_t label,
                    cg_context *context) {
  float loss;
  cg_iterate_step_args args = {.w = state->w,
                               .m = state->m,
                               .count = &state->count,
                               .n = &n,
                               .label = &label,
                               .loss = &loss};
  allocations = prints = 0;
  long before = live;
  int32_t status = cg_iterate_step(&args, context);
  EXPECT(live == before);
  return status;
}

static cg_context fresh(void) {
  cg_context context = {.struct_size = sizeof context, .print = count_prints};
  return context;
}

/* Calls a step that fails with `status`, and leaves everything as it is. */
static void fails(const struct state *state, int32_t n, int32_t label,
                  cg_context *context, int32_t status) {
  struct state copy = *state;
  int32_t got = step(&copy, n, label, context);
  if (got != status)
    printf("status %d, not %d\n", got, status);
  EXPECT(got == status);
  EXPECT(memcmp(&copy, state, sizeof copy) == 0);
  cancel = 0;
}

static int questions;

static int32_t goes_on(void *left) { return --*(int *)left < 0; }

static void *cancel_soon(void *unused) {
  (void)unused;
  usleep(50000);
  cancel = 1;
  return NULL;
}

int main(void) {
  struct state state = {.count = 0};
  for (int i = 0; i < 64; ++i)
    state.w[i] = (float)(i - 32) / 16;
  uint64_t missing = 0;
  for (int i = 0; i < STEPS; ++i) {
    cg_context context = fresh();
    context.failed_bytes = &missing;
    struct state next = state;
    EXPECT(step(&next, TRIPS, 0, &context) == CG_OK);
    long needed = allocations;
    EXPECT(needed >= 5); /* arena, stash, and room for 8, 16 and 32 trips */
    EXPECT(prints == TRIPS);
    for (refused = 0; refused < needed; ++refused) {
      fails(&state, TRIPS, 0, &context, CG_ERROR_ALLOCATION);
      EXPECT(prints == (refused < 3 ? (refused == 2) : refused == 3 ? 9 : 17));
      EXPECT(refused < 2 || missing == (uint64_t)(8 << (refused - 2)) * KEPT);
    }
    refused = -1;
    fails(&state, TRIPS, -1, &context, CG_ERROR_CHECK);
    for (cancel_at = 0; cancel_at < TRIPS; ++cancel_at) {
      context.cancel = &cancel;
      fails(&state, TRIPS, 0, &context, CG_ERROR_CANCELLED);
      EXPECT(prints == cancel_at + 1);
    }
    cancel_at = -1;
    state = next;
  }
  EXPECT(state.count == STEPS);

  /* Limits: as many trips as there are pass, one less does not. */
  struct state next = state;
  cg_context context = fresh();
  context.max_trips = TRIPS;
  EXPECT(step(&next, TRIPS, 0, &context) == CG_OK);
  context.max_trips = TRIPS - 1;
  fails(&state, TRIPS, 0, &context, CG_ERROR_TRIP_LIMIT);
  EXPECT(prints == TRIPS - 1);
  context = fresh();
  context.failed_bytes = &missing;
  context.max_stash_bytes = (16 + 32) * KEPT; /* while it grows, both */
  EXPECT(step(&next, TRIPS, 0, &context) == CG_OK);
  context.max_stash_bytes -= 1;
  fails(&state, TRIPS, 0, &context, CG_ERROR_STASH_LIMIT);
  EXPECT(missing == 32 * KEPT && prints == 17);

  /* The flag is set, and who is asked lets the call go on a number of times:
     at every trip there and back, and after every print. */
  context = fresh();
  cancel = 1;
  context.cancel = &cancel;
  context.on_cancel = goes_on;
  context.on_cancel_user = &questions;
  for (int asked = 0; asked < LOOKS; ++asked) {
    questions = asked;
    cancel = 1;
    fails(&state, TRIPS, 0, &context, CG_ERROR_CANCELLED);
    EXPECT(questions == -1);
  }
  questions = LOOKS;
  cancel = 1;
  next = state;
  EXPECT(step(&next, TRIPS, 0, &context) == CG_OK);
  EXPECT(questions == 0 && next.count == STEPS + 1);
  cancel = 0;

  /* A context of the first version has none of that. */
  context = fresh();
  context.max_trips = 1;
  context.struct_size = 40;
  EXPECT(step(&next, TRIPS, 0, &context) == CG_OK);
  context.struct_size = 39;
  fails(&state, TRIPS, 0, &context, CG_ERROR_CONTEXT);

  /* A loop that would run for hours ends when another thread says so. */
  pthread_t thread;
  context = fresh();
  context.cancel = &cancel;
  EXPECT(pthread_create(&thread, NULL, cancel_soon, NULL) == 0);
  struct state copy = state;
  float loss;
  int32_t endless = INT32_MAX;
  cg_iterate_forward_args forward = {.w = copy.w, .n = &endless, .loss = &loss};
  EXPECT(cg_iterate_forward(&forward, &context) == CG_ERROR_CANCELLED);
  pthread_join(thread, NULL);

  EXPECT(strstr(cg_iterate_status_message(CG_ERROR_CANCELLED), "cancelled"));
  EXPECT(strstr(cg_iterate_status_message(CG_ERROR_TRIP_LIMIT), "max_trips"));
  EXPECT(strstr(cg_iterate_status_message(CG_ERROR_STASH_LIMIT),
                "max_stash_bytes"));
  return failures != 0;
}
