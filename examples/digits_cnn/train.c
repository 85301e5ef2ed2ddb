/* Trains the network of main.py: train START LOSSES.

   START holds the number of steps, the state of the training step (Parameters,
   momenta, loss scale) and the batches; LOSSES gets the loss of each step. */

#include "digits_cnn.h"

#include <stdio.h>
#include <stdlib.h>

/* The state, in the order of the file: type, member of the arguments, macro of
 * its size. */
#define STATE(X)                                                               \
  X(float, features_0_weight, FEATURES_0_WEIGHT)                               \
  X(float, features_0_bias, FEATURES_0_BIAS)                                   \
  X(float, features_2_weight, FEATURES_2_WEIGHT)                               \
  X(float, features_2_bias, FEATURES_2_BIAS)                                   \
  X(float, features_5_weight, FEATURES_5_WEIGHT)                               \
  X(float, features_5_bias, FEATURES_5_BIAS)                                   \
  X(float, out_weight, OUT_WEIGHT)                                             \
  X(float, out_bias, OUT_BIAS)                                                 \
  X(float, moments_features_0_weight, MOMENTS_FEATURES_0_WEIGHT)               \
  X(float, moments_features_0_bias, MOMENTS_FEATURES_0_BIAS)                   \
  X(float, moments_features_2_weight, MOMENTS_FEATURES_2_WEIGHT)               \
  X(float, moments_features_2_bias, MOMENTS_FEATURES_2_BIAS)                   \
  X(float, moments_features_5_weight, MOMENTS_FEATURES_5_WEIGHT)               \
  X(float, moments_features_5_bias, MOMENTS_FEATURES_5_BIAS)                   \
  X(float, moments_out_weight, MOMENTS_OUT_WEIGHT)                             \
  X(float, moments_out_bias, MOMENTS_OUT_BIAS)                                 \
  X(float, momentum, MOMENTUM)                                                 \
  X(int32_t, global_step, GLOBAL_STEP)                                         \
  X(float, scale_sense, SCALE_SENSE)                                           \
  X(int32_t, current_iterator_step, CURRENT_ITERATOR_STEP)                     \
  X(int32_t, last_overflow_iterator_step, LAST_OVERFLOW_ITERATOR_STEP)

#define DECLARE(type, member, size)                                            \
  static type member[CG_DIGITS_CNN_STEP_##size##_ELEMENTS];
STATE(DECLARE)

static void read_or_die(void *to, size_t size, size_t count, FILE *file) {
  if (fread(to, size, count, file) != count) {
    fputs("error: the file is too short\n", stderr);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: train START LOSSES\n", stderr);
    return 2;
  }
  FILE *start = fopen(argv[1], "rb"), *losses = fopen(argv[2], "wb");
  if (!start || !losses) {
    perror("error");
    return 1;
  }
  int32_t steps;
  read_or_die(&steps, sizeof steps, 1, start);
#define READ(type, member, size)                                               \
  read_or_die(member, sizeof(type), sizeof member / sizeof(type), start);
  STATE(READ)

  /* All memory is ours: the step allocates nothing. */
  cg_context context = {.struct_size = sizeof context};
  context.arena_bytes = CG_DIGITS_CNN_STEP_ARENA_BYTES + CG_ARENA_ALIGNMENT;
  context.arena = aligned_alloc(CG_ARENA_ALIGNMENT,
                                (context.arena_bytes + CG_ARENA_ALIGNMENT - 1) /
                                    CG_ARENA_ALIGNMENT * CG_ARENA_ALIGNMENT);
  static float images[CG_DIGITS_CNN_STEP_X0_ELEMENTS];
  static int32_t labels[CG_DIGITS_CNN_STEP_X1_ELEMENTS];
  float loss, scale;
  cg_bool overflow;
#define MEMBER(type, member, size) .member = member,
  const cg_digits_cnn_step_args args = {.x0 = images,
                                        .x1 = labels,
                                        STATE(MEMBER).out0 = &loss,
                                        .out1 = &overflow,
                                        .out2 = &scale};

  int skipped = 0;
  for (int32_t i = 0; i < steps; ++i) {
    read_or_die(images, sizeof *images, CG_DIGITS_CNN_STEP_X0_ELEMENTS, start);
    read_or_die(labels, sizeof *labels, CG_DIGITS_CNN_STEP_X1_ELEMENTS, start);
    int32_t status = cg_digits_cnn_step(&args, &context);
    if (status != CG_OK) {
      fprintf(stderr, "error: %s\n", cg_digits_cnn_status_message(status));
      return 1;
    }
    skipped += overflow; /* the update was left out, and the scale has shrunk */
    fwrite(&loss, sizeof loss, 1, losses);
  }
  printf("C: %d steps, %d skipped, last loss %.6f, scale %g\n", (int)steps,
         skipped, loss, scale);
  free(context.arena);
  fclose(start);
  return fclose(losses) != 0;
}
