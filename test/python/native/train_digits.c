/* Trains the classifier of examples/digits, and runs it, without Python: on a
   CUDA device where DEVICE is defined, with the state in its memory.

   train_digits STEPS DATA RESULTS reads weights, one batch for each step and
   the images held out from DATA, and writes losses, weights and logits to
   RESULTS; all are float32, nothing between them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digits.h"

#define STEP(field) (CG_DIGITS_TRAIN_STEP_##field##_ELEMENTS * sizeof(float))
#define IMAGES (CG_DIGITS_FORWARD_IMAGES_ELEMENTS * sizeof(float))
#define LOGITS (CG_DIGITS_FORWARD_OUT0_ELEMENTS * sizeof(float))

static void stop_if(int failed, const char *message) {
  if (failed) {
    fprintf(stderr, "train_digits: %s\n", message);
    exit(1);
  }
}

static cg_context context = {.struct_size = sizeof(cg_context)};

#ifdef DEVICE
#define RUN(entry) entry##_device
static void *driver;
#define CALL(name, types, ...)                                                 \
  stop_if(((int(*) types)dlsym(driver, #name))(__VA_ARGS__) != 0, #name)

static void open_device(void) {
  char message[4096];
  driver = dlopen(getenv("CELLGRAD_CUDA_DRIVER"), RTLD_NOW);
  stop_if(!driver, "no driver");
  int32_t status = cg_digits_open(0, &context.cuda, message, sizeof message);
  stop_if(status != CG_OK, message);
  void *primary;
  CALL(cuDevicePrimaryCtxRetain, (void **, int), &primary, 0);
  CALL(cuCtxSetCurrent, (void *), primary);
}

static float *make(size_t bytes) {
  unsigned long long place;
  CALL(cuMemAlloc_v2, (unsigned long long *, size_t), &place, bytes);
  return (float *)place;
}

static void put(float *to, const float *from, size_t bytes) {
  CALL(cuMemcpyHtoD_v2, (unsigned long long, const void *, size_t),
       (unsigned long long)to, from, bytes);
}

static void get(float *to, const float *from, size_t bytes) {
  CALL(cuMemcpyDtoH_v2, (void *, unsigned long long, size_t), to,
       (unsigned long long)from, bytes);
}
#else
#define RUN(entry) entry
static void open_device(void) {}
static float *make(size_t bytes) {
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void put(float *to, const float *from, size_t bytes) {
  memcpy(to, from, bytes);
}
static void get(float *to, const float *from, size_t bytes) {
  memcpy(to, from, bytes);
}
#endif

static float *buffer; /* as large as the largest piece */

static void take(FILE *file, float *to, size_t bytes) {
  stop_if(fread(buffer, 1, bytes, file) != bytes, "DATA is too short");
  put(to, buffer, bytes);
}

static void write_out(FILE *file, const float *from, size_t bytes) {
  get(buffer, from, bytes);
  stop_if(fwrite(buffer, 1, bytes, file) != bytes, "cannot write RESULTS");
}

int main(int argc, char **argv) {
  stop_if(argc != 4, "usage: train_digits STEPS DATA RESULTS");
  stop_if(cg_digits_check_header() != CG_OK, "another header");
  FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
  stop_if(!in || !out, "cannot open DATA or RESULTS");
  open_device();
  const size_t sizes[4] = {STEP(HIDDEN_WEIGHT), STEP(HIDDEN_BIAS),
                           STEP(OUT_WEIGHT), STEP(OUT_BIAS)};
  buffer = malloc(IMAGES);
  float *state[8], *images = make(STEP(IMAGES)), *labels = make(STEP(LABELS));
  float *loss = make(STEP(OUT0));
  for (int i = 0; i < 4; ++i) {
    state[i] = make(sizes[i]);
    take(in, state[i], sizes[i]);
  }
  memset(buffer, 0, IMAGES);
  for (int i = 0; i < 4; ++i) {
    state[4 + i] = make(sizes[i]);
    put(state[4 + i], buffer, sizes[i]);
  }
  cg_digits_train_step_args step = {images,   labels,   state[0], state[1],
                                    state[2], state[3], state[4], state[5],
                                    state[6], state[7], loss};
  for (int i = 0; i < atoi(argv[1]); ++i) {
    take(in, images, STEP(IMAGES));
    take(in, labels, STEP(LABELS));
    int32_t status = RUN(cg_digits_train_step)(&step, &context);
    stop_if(status != CG_OK, cg_digits_status_message(status));
    write_out(out, loss, STEP(OUT0));
  }
  float *held_out = make(IMAGES), *logits = make(LOGITS);
  take(in, held_out, IMAGES);
  cg_digits_forward_args forward = {held_out, state[0], state[1],
                                    state[2], state[3], logits};
  int32_t status = RUN(cg_digits_forward)(&forward, &context);
  stop_if(status != CG_OK, cg_digits_status_message(status));
  for (int i = 0; i < 4; ++i)
    write_out(out, state[i], sizes[i]);
  write_out(out, logits, LOGITS);
  stop_if(fclose(out) != 0, "cannot write RESULTS");
#ifdef DEVICE
  cg_digits_close(context.cuda);
#endif
  return 0;
}
