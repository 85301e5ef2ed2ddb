/*===- status.c - status codes in words -----------------------------------===*/

#include "runtime/runtime.h"

const char *cell_rt_status_message(int32_t status) {
  switch (status) {
  case CG_OK:
    return "success";
  case CG_SKIPPED:
    return "the update was left out: a gradient is not finite";
  case CG_ERROR_NULL_ARGUMENT:
    return "the argument struct or one of the buffers in it is NULL";
  case CG_ERROR_ALIGNMENT:
    return "a buffer is not aligned to the size of its elements";
  case CG_ERROR_CONTEXT:
    return "cg_context.struct_size is not that of a known version, or "
           "cg_context.flags has bits that this model does not know: set them "
           "to sizeof(cg_context) and 0; or cg_context.parallel is given and "
           "its struct_size, threads or run is not filled in";
  case CG_ERROR_ARENA:
    return "the arena in cg_context is smaller than the entry's ARENA_BYTES or "
           "not "
           "aligned to 64 bytes";
  case CG_ERROR_ALLOCATION:
    return "out of memory: the entry's arena, or what a loop keeps of every "
           "trip for its gradient, could not be allocated";
  case CG_ERROR_EXECUTION:
    return "the computation reported a failure";
  case CG_ERROR_CPU:
    return "this processor lacks instructions the model was compiled for: "
#if defined(__aarch64__)
           "compile it for target aarch64 or for this machine";
#elif defined(__riscv)
           "compile it for target riscv64 or for this machine";
#else
           "compile it for target x86-64-v2 or for this machine";
#endif
  case CG_ERROR_CANCELLED:
    return "the call was cancelled";
  case CG_ERROR_TRIP_LIMIT:
    return "loops made more trips than cg_context.max_trips allows: does one "
           "of them never end?";
  case CG_ERROR_STASH_LIMIT:
    return "what loops keep of every trip for their gradient takes more than "
           "cg_context.max_stash_bytes";
  case CG_ERROR_HEADER:
    return "the header the program was compiled with is not that of this "
           "model: "
           "compile the program again with the header written beside the model";
  case CG_ERROR_BATCH:
    return "the batch is below 1 or above the entry's MAX_BATCH";
  case CG_ERROR_WEIGHTS:
    return "the weights cannot be read, or are not those of this model";
  case CG_ERROR_COMM:
    return "a collective failed: another rank has ended, or the communicator "
           "reported an error, which cg_comm.message says";
  case CG_ERROR_COMM_MISMATCH:
    return "the ranks run different programs, or another number of ranks than "
           "the program is made for";
  case CG_ERROR_COMM_TIMEOUT:
    return "another rank did not come within the time limit of the "
           "communicator";
  case CG_ERROR_COMM_NO_GROUPS:
    return "the model has collectives of groups, or messages between two "
           "ranks, and the communicator does neither: its flags have no "
           "CG_COMM_GROUPS";
  default:
    return "unknown status code";
  }
}
