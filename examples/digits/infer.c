/* Runs the exported classifier without Python: predictions, loss and gradient.

   infer DATA RESULTS reads images, one-hot labels and weights from DATA
   (float32, in this order, nothing between them) and writes logits, loss and
   gradients to RESULTS. */
#include <stdio.h>
#include <stdlib.h>

#include "digits.h"

#define COUNT(field) CG_DIGITS_VALUE_AND_GRAD_##field##_ELEMENTS
#define LOGITS CG_DIGITS_FORWARD_OUT0_ELEMENTS

static void stop_if(int failed, const char *message) {
  if (failed) {
    fprintf(stderr, "infer: %s\n", message);
    exit(1);
  }
}

static float *make(size_t count) {
  float *data = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  stop_if(!data, "out of memory");
  return data;
}

static float *take(FILE *file, size_t count) {
  float *data = make(count);
  stop_if(fread(data, sizeof(float), count, file) != count,
          "DATA is too short");
  return data;
}

static void put(FILE *file, const float *data, size_t count) {
  stop_if(fwrite(data, sizeof(float), count, file) != count,
          "cannot write RESULTS");
}

int main(int argc, char **argv) {
  stop_if(argc != 3, "usage: infer DATA RESULTS");
  stop_if(cg_digits_check_header() != CG_OK,
          cg_digits_status_message(CG_ERROR_HEADER));
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  stop_if(!in || !out, "cannot open DATA or RESULTS");

  cg_digits_value_and_grad_args g = {
      .images = take(in, COUNT(IMAGES)),
      .labels = take(in, COUNT(LABELS)),
      .hidden_weight = take(in, COUNT(HIDDEN_WEIGHT)),
      .hidden_bias = take(in, COUNT(HIDDEN_BIAS)),
      .out_weight = take(in, COUNT(OUT_WEIGHT)),
      .out_bias = take(in, COUNT(OUT_BIAS)),
      .value = make(COUNT(VALUE)),
      .grad_hidden_weight = make(COUNT(GRAD_HIDDEN_WEIGHT)),
      .grad_hidden_bias = make(COUNT(GRAD_HIDDEN_BIAS)),
      .grad_out_weight = make(COUNT(GRAD_OUT_WEIGHT)),
      .grad_out_bias = make(COUNT(GRAD_OUT_BIAS)),
  };
  cg_digits_forward_args f = {g.images,     g.hidden_weight, g.hidden_bias,
                              g.out_weight, g.out_bias,      make(LOGITS)};
  int32_t status = cg_digits_forward(&f, NULL);
  stop_if(status != CG_OK, cg_digits_status_message(status));
  status = cg_digits_value_and_grad(&g, NULL);
  stop_if(status != CG_OK, cg_digits_status_message(status));

  put(out, f.out0, LOGITS);
  put(out, g.value, COUNT(VALUE));
  put(out, g.grad_hidden_weight, COUNT(GRAD_HIDDEN_WEIGHT));
  put(out, g.grad_hidden_bias, COUNT(GRAD_HIDDEN_BIAS));
  put(out, g.grad_out_weight, COUNT(GRAD_OUT_WEIGHT));
  put(out, g.grad_out_bias, COUNT(GRAD_OUT_BIAS));
  stop_if(fclose(out) != 0, "cannot write RESULTS");
  printf("C: loss %.9g of %u images\n", (double)*g.value, LOGITS / 10);
  return 0;
}
