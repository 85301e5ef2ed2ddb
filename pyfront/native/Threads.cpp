//===- Threads.cpp - the threads that calls compute on --------------------===//
//
// The pool is made at the first call of an entry with parallel regions, and
// starts its threads at the first of these. Others are in use by calls until
// they return: a new number of threads is a new pool.
//
//===----------------------------------------------------------------------===//

#include "pyfront/native/Threads.h"

extern "C" {
#include "runtime/runtime.h"
}
#include "runtime/threads.h"

#include <nanobind/nanobind.h>

#include <cstdlib>
#include <string>

namespace nb = nanobind;
using namespace cellgrad::python;

namespace {
/// Guarded by the GIL, which a child has after a fork. Lives as long as the
/// process, as calls of other threads may when it ends.
struct Threads {
  int32_t count = 0; ///< 0: not known yet
  std::shared_ptr<cg_parallel> pool;
} &threads = *new Threads;
} // namespace

int32_t cellgrad::python::numThreads() {
  if (threads.count == 0)
    threads.count = cg_default_threads();
  if (threads.count == 0)
    throw nb::value_error(("CELLGRAD_NUM_THREADS is '" +
                           std::string(std::getenv("CELLGRAD_NUM_THREADS")) +
                           "': expected a whole number from 1 to " +
                           std::to_string(CG_MOST_THREADS) +
                           "; without it calls compute on all processors that "
                           "the process may use")
                              .c_str());
  return threads.count;
}

void cellgrad::python::setNumThreads(int32_t count) {
  if (count != threads.count)
    threads.pool.reset();
  threads.count = count;
}

std::shared_ptr<cg_parallel> cellgrad::python::lendThreads() {
  int32_t count = numThreads();
  if (count == 1)
    return nullptr;
  // Where there is no memory for a pool, a call computes on its own thread.
  if (!threads.pool)
    if (cg_parallel *pool = cell_rt_pool_new(count))
      threads.pool = {pool, cell_rt_pool_free};
  return threads.pool;
}
