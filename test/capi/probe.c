// A model with probes tells the context's probe of its kernels, and says in its
// signature what each does. Without a probe, and without probes in the model,
// results are the same.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/probe.mlir -o %t/libtold.so --profile
// RUN: cellc %S/Inputs/probe.mlir -o %t/libplain.so
// RUN: %cc %strict -I%t %s -L%t -ltold -lplain -Wl,-rpath,%t -o %t/run
// RUN: %t/run | FileCheck %s
// RUN: llvm-nm -D --undefined-only %t/libtold.so | FileCheck %s --check-prefix=IMPORTS --allow-empty
// RUN: cellc %S/Inputs/probe.mlir -o %t/plain.o --emit=o
// RUN: llvm-objdump -d %t/plain.o | FileCheck %s --check-prefix=PLAIN

// IMPORTS-NOT: clock
// PLAIN-NOT: call{{.*}}probe

#include "plain.h"
#include "told.h"

#include <stdio.h>
#include <string.h>

struct log {
  int count;
  int kernels[16], begins[16];
};

static void probe(int32_t kernel, int32_t begins, void *user) {
  struct log *log = user;
  log->kernels[log->count] = kernel;
  log->begins[log->count++] = begins;
}

static float x[32 * 16], w[16 * 64], y[32 * 64], z[32 * 64];

int main(void) {
  for (int i = 0; i < 32 * 16; ++i)
    x[i] = (float)(i % 7) - 3;
  for (int i = 0; i < 16 * 64; ++i)
    w[i] = (float)(i % 5) - 2;
  struct log log = {0};
  cg_context context = {
      .struct_size = sizeof context, .probe = probe, .probe_user = &log};
  if (cg_told_product(&(cg_told_product_args){x, w, y}, &context) != CG_OK)
    return 1;
  // CHECK: 0 1, 0 0,
  for (int i = 0; i < log.count; ++i)
    printf("%d %d, ", log.kernels[i], log.begins[i]);
  printf("\n");

  // Numbers go on from entry to entry; a kernel in a loop is told of each time.
  log.count = 0;
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8];
  if (cg_told_loop(&(cg_told_loop_args){a, b}, &context) != CG_OK)
    return 1;
  // CHECK-NEXT: kernel [[LAST:[1-9]]]: 3 runs
  int last = log.kernels[log.count - 1], runs = 0;
  for (int i = 0; i < log.count; ++i)
    runs += log.kernels[i] == last && log.begins[i];
  printf("kernel %d: %d runs\n", last, runs);

  // A context that ends before the probe has none.
  log.count = 0;
  context.struct_size = (uint32_t)((char *)&context.probe - (char *)&context);
  if (cg_told_product(&(cg_told_product_args){x, w, z}, &context) != CG_OK ||
      log.count != 0 || memcmp(y, z, sizeof y) != 0)
    return 2;
  memset(z, 0, sizeof z);
  if (cg_told_product(&(cg_told_product_args){x, w, z}, NULL) != CG_OK ||
      memcmp(y, z, sizeof y) != 0)
    return 3;
  memset(z, 0, sizeof z);
  context.struct_size = sizeof context;
  if (cg_plain_product(&(cg_plain_product_args){x, w, z}, &context) != CG_OK ||
      log.count != 0 || memcmp(y, z, sizeof y) != 0)
    return 4;

  // (32 x 16 + 16 x 64 + 32 x 64) x 4 bytes, 2 x 32 x 64 x 16 operations.
  // CHECK-NEXT: "bytes":14336,"double":false,"estimate":{{[0-9]+}},"kernel":"product 32x64x16","operations":65536,
  // CHECK-SAME: "cell":"","file":"{{.*}}probe.mlir","line":3,"op":"matmul","phase":"forward"
  const char *signature = cg_told_signature();
  printf("%s\n", strstr(signature, "\"kernels\":"));
  return strstr(cg_plain_signature(), "kernels") != NULL;
}
