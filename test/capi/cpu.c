// A model says when the processor lacks instructions it was compiled for, and
// asks the right questions: those of the C compiler's own library.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %S/Inputs/step.mlir -o %t/libstep.so --target=bdver4
// RUN: %cc %strict -I%root -c %root/runtime/cpu.c -o %t/cpu.o
// RUN: %cc %strict -I%root -I%t -c %s -o %t/main.o
// RUN: %cc %t/main.o %t/cpu.o -L%t -lstep -Wl,-rpath,%t -o %t/run
// RUN: %t/run

#include "step.h"

#include "runtime/runtime.h"

#include "runtime/cpu.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int bit, const char *name, int has) {
  if ((cell_rt_missing_features(UINT64_C(1) << bit) == 0) == !!has)
    return;
  printf("%s: expected %d\n", name, !!has);
  ++failures;
}

int main(void) {
  __builtin_cpu_init();
#define SAME(name, builtin)                                                    \
  if (strcmp(feature, name) == 0)                                              \
    expect(bit, name, __builtin_cpu_supports(builtin));
#define FEATURE(number, text, leaf, sub, reg, shift, state)                    \
  {                                                                            \
    const int bit = number;                                                    \
    const char *feature = text;                                                \
    SAME("sse3", "sse3")                                                       \
    SAME("ssse3", "ssse3")                                                     \
    SAME("sse4.1", "sse4.1")                                                   \
    SAME("sse4.2", "sse4.2")                                                   \
    SAME("popcnt", "popcnt")                                                   \
    SAME("avx", "avx")                                                         \
    SAME("avx2", "avx2")                                                       \
    SAME("fma", "fma")                                                         \
    SAME("bmi", "bmi")                                                         \
    SAME("bmi2", "bmi2")                                                       \
    SAME("sse4a", "sse4a")                                                     \
    SAME("xop", "xop")                                                         \
    SAME("fma4", "fma4")                                                       \
    SAME("avx512f", "avx512f")                                                 \
    SAME("avx512vl", "avx512vl")                                               \
    SAME("avx512bw", "avx512bw")                                               \
    SAME("avx512dq", "avx512dq")                                               \
    SAME("avx512cd", "avx512cd")                                               \
    SAME("avx512ifma", "avx512ifma")                                           \
    SAME("avx512vbmi", "avx512vbmi")                                           \
    SAME("avx512vbmi2", "avx512vbmi2")                                         \
    SAME("avx512vnni", "avx512vnni")                                           \
    SAME("avx512bitalg", "avx512bitalg")                                       \
    SAME("avx512vpopcntdq", "avx512vpopcntdq")                                 \
    SAME("gfni", "gfni")                                                       \
  }
  CELL_CPU_FEATURES(FEATURE)

  float x[CG_STEP_FORWARD_X_ELEMENTS] = {0};
  float w[CG_STEP_FORWARD_FC_WEIGHT_ELEMENTS] = {0};
  float y[CG_STEP_FORWARD_Y_ELEMENTS] = {0};
  cg_step_forward_args args = {x, w, y};
  int32_t wanted = __builtin_cpu_supports("xop") ? CG_OK : CG_ERROR_CPU;
  int32_t got = cg_step_forward(&args, NULL);
  if (got != wanted) {
    printf("%s\n", cg_step_status_message(got));
    ++failures;
  }
  return failures != 0;
}
