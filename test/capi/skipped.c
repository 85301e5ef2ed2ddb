// A training step that leaves its update out returns CG_SKIPPED: no error, and
// the header says which result tells.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/skipped.mlir -o %t/libsgd.so --name=sgd
// RUN: FileCheck %S/Inputs/skipped.mlir < %t/sgd.h
// RUN: %cc %strict -I%t %s -L%t -lsgd -Wl,-rpath,%t -o %t/run
// RUN: %t/run

#include "sgd.h"

#include <math.h>
#include <string.h>

int main(void) {
  float w[2] = {1, 2}, g[2] = {.5f, .5f};
  cg_bool overflow = 7;
  cg_sgd_train_step_args args = {.w = w, .g = g, .overflow = &overflow};
  if (cg_sgd_train_step(&args, NULL) != CG_OK || overflow != 0 || w[0] != .5f)
    return 1;
  g[1] = INFINITY;
  if (cg_sgd_train_step(&args, NULL) != CG_SKIPPED || overflow != 1 ||
      w[0] != .5f || w[1] != 1.5f)
    return 2;
  if (!strstr(cg_sgd_status_message(CG_SKIPPED), "left out") || CG_SKIPPED > 0)
    return 3;
  args.overflow = NULL;
  return cg_sgd_train_step(&args, NULL) == CG_ERROR_NULL_ARGUMENT ? 0 : 4;
}
