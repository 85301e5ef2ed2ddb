/* Reads files of weights, one after the other, as the bytes that a test has
   damaged.

   cases CASES: 8 bytes of size and the file, repeated. A line for each: the
   status, and the words or the bytes of the weights. */
#include "two.h"
#include "two_weights.h"

#include <stdio.h>
#include <stdlib.h>

static void put(const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    printf("%02x", ((const unsigned char *)data)[i]);
}

int main(int argc, char **argv) {
  FILE *cases = argc == 2 ? fopen(argv[1], "rb") : NULL;
  uint64_t size;
  if (!cases)
    return 1;
  while (fread(&size, 8, 1, cases) == 1) {
    /* Memory of its own, so that a byte too many is seen. */
    void *bytes = malloc(size ? size : 1);
    char words[200];
    cgw_weights_two w;
    if (!bytes || fread(bytes, 1, size, cases) != size)
      return 1;
    int32_t status = cgw_read_two(&w, bytes, size, words, sizeof words);
    free(bytes);
    printf("%d ", status);
    if (status == CG_OK) {
      put(w.fc_weight, CG_TWO_FORWARD_FC_WEIGHT_ELEMENTS * sizeof(float));
      put(w.step, sizeof(int64_t));
      cgw_close_two(&w);
    } else {
      fputs(words, stdout);
    }
    puts("");
  }
  fclose(cases);
  return 0;
}
