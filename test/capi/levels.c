// One model for three levels of x86-64: each level that this processor has is
// forced here and computes the bits of a model for it alone; the choice takes
// the first level of which nothing is lacking, and the last where there is
// none.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/regression.mlir -o %t/levels.ll --name=m --emit=ll,h --target=x86-64-v4,x86-64-v2,x86-64-v3
// RUN: cellc %S/Inputs/regression.mlir -o %t/v2.so --name=m --emit=so --target=x86-64-v2
// RUN: cellc %S/Inputs/regression.mlir -o %t/v3.so --name=m --emit=so --target=x86-64-v3
// RUN: cellc %S/Inputs/regression.mlir -o %t/v4.so --name=m --emit=so --target=x86-64-v4
// RUN: %cxx -Wno-override-module -O2 -c %t/levels.ll -o %t/levels.o
// RUN: %cxx -x c -std=c11 -O1 -Dcell_rt_level=real_level -I%root -c %runtime/cpu.c -o %t/cpu.o
// RUN: %cxx -x c -std=c11 -D_GNU_SOURCE -O1 -I%root -include %t/levels.h %s %runtime/pool.c %runtime/processors.c %runtime/call.c %runtime/memory.c %runtime/status.c %runtime/stash.c -x none %t/levels.o %t/cpu.o -pthread -lm -ldl -o %t/run
// RUN: %t/run %t/v4.so %t/v3.so %t/v2.so | FileCheck %s
// CHECK-DAG: level 2 has the bits of {{.*}}v2.so
// RUN: %t/run choose 0 | FileCheck %s --check-prefix=FIRST
// RUN: %t/run choose 1 | FileCheck %s --check-prefix=SECOND
// RUN: %t/run choose 2 | FileCheck %s --check-prefix=NONE
// RUN: %t/run choose 3 | FileCheck %s --check-prefix=LAST
// FIRST: chosen 0, then 0
// SECOND: chosen 1, then 1
// NONE: chosen 2, then 2
// LAST: chosen 2, then 2

#include "runtime/runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t real_level(const uint64_t *levels, int32_t count);

static int32_t forced;
static uint64_t known[3];

/* In place of the runtime's: what the model passes is the levels' features, the
   most demanding first. */
int32_t cell_rt_level(const uint64_t *levels, int32_t count) {
  if (count != 3)
    abort();
  memcpy(known, levels, sizeof known);
  return forced;
}

typedef int32_t (*entry)(const cg_m_loss_args *, const cg_context *);

static float x[CG_M_LOSS_X_ELEMENTS], w[CG_M_LOSS_W_ELEMENTS];
static float y[CG_M_LOSS_Y_ELEMENTS], wanted[CG_M_LOSS_Y_ELEMENTS];

int main(int argc, char **argv) {
  if (argc == 3) {
    /* Bits that no processor has, and none: what comes first with all of it. */
    const uint64_t lacks = cell_rt_missing_features(~UINT64_C(0));
    const uint64_t some = lacks & -lacks;
    const uint64_t cases[4][3] = {
        {0, some, 0}, {some, 0, 0}, {some, some, 0}, {some, some, some}};
    const uint64_t *levels = cases[atoi(argv[2])];
    int32_t first = some ? real_level(levels, 3) : -1;
    printf("chosen %d, then %d\n", first, real_level(levels, 3));
    return 0;
  }
  for (int i = 0; i < (int)CG_M_LOSS_X_ELEMENTS; ++i)
    x[i] = (float)(i * 37 % 101 - 50) / 64;
  for (int i = 0; i < (int)CG_M_LOSS_W_ELEMENTS; ++i)
    w[i] = (float)(i * 53 % 97 - 48) / 64;
  for (forced = 0; forced < 3; ++forced) {
    void *alone = dlopen(argv[1 + forced], RTLD_NOW | RTLD_LOCAL);
    entry loss = alone ? (entry)dlsym(alone, "cg_m_loss") : NULL;
    if (!loss)
      return 2;
    memset(y, 0, sizeof y);
    memset(wanted, 1, sizeof wanted);
    int32_t other = loss(&(cg_m_loss_args){x, w, wanted}, NULL);
    int has = 1;
    if (forced > 0 || known[0])
      has = cell_rt_missing_features(known[forced]) == 0;
    else
      has = other == CG_OK;
    if ((other == CG_OK) != has)
      return 3;
    if (!has)
      continue;
    if (cg_m_loss(&(cg_m_loss_args){x, w, y}, NULL) != CG_OK ||
        memcmp(y, wanted, sizeof y) != 0) {
      printf("level %d differs from %s\n", forced, argv[1 + forced]);
      return 4;
    }
    printf("level %d has the bits of %s\n", forced, argv[1 + forced]);
  }
  /* The most demanding first: each has all that the next asks for. */
  return (known[1] & ~known[0]) || (known[2] & ~known[1]) ||
                 known[0] == known[1]
             ? 5
             : 0;
}
