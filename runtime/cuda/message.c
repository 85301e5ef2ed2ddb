/*===- message.c - errors of the driver in words
 * ----------------------------===*/

#include "runtime/cuda/handle.h"
#include "runtime/runtime.h"

#include <stdio.h>

/* Whether an error is of something enqueued earlier than what returned it. */
static int isLate(CUresult result) {
  return result == CUDA_ERROR_ECC_UNCORRECTABLE ||
         result == CUDA_ERROR_NVLINK_UNCORRECTABLE ||
         result == CUDA_ERROR_ILLEGAL_ADDRESS ||
         result == CUDA_ERROR_LAUNCH_TIMEOUT || result == CUDA_ERROR_ASSERT ||
         (result >= CUDA_ERROR_HARDWARE_STACK_ERROR &&
          result <= CUDA_ERROR_LAUNCH_FAILED);
}

/* `kernel "name" (place)` */
static void describe(const cg_cuda *cuda, int32_t kernel, char *text,
                     size_t size) {
  const struct cell_rt_cuda_kernel *k = &cuda->program->kernels[kernel];
  if (k->place && *k->place)
    snprintf(text, size, "kernel \"%s\" (%s)", k->name, k->place);
  else
    snprintf(text, size, "kernel \"%s\"", k->name);
}

int32_t cell_rt_cuda_failed(cg_cuda *cuda, CUresult result, const char *what,
                            int32_t kernel) {
  const char *name, *words;
  char where[512] = "", since[512] = "";
  cell_rt_cuda_words(&cuda->driver, result, &name, &words);
  if (kernel != kNoKernel)
    describe(cuda, kernel, where, sizeof where);
  if (isLate(result) && !cuda->wait && cuda->first != kNoKernel)
    describe(cuda, cuda->first, since, sizeof since);
  snprintf(cuda->message, sizeof cuda->message, "%s%s%s: %s (%s, %d)%s%s%s",
           what, *where ? " of " : "", where, words, name, result,
           *since ? "; this is an error of a kernel since the last wait: " : "",
           since,
           *since
               ? " or a later one. CELLGRAD_CUDA_SYNC=1 waits after each and "
                 "names the one"
               : "");
  return result == CUDA_ERROR_OUT_OF_MEMORY ? CG_ERROR_ALLOCATION
                                            : CG_ERROR_DEVICE;
}

const char *cell_rt_cuda_status_message(int32_t status) {
  switch (status) {
  case CG_ERROR_CONTEXT:
    return "cg_context.cuda is not a device that was opened for this model; or "
           "cg_context.struct_size is not that of a known version, or "
           "cg_context.flags has bits that this model does not know: set them "
           "to sizeof(cg_context) and 0";
  case CG_ERROR_ARENA:
    return "the arena in cg_context is smaller than the entry's ARENA_BYTES or "
           "not aligned to 256 bytes";
  case CG_ERROR_DEVICE:
    return "the CUDA device or its driver reported an error, in this call or "
           "in one before that was not waited for: cg_context.cuda keeps its "
           "words";
  case CG_ERROR_NO_DEVICE:
    return "there is no CUDA driver, no device of that number, or the model "
           "has no code for its chip";
  case CG_ERROR_BUSY:
    return "another thread is in a call with cg_context.cuda: open the device "
           "once for each thread, or call in turn";
  default:
    return cell_rt_status_message(status);
  }
}

const char *cell_rt_cuda_message(const cg_cuda *cuda) {
  return cuda ? cuda->message : "";
}
