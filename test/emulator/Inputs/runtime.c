// A program of the runtime with PTX in it: w -= 2 * x from host pointers. Calls
// after the second replay a graph; an access out of bounds has the kernel's
// line.
#include "runtime/cuda/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what)                                                           \
  do                                                                           \
    if (!(what)) {                                                             \
      fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                   \
      exit(1);                                                                 \
    }                                                                          \
  while (0)

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry update(.param .u64 w, .param .u64 x, .param .u32 n) {\n"
    ".reg .b32 %t, %n, %a, %b; .reg .b64 %p, %at; .reg .pred %q;\n"
    "mov.u32 %t, %tid.x;\n"
    "ld.param.u32 %n, [n];\n"
    "setp.ge.u32 %q, %t, %n;\n"
    "@%q exit;\n"
    "ld.param.u64 %p, [x];\n"
    "mad.wide.u32 %at, %t, 4, %p;\n"
    "ld.global.f32 %a, [%at];\n"
    "ld.param.u64 %p, [w];\n"
    "mad.wide.u32 %at, %t, 4, %p;\n"
    "ld.global.f32 %b, [%at];\n"
    "fma.rn.f32 %b, %a, 0fC0000000, %b;\n"
    "st.global.f32 [%at], %b;\n"
    "}\n";

static const struct cell_rt_cuda_kernel kernels[] = {
    {"update", "net.py:9", 0, 0}};
static const struct cell_rt_cuda_image images[] = {
    {text, sizeof text - 1, 80, CELL_RT_CUDA_PTX}};
static const struct cell_rt_cuda_program program = {images, kernels, 1,
                                                    1,      1,       0};
enum { N = 4, ARENA = 512 };
static uint32_t count = N;

static int32_t list(struct cell_rt_cuda_call *call, const uint64_t *words) {
  static const uint32_t one[3] = {1, 1, 1}, warps[3] = {512, 1, 1};
  uint64_t w = words[0], x = words[1];
  return cell_rt_cuda_launch(call, 0, one, warps, 0,
                             (void *[]){&w, &x, &count});
}

static int32_t step(cg_cuda *cuda, float *w, const float *x) {
  cg_context context = {.struct_size = sizeof context, .cuda = cuda};
  struct cell_rt_cuda_call call;
  int32_t status = cell_rt_cuda_enter(&context, &program, ARENA, &call);
  if (status != CG_OK)
    return status;
  const uint64_t words[] = {call.arena, call.arena + 256};
  status = cell_rt_cuda_upload(&call, words[0], w, N * sizeof *w);
  if (status == CG_OK)
    status = cell_rt_cuda_upload(&call, words[1], x, N * sizeof *x);
  if (status == CG_OK)
    status = cell_rt_cuda_run(&call, 0, list, words, 2);
  if (status == CG_OK)
    status = cell_rt_cuda_finish(&call);
  if (status == CG_OK)
    status = cell_rt_cuda_download(&call, w, words[0], N * sizeof *w);
  if (status == CG_OK)
    status = cell_rt_cuda_finish(&call);
  return cell_rt_cuda_leave(&call, status);
}

int main(int argc, char **argv) {
  (void)argc;
  setenv("CELLGRAD_CUDA_DRIVER", argv[1], 1);
  char message[256] = "";
  cg_cuda *cuda = NULL;
  int32_t status =
      cell_rt_cuda_open(&program, 0, &cuda, message, sizeof message);
  if (status != CG_OK)
    fprintf(stderr, "%s\n", message);
  EXPECT(status == CG_OK);
  float w[N] = {10, 20, 30, 40};
  const float x[N] = {1, 2, 3, 0.5f};
  for (int calls = 1; calls <= 5; ++calls) {
    EXPECT(step(cuda, w, x) == CG_OK);
    EXPECT(w[0] == 10 - 2 * calls && w[3] == 40 - calls);
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
  uint64_t (*counter)(const char *) =
      (uint64_t (*)(const char *))dlsym(library, "cellEmuCounter");
  EXPECT(counter("launches") == 5 && counter("graph_launches") == 3);
  EXPECT(counter("bytes_stored") == 5 * sizeof w);
  EXPECT(counter("copies_of_unwritten") == 0);
  cell_rt_cuda_close(cuda);
  // 512 words from the arena's start are more than it has.
  EXPECT(cell_rt_cuda_open(&program, 0, &cuda, message, sizeof message) ==
         CG_OK);
  count = 512;
  EXPECT(step(cuda, w, x) == CG_ERROR_DEVICE);
  const char *words = cell_rt_cuda_message(cuda);
  if (!strstr(words, "update, line") || !strstr(words, "net.py:9"))
    fprintf(stderr, "%s\n", words);
  EXPECT(strstr(words, "update, line") && strstr(words, "net.py:9"));
  cell_rt_cuda_close(cuda);
  return 0;
}
