/*===- driver.c - the CUDA driver, found at run time ----------------------===*/

#define _GNU_SOURCE 1
#include "runtime/cuda/driver.h"
#include "runtime/cellgrad_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc before 2.34 has them in libdl, which a program may not have loaded: a
   model loads all the same. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dlerror

#define NAME(name, types) #name,
static const char *const names[] = {CELL_RT_CUDA_FUNCTIONS(NAME)};

enum { kFunctions = sizeof names / sizeof *names };
_Static_assert(sizeof(struct cell_rt_cuda_driver) ==
                   (1 + kFunctions) * sizeof(void *),
               "a pointer a function, in the order of the names");

int32_t cell_rt_cuda_load_driver(struct cell_rt_cuda_driver *driver,
                                 char *message, size_t size) {
  if (!dlopen || !dlsym || !dlclose || !dlerror) {
    snprintf(message, size,
             "no CUDA driver: this program has no dlopen: link it with -ldl");
    return CG_ERROR_NO_DEVICE;
  }
  const char *name = secure_getenv("CELLGRAD_CUDA_DRIVER");
  if (!name || !*name)
    name = "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char *why = dlerror();
    snprintf(message, size, "no CUDA driver: %s", why ? why : name);
    return CG_ERROR_NO_DEVICE;
  }
  for (size_t i = 0; i < kFunctions; ++i) {
    void *function = dlsym(library, names[i]);
    if (!function) {
      snprintf(message, size,
               "the CUDA driver %s lacks %s: models need the driver of CUDA "
               "12.0 or later",
               name, names[i]);
      dlclose(library);
      return CG_ERROR_NO_DEVICE;
    }
    memcpy((char *)driver + (1 + i) * sizeof(void *), &function,
           sizeof function);
  }
  driver->library = library;
  return CG_OK;
}

void cell_rt_cuda_words(const struct cell_rt_cuda_driver *driver,
                        CUresult result, const char **name,
                        const char **words) {
  *name = *words = 0;
  if (driver->cuGetErrorName(result, name) != CUDA_SUCCESS || !*name)
    *name = "an error it has no name for";
  if (driver->cuGetErrorString(result, words) != CUDA_SUCCESS || !*words)
    *words = "it has no words for it";
}

/* Fails with the words `what` where `call` does. */
#define TRY(call, what)                                                        \
  do {                                                                         \
    CUresult result_ = (call);                                                 \
    if (result_ != CUDA_SUCCESS) {                                             \
      const char *name_, *words_;                                              \
      cell_rt_cuda_words(d, result_, &name_, &words_);                         \
      snprintf(message, size, "%s: %s (%s, %d)", what, words_, name_,          \
               result_);                                                       \
      return result_ == CUDA_ERROR_OUT_OF_MEMORY ? CG_ERROR_ALLOCATION         \
                                                 : CG_ERROR_DEVICE;            \
    }                                                                          \
  } while (0)

int32_t cell_rt_cuda_find_device(const struct cell_rt_cuda_driver *d,
                                 int32_t number,
                                 struct cell_rt_cuda_device *found,
                                 char *message, size_t size) {
  int count = 0, major = 0, minor = 0;
  CUresult started = d->cuInit(0);
  if (started != CUDA_ERROR_NO_DEVICE) {
    TRY(started, "starting CUDA");
    TRY(d->cuDeviceGetCount(&count), "counting CUDA devices");
  }
  if (number < 0 || number >= count) {
    snprintf(message, size,
             "no CUDA device %d: the number of devices is %d, the first is 0",
             number, count);
    return CG_ERROR_NO_DEVICE;
  }
  TRY(d->cuDeviceGet(&found->device, number), "finding the CUDA device");
  memset(found->name, 0, sizeof found->name);
  TRY(d->cuDeviceGetName(found->name, sizeof found->name - 1, found->device),
      "the name of the CUDA device");
  TRY(d->cuDeviceGetAttribute(
          &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, found->device),
      "the chip of the CUDA device");
  TRY(d->cuDeviceGetAttribute(
          &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, found->device),
      "the chip of the CUDA device");
  found->chip = (uint32_t)(10 * major + minor);
  return CG_OK;
}

void cell_rt_cuda_unload_driver(struct cell_rt_cuda_driver *driver) {
  if (driver->library)
    dlclose(driver->library);
  driver->library = 0;
}
