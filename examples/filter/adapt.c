/* Adapts the filter of main.py to samples: adapt SAMPLES TAPS.

   A row of SAMPLES holds the window of played samples and the sample heard;
   TAPS gets the filter after each row. No memory is allocated: the arena of the
   step is static. */

#include "echo.h"

#include <stdalign.h>
#include <stdio.h>

#define TAPS CG_ECHO_TRAIN_STEP_TAPS_ELEMENTS

static alignas(CG_ARENA_ALIGNMENT) char arena[CG_ECHO_TRAIN_STEP_ARENA_BYTES +
                                              CG_ARENA_ALIGNMENT];

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: adapt SAMPLES TAPS\n", stderr);
    return 2;
  }
  FILE *samples = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  if (!samples || !out) {
    perror("error");
    return 1;
  }
  float row[TAPS + 1], taps[TAPS] = {0}, rate = 0.005f, loss;
  int32_t steps = 0;
  cg_echo_train_step_args args = {.window = row,
                                  .heard = row + TAPS,
                                  .taps = taps,
                                  .global_step = &steps,
                                  .learning_rate = &rate,
                                  .loss = &loss};
  cg_context context = {.struct_size = sizeof context,
                        .arena = arena,
                        .arena_bytes = sizeof arena};
  while (fread(row, sizeof row, 1, samples) == 1) {
    int32_t status = cg_echo_train_step(&args, &context);
    if (status != CG_OK) {
      fprintf(stderr, "error: %s\n", cg_echo_status_message(status));
      return 1;
    }
    fwrite(taps, sizeof taps, 1, out);
  }
  fclose(samples);
  return fclose(out) != 0;
}
