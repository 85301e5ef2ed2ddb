// A donated argument is updated in place: it has one pointer in the struct, and
// other results still see its old value.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so
// RUN: %cc %strict -I%t %s -L%t -lstep -Wl,-rpath,%t -o %t/run
// RUN: %t/run

#include "step.h"

#include <stddef.h>

int main(void) {
  double w[6] = {1, 2, 3, 4, 5, 6}, g[6] = {.5, .5, .5, .5, .5, .5}, old[6];
  cg_step_step_args args = {.fc_weight = w, .gradient = g, .old = old};
  if (sizeof args != 3 * sizeof(void *))
    return 1;
  for (int step = 1; step <= 3; ++step) {
    if (cg_step_step(&args, NULL) != CG_OK)
      return 2;
    for (int i = 0; i < 6; ++i)
      if (w[i] != i + 1 - .5 * step || old[i] != 2 * (w[i] + .5) || g[i] != .5)
        return 3;
  }
  return 0;
}
