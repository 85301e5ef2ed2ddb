/* Stands between train.c and the step (ld's --wrap), and counts what the step
   does from the second one on. With LEND=0 in the environment the step gets no
   arena. */

#include "digits_cnn.h"

#include <stdio.h>
#include <stdlib.h>

void count_start(void);
void count_stop(void);
void count_read(long out[3]);

/* To the linker the step is "cg_digits_cnn.train_step". */
int32_t
real_step(const cg_digits_cnn_train_step_args *args,
          const cg_context *context) __asm__("__real_cg_digits_cnn.train_step");

int32_t wrapped_step(
    const cg_digits_cnn_train_step_args *args,
    const cg_context *context) __asm__("__wrap_cg_digits_cnn.train_step");

int32_t wrapped_step(const cg_digits_cnn_train_step_args *args,
                     const cg_context *context) {
  static int calls;
  const char *lend = getenv("LEND");
  if (lend && *lend == '0')
    context = NULL;
  if (calls++ > 0)
    count_start();
  int32_t status = real_step(args, context);
  count_stop();
  return status;
}

__attribute__((destructor)) static void report(void) {
  long counts[3];
  count_read(counts);
  printf("allocations %ld, copies %ld\n", counts[0], counts[2]);
}
