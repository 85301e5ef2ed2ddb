/*===- driver.h - what is used of the CUDA driver's interface ---------------===
 *
 * Declared here, so that neither the compiler nor a model needs CUDA to be
 * built, and looked up when a device is opened. Names with a suffix are those
 * that the driver's library exports; all are there since CUDA 12.0.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_CUDA_DRIVER_H
#define CELLGRAD_RUNTIME_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;

typedef struct CUgraphExecUpdateResultInfo {
  int result;
  CUgraphNode errorNode, errorFromNode;
} CUgraphExecUpdateResultInfo;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  /* What work that was enqueued earlier may report. */
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714, /* up to the next: kinds of faults */
  CUDA_ERROR_LAUNCH_FAILED = 719
};

enum {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_STREAM_NON_BLOCKING = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_EVENT_DISABLE_TIMING = 2
};

/* X(name, types of the arguments) of every function; all return a CUresult. */
#define CELL_RT_CUDA_FUNCTIONS(X)                                              \
  X(cuInit, (unsigned))                                                        \
  X(cuDriverGetVersion, (int *))                                               \
  X(cuGetErrorName, (CUresult, const char **))                                 \
  X(cuGetErrorString, (CUresult, const char **))                               \
  X(cuDeviceGetCount, (int *))                                                 \
  X(cuDeviceGet, (CUdevice *, int))                                            \
  X(cuDeviceGetName, (char *, int, CUdevice))                                  \
  X(cuDeviceGetAttribute, (int *, int, CUdevice))                              \
  X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                         \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                  \
  X(cuCtxGetCurrent, (CUcontext *))                                            \
  X(cuCtxGetDevice, (CUdevice *))                                              \
  X(cuCtxPushCurrent_v2, (CUcontext))                                          \
  X(cuCtxPopCurrent_v2, (CUcontext *))                                         \
  X(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **))  \
  X(cuModuleUnload, (CUmodule))                                                \
  X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *))               \
  X(cuFuncSetAttribute, (CUfunction, int, int))                                \
  X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                    \
  X(cuMemFree_v2, (CUdeviceptr))                                               \
  X(cuMemAllocAsync, (CUdeviceptr *, size_t, CUstream))                        \
  X(cuMemFreeAsync, (CUdeviceptr, CUstream))                                   \
  X(cuMemAllocHost_v2, (void **, size_t))                                      \
  X(cuMemFreeHost, (void *))                                                   \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))       \
  X(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))             \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))        \
  X(cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))           \
  X(cuMemsetD16Async, (CUdeviceptr, unsigned short, size_t, CUstream))         \
  X(cuMemsetD32Async, (CUdeviceptr, unsigned, size_t, CUstream))               \
  X(cuStreamCreate, (CUstream *, unsigned))                                    \
  X(cuStreamDestroy_v2, (CUstream))                                            \
  X(cuStreamSynchronize, (CUstream))                                           \
  X(cuStreamWaitEvent, (CUstream, CUevent, unsigned))                          \
  X(cuStreamIsCapturing, (CUstream, int *))                                    \
  X(cuStreamBeginCapture_v2, (CUstream, int))                                  \
  X(cuStreamEndCapture, (CUstream, CUgraph *))                                 \
  X(cuEventCreate, (CUevent *, unsigned))                                      \
  X(cuEventDestroy_v2, (CUevent))                                              \
  X(cuEventRecord, (CUevent, CUstream))                                        \
  X(cuEventSynchronize, (CUevent))                                             \
  X(cuLaunchKernel,                                                            \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  X(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long)) \
  X(cuGraphExecUpdate_v2,                                                      \
    (CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *))                     \
  X(cuGraphLaunch, (CUgraphExec, CUstream))                                    \
  X(cuGraphDestroy, (CUgraph))                                                 \
  X(cuGraphExecDestroy, (CUgraphExec))

struct cell_rt_cuda_driver {
  void *library;
#define CELL_RT_MEMBER(name, types) CUresult(*name) types;
  CELL_RT_CUDA_FUNCTIONS(CELL_RT_MEMBER)
#undef CELL_RT_MEMBER
};

/* Loads the library that CELLGRAD_CUDA_DRIVER names, else libcuda.so.1, and
   looks the functions up. CG_OK, or CG_ERROR_NO_DEVICE and, in the `size` bytes
   of `message`, what is missing; nothing stays loaded then. */
int32_t cell_rt_cuda_load_driver(struct cell_rt_cuda_driver *driver,
                                 char *message, size_t size);

/* A device of the machine. */
struct cell_rt_cuda_device {
  CUdevice device;
  char name[128];
  uint32_t chip; /* 10 * major + minor version */
};

/* Starts CUDA and finds a device by its number. CG_OK, or CG_ERROR_NO_DEVICE,
   CG_ERROR_DEVICE or CG_ERROR_ALLOCATION and, in the `size` bytes of `message`,
   why not. */
int32_t cell_rt_cuda_find_device(const struct cell_rt_cuda_driver *driver,
                                 int32_t number,
                                 struct cell_rt_cuda_device *found,
                                 char *message, size_t size);

/* The driver's name and words for what it returned. */
void cell_rt_cuda_words(const struct cell_rt_cuda_driver *driver,
                        CUresult result, const char **name, const char **words);

/* The library stays in the process, where threads of its own may run. */
void cell_rt_cuda_unload_driver(struct cell_rt_cuda_driver *driver);

#endif
