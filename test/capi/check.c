// A check that fails is a status of its own with words and a line; donated
// memory is as it was, and nothing leaks.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/check.mlir -o %t/libtable.so --name=table
// RUN: %cc %strict %asan -I%t %s -L%t -ltable -Wl,-rpath,%t -o %t/run
// RUN: %t/run

#include "table.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int32_t first, int32_t status, const char *words,
                   float sum) {
  float w[8] = {0}, u[6] = {1, 1, 1, 1, 1, 1}, old[6];
  int32_t i[3] = {first, 1, 1};
  cg_table_update_args args = {w, i, u, old};
  int32_t got = cg_table_update(&args, NULL);
  float total = 0;
  for (int k = 0; k < 8; ++k)
    total += w[k];
  if (got == status && strcmp(cg_table_status_message(got), words) == 0 &&
      total == sum)
    return;
  printf("index %d: status %d (%s), sum %g\n", first, got,
         cg_table_status_message(got), total);
  ++failures;
}

int main(void) {
  expect(3, CG_OK, "success", 6);
  expect(-1, CG_ERROR_CHECK, "an index is negative (table.py:12)", 0);
  expect(4, CG_ERROR_CHECK + 1, "an index is not below 4 (table.py:13)", 0);
  if (!strstr(cg_table_status_message(CG_ERROR_CHECK + 2), "unknown"))
    ++failures;
  return failures;
}
