/*===- launch.c - kernels are enqueued ------------------------------------===*/

#include "runtime/cuda/handle.h"

void cell_rt_cuda_launched(struct cell_rt_cuda_call *call, int32_t kernel) {
  if (call->cuda->first == kNoKernel)
    call->cuda->first = kernel;
  call->pending = 1;
}

int32_t cell_rt_cuda_launch(struct cell_rt_cuda_call *call, uint32_t kernel,
                            const uint32_t grid[3], const uint32_t block[3],
                            uint32_t shared, void **arguments) {
  cg_cuda *cuda = call->cuda;
  const struct cell_rt_cuda_driver *d = &cuda->driver;
  if (!grid[0] || !grid[1] || !grid[2])
    return CG_OK;
  CUresult result = d->cuLaunchKernel(cuda->functions[kernel], grid[0], grid[1],
                                      grid[2], block[0], block[1], block[2],
                                      shared, streamOf(call), arguments, 0);
  if (result != CUDA_SUCCESS)
    return cell_rt_cuda_failed(cuda, result, "launch", (int32_t)kernel);
  cell_rt_cuda_launched(call, (int32_t)kernel);
  if (!cuda->wait || call->capturing)
    return CG_OK;
  result = d->cuStreamSynchronize(streamOf(call));
  if (result != CUDA_SUCCESS)
    return cell_rt_cuda_failed(cuda, result, "execution", (int32_t)kernel);
  return CG_OK;
}
