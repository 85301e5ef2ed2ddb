/* Trains the classifier of examples/digits with the generated loader of
   weights.

   train WEIGHTS DATA RESULTS: DATA has images and labels of each step, RESULTS
   gets the losses and then the weights; "-" are the weights inside the model.
 */
#include "digits.h"
#include "digits_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(field) CG_DIGITS_TRAIN_STEP_##field##_ELEMENTS

static float images[COUNT(IMAGES)], labels[COUNT(LABELS)];

static void stop_if(int failed, const char *message) {
  if (failed) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
}

int main(int argc, char **argv) {
  char words[512];
  cgw_weights_digits w;
  stop_if(argc != 4, "usage: train WEIGHTS DATA RESULTS");
  stop_if(cg_digits_check_header() != CG_OK, "another header");
#ifdef EMBEDDED
  int32_t status = cgw_embedded_digits(&w, words, sizeof words);
#else
  int32_t status = cgw_open_digits(&w, argv[1], words, sizeof words);
#endif
  stop_if(status != CG_OK, words);
  FILE *data = fopen(argv[2], "rb"), *results = fopen(argv[3], "wb");
  stop_if(!data || !results, "cannot open DATA or RESULTS");
  while (fread(images, sizeof images, 1, data) == 1) {
    float loss;
    stop_if(fread(labels, sizeof labels, 1, data) != 1, "DATA is too short");
    cg_digits_train_step_args args = {
        .images = images,
        .labels = labels,
        .hidden_weight = w.hidden_weight,
        .hidden_bias = w.hidden_bias,
        .out_weight = w.out_weight,
        .out_bias = w.out_bias,
        .velocity_hidden_weight = w.velocity_hidden_weight,
        .velocity_hidden_bias = w.velocity_hidden_bias,
        .velocity_out_weight = w.velocity_out_weight,
        .velocity_out_bias = w.velocity_out_bias,
        .out0 = &loss,
    };
    status = cg_digits_train_step(&args, NULL);
    stop_if(status != CG_OK, cg_digits_status_message(status));
    fwrite(&loss, sizeof loss, 1, results);
  }
  fwrite(w.hidden_weight, 4, COUNT(HIDDEN_WEIGHT), results);
  fwrite(w.hidden_bias, 4, COUNT(HIDDEN_BIAS), results);
  fwrite(w.out_weight, 4, COUNT(OUT_WEIGHT), results);
  fwrite(w.out_bias, 4, COUNT(OUT_BIAS), results);
  cgw_close_digits(&w);
  fclose(data);
  return fclose(results);
}
