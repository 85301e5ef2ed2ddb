// A training step with dropout by one model, for each batch from 1 to 257: the
// loss and the gradient are those of double precision, the elements that stay
// are those of Threefry-2x32 as written here, and nothing else is written.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/any-batch-step.mlir -o %t/libany.so --name=any
// RUN: %cc %strict -I%t %s -L%t -lany -Wl,-rpath,%t -lm -o %t/run
// RUN: %t/run
// RUN: cellc %S/Inputs/any-batch-step.mlir -o %t/libany.so --name=any --target=x86-64-v2
// RUN: %t/run

#include "any.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = CG_ANY_STEP_MAX_BATCH, IN = 5, OUT = 3 };

static uint32_t rotated(uint32_t x, int count) {
  return x << count | x >> (32 - count);
}

/* Salmon et al., SC 2011; the exclusive or of both words of a block. */
static uint32_t threefry(const int32_t key[2], uint64_t counter) {
  static const int turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t k[3] = {(uint32_t)key[0], (uint32_t)key[1], 0};
  k[2] = k[0] ^ k[1] ^ 0x1BD11BDAu;
  uint32_t a = (uint32_t)(counter >> 32) + k[0], b = (uint32_t)counter + k[1];
  for (int round = 0; round < 20; ++round) {
    a += b;
    b = rotated(b, turns[round % 8]) ^ a;
    if (round % 4 == 3) {
      int s = round / 4 + 1;
      a += k[s % 3];
      b += k[(s + 1) % 3] + (uint32_t)s;
    }
  }
  return a ^ b;
}

static float x[MOST][IN], h[MOST + 1][OUT];

int main(void) {
  uint32_t state = 1;
  for (int i = 0; i < MOST * IN; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i / IN][i % IN] = (float)(state >> 8) / (1 << 23) - 1.0f;
  }
  int failures = 0;
  for (int n = 1; n <= MOST; ++n) {
    float w[IN][OUT], first[IN][OUT], loss = -1;
    int32_t key[2] = {n * 77, -n};
    for (int i = 0; i < IN * OUT; ++i)
      w[i / OUT][i % OUT] = first[i / OUT][i % OUT] = (float)(i % 7 - 3) / 4;
    memset(h, 0xA5, sizeof h);
    cg_any_step_args args = {
        .batch = n, .x = x[0], .w = w[0], .key = key, .loss = &loss, .h = h[0]};
    if (cg_any_step(&args, NULL) != CG_OK)
      return 2;
    double wanted = 0, slope[IN][OUT] = {{0}};
    for (int s = 0; s < n; ++s)
      for (int k = 0; k < OUT; ++k) {
        double y = 0;
        for (int i = 0; i < IN; ++i)
          y += (double)x[s][i] * first[i][k];
        int keeps = threefry(key, (uint64_t)(s * OUT + k)) >> 31;
        double t = keeps ? tanh(y) : 0;
        if ((h[s][k] != 0) != keeps || fabs(h[s][k] - t) > 1e-6) {
          printf("batch %d: sample %d is %g, not %g\n", n, s, h[s][k], t);
          ++failures;
        }
        wanted += t * t;
        for (int i = 0; i < IN; ++i)
          slope[i][k] += keeps ? 2 * t * (1 - t * t) * x[s][i] : 0;
      }
    static const unsigned char untouched[sizeof h[0]] = {
        0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5};
    if (memcmp(h[n], untouched, sizeof untouched) != 0 ||
        fabs(loss - wanted) > 1e-6 * (wanted + 1)) {
      printf("batch %d: the loss is %g, not %g\n", n, loss, wanted);
      ++failures;
    }
    for (int i = 0; i < IN * OUT; ++i) {
      double next = first[i / OUT][i % OUT] - slope[i / OUT][i % OUT] / 1024;
      if (fabs(w[i / OUT][i % OUT] - next) > 4e-7) {
        printf("batch %d: weight %d is %.9g, not %.9g\n", n, i,
               w[i / OUT][i % OUT], next);
        ++failures;
      }
    }
  }
  return failures != 0;
}
