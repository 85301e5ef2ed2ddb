// Every mistake at the border is a status code with words, nothing is written,
// and no path leaks the arena.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/../emit/axpy.mlir -o %t/libaxpy.so
// RUN: %cc %strict -I%t %s -L%t -laxpy -Wl,-rpath,%t -o %t/run
// RUN: %t/run
// RUN: %cc %strict %asan -I%t %s -L%t -laxpy -Wl,-rpath,%t -o %t/checked
// RUN: %t/checked

#include "axpy.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int32_t got, int32_t wanted, const char *words) {
  const char *message = cg_axpy_status_message(got);
  if (got == wanted && strstr(message, words))
    return;
  printf("status %d (%s), expected %d (%s)\n", got, message, wanted, words);
  ++failures;
}

int main(void) {
  _Alignas(64) char arena[CG_AXPY_AXPY_ARENA_BYTES + 64];
  float a = 2, x[4] = {1, 2, 3, 4}, y[4] = {1, 1, 1, 1}, sum = -1;
  cg_axpy_axpy_args good = {&a, x, y, &sum}, args;

  expect(cg_axpy_axpy(NULL, NULL), CG_ERROR_NULL_ARGUMENT, "NULL");
  for (int i = 0; i < 4; ++i) {
    args = good;
    memset((char *)&args + i * sizeof(void *), 0, sizeof(void *));
    expect(cg_axpy_axpy(&args, NULL), CG_ERROR_NULL_ARGUMENT, "NULL");
  }
  args = good;
  args.x = (const float *)((const char *)x + 2);
  expect(cg_axpy_axpy(&args, NULL), CG_ERROR_ALIGNMENT, "not aligned");

  cg_context context = {0};
  expect(cg_axpy_axpy(&good, &context), CG_ERROR_CONTEXT, "struct_size");
  context.struct_size = sizeof context;
  for (int bit = 0; bit < 32; ++bit) {
    context.flags = UINT32_C(1) << bit;
    expect(cg_axpy_axpy(&good, &context), CG_ERROR_CONTEXT, "flags");
  }
  context.flags = 0;
  context.arena = arena;
  context.arena_bytes = CG_AXPY_AXPY_ARENA_BYTES - 1;
  expect(cg_axpy_axpy(&good, &context), CG_ERROR_ARENA, "smaller");
  context.arena = arena + 16;
  context.arena_bytes = CG_AXPY_AXPY_ARENA_BYTES;
  expect(cg_axpy_axpy(&good, &context), CG_ERROR_ARENA, "64 bytes");
  if (sum != -1 || y[3] != 1)
    ++failures;

  context.arena = arena;
  expect(cg_axpy_axpy(&good, &context), CG_OK, "success");
  if (sum != 24 || y[3] != 9)
    ++failures;
  expect(4711, 4711, "unknown");
  expect(CG_ERROR_ALLOCATION, CG_ERROR_ALLOCATION, "out of memory");
  expect(cg_axpy_check_header(), CG_OK, "success");
  expect(CG_ERROR_HEADER, CG_ERROR_HEADER, "header");
  if (cg_axpy_abi_version() != CELLGRAD_ABI_VERSION)
    ++failures;
  return failures != 0;
}
