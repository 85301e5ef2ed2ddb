/* Trains the network of main.py: train START TRACE.

   START holds the number of steps, the state of the training step (Parameters,
   momenta, loss scale) and the batches; TRACE gets the loss and the scale of
   each step, then the state at the end. */

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
  static type member[CG_DIGITS_CNN_TRAIN_STEP_##size##_ELEMENTS];
STATE(DECLARE)

static void read_or_die(void *to, size_t size, size_t count, FILE *file) {
  if (fread(to, size, count, file) != count) {
    fputs("error: the file is too short\n", stderr);
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: train START TRACE\n", stderr);
    return 2;
  }
  FILE *start = fopen(argv[1], "rb"), *trace = fopen(argv[2], "wb");
  if (!start || !trace) {
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
  context.arena_bytes =
      CG_DIGITS_CNN_TRAIN_STEP_ARENA_BYTES + CG_ARENA_ALIGNMENT;
  context.arena = aligned_alloc(CG_ARENA_ALIGNMENT,
                                (context.arena_bytes + CG_ARENA_ALIGNMENT - 1) /
                                    CG_ARENA_ALIGNMENT * CG_ARENA_ALIGNMENT);
  static float images[CG_DIGITS_CNN_TRAIN_STEP_DATA_ELEMENTS];
  static int32_t labels[CG_DIGITS_CNN_TRAIN_STEP_LABEL_ELEMENTS];
  float loss, scale;
  cg_bool overflow;
#define MEMBER(type, member, size) .member = member,
  const cg_digits_cnn_train_step_args args = {.data = images,
                                              .label = labels,
                                              STATE(MEMBER).loss = &loss,
                                              .overflow = &overflow,
                                              .loss_scale = &scale};

  int skipped = 0;
  for (int32_t i = 0; i < steps; ++i) {
    read_or_die(images, sizeof *images, CG_DIGITS_CNN_TRAIN_STEP_DATA_ELEMENTS,
                start);
    read_or_die(labels, sizeof *labels, CG_DIGITS_CNN_TRAIN_STEP_LABEL_ELEMENTS,
                start);
    int32_t status = cg_digits_cnn_train_step(&args, &context);
    if (status > 0) {
      fprintf(stderr, "error: %s\n", cg_digits_cnn_status_message(status));
      return 1;
    }
    skipped += status == CG_SKIPPED; /* the scale alone was updated */
    fwrite(&loss, sizeof loss, 1, trace);
    fwrite(&scale, sizeof scale, 1, trace);
  }
#define WRITE(type, member, size) fwrite(member, 1, sizeof member, trace);
  STATE(WRITE)
  printf("C: %d steps, %d skipped, last loss %.6f, scale %g\n", (int)steps,
         skipped, loss, scale);
  free(context.arena);
  fclose(start);
  return fclose(trace) != 0;
}
