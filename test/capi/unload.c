// A model is loaded, computes on its pool and is unloaded, many times: nothing
// is left of it.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/regions.mlir -o %t/regions.so
// RUN: %cc %strict -D_GNU_SOURCE -I%t -I%S %s -ldl -pthread -o %t/run
// RUN: %t/run %t/regions.so

#include "Inputs/count-threads.h"
#include "regions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      printf("line %d, time %d: not %s\n", __LINE__, time, #what);             \
      return 1;                                                                \
    }                                                                          \
  while (0)

int main(int argc, char **argv) {
  float x[CG_REGIONS_POLYNOMIAL_X_ELEMENTS],
      y[CG_REGIONS_POLYNOMIAL_X_ELEMENTS];
  for (int i = 0; i < (int)CG_REGIONS_POLYNOMIAL_X_ELEMENTS; ++i)
    x[i] = (float)i;
  for (int time = 0; time < 200; ++time) {
    EXPECT(argc == 2);
    void *model = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    EXPECT(model && hasThreads(1));
    cg_parallel *(*make)(int32_t);
    void (*end)(cg_parallel *);
    int32_t (*polynomial)(const cg_regions_polynomial_args *,
                          const cg_context *);
    *(void **)&make = dlsym(model, "cg_regions_pool_new");
    *(void **)&end = dlsym(model, "cg_regions_pool_free");
    *(void **)&polynomial = dlsym(model, "cg_regions_polynomial");
    cg_parallel *pool = make(4);
    cg_context context = {.struct_size = sizeof context, .parallel = pool};
    memset(y, 0, sizeof y);
    EXPECT(polynomial(&(cg_regions_polynomial_args){x, y}, &context) == CG_OK);
    for (int i = 0; i < (int)CG_REGIONS_POLYNOMIAL_X_ELEMENTS; ++i)
      EXPECT(y[i] == x[i] * x[i] + x[i]);
    EXPECT(hasThreads(4));
    end(pool);
    EXPECT(hasThreads(1));
    EXPECT(dlclose(model) == 0);
    EXPECT(!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD));
  }
  return 0;
}
