// A CUDA driver without a device, to see what is called and what happens when a
// call fails. Programs of tests link it and tell the runtime to load it.
#pragma once
#include "runtime/cuda/driver.h"

typedef struct {
  // What a test sets.
  long fail_at;       // the call with this number fails, if not 0
  CUresult fail_with; // with this error
  int devices;        // that there are
  int chip;           // 90: sm_90
  int newest;         // text for later chips does not load
  int static_graphs;  // graphs cannot be updated
  int speechless;     // errors have no names
  // What it sees.
  long calls;
  char log[1 << 16]; // the names of the calls, each followed by a blank
  long contexts, modules, streams, events, memory, pinned, graphs, replays;
  unsigned shared; // of the last launch
} fake_state;

extern fake_state fake;

// As at the start; nothing may be open.
void fake_reset(void);
// Contexts, modules and whatever else is open now.
long fake_open(void);
// How often a function was called since the log was cleared.
int fake_count(const char *function);
// A context of the caller's, on a device. It counts as none that is open.
CUcontext fake_context(int device);
// What the thread has as current context, and how many are below it.
CUcontext fake_current(void);
int fake_depth(void);

// A module is the text "sm_80 name name ...", with names of these kernels:
//   axpy(float *y, const float *x, float a, uint32_t n)     y += a * x
//   check(int32_t *status, const float *x, uint32_t n, int32_t code)
//       stores code where x has a negative element and there is none yet
//   update(const int32_t *status, float *w, const float *g, uint32_t n)
//       w -= g where there is no code
//   halve(float *x, uint8_t *more)     x /= 2; more: whether it is above 1
//   fault()     reads what it may not
#define CELL_RT_DECLARE(name, types) CUresult name types;
CELL_RT_CUDA_FUNCTIONS(CELL_RT_DECLARE)
#undef CELL_RT_DECLARE
