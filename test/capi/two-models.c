// Two models, and two versions of one model, live in one process: their headers
// go together, and each calls its own code however it was loaded.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so
// RUN: cellc %S/../emit/axpy.mlir -o %t/libaxpy.so
// RUN: sed 's/cell.sub/cell.add/' %S/Inputs/step.mlir > %t/newer.mlir
// RUN: cellc %t/newer.mlir -o %t/newer.so --name=step --emit=so
// RUN: %cc %strict -I%t %s -L%t -lstep -laxpy -Wl,-rpath,%t -o %t/run
// RUN: %t/run %t/newer.so
// RUN: cellc %S/Inputs/step.mlir -o %t/step.o --emit=o
// RUN: cellc %S/../emit/axpy.mlir -o %t/axpy.o --emit=o
// RUN: %cc -std=c11 -I%t %s %t/step.o %t/axpy.o -lm -o %t/static
// RUN: %t/static %t/newer.so

#include "axpy.h"
#include "step.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int32_t (*step_fn)(const cg_step_step_args *, const cg_context *);
typedef const char *(*signature_fn)(void);

int main(int argc, char **argv) {
  double w[6] = {1, 2, 3, 4, 5, 6}, g[6] = {1, 1, 1, 1, 1, 1}, old[6];
  cg_step_step_args step = {w, g, old};
  float a = 2, x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 1}, sum;
  cg_axpy_axpy_args axpy = {&a, x, y, &sum};
  if (argc != 2 || cg_step_step(&step, NULL) || cg_axpy_axpy(&axpy, NULL))
    return 1;
  if (w[5] != 5 || sum != 24)
    return 2;

  // RTLD_GLOBAL invites the new symbols to bind to the old ones.
  void *newer = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (!newer)
    return 3;
  step_fn add;
  signature_fn signature;
  *(void **)&add = dlsym(newer, "cg_step_step");
  *(void **)&signature = dlsym(newer, "cg_step_signature");
  if (add(&step, NULL) || w[5] != 6 || cg_step_step(&step, NULL) || w[5] != 5)
    return 4;
  if (!strstr(signature(), "\"name\":\"step\"") ||
      signature() == cg_step_signature())
    return 5;
  return dlclose(newer);
}
