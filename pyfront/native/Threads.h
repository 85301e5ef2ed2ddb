//===- Threads.h - the threads that calls compute on ----------------------===//

#ifndef CELLGRAD_PYFRONT_THREADS_H
#define CELLGRAD_PYFRONT_THREADS_H

#include "runtime/cellgrad_abi.h"

#include <cstdint>
#include <memory>

namespace cellgrad::python {

/// The pool of the process, which all calls share, for as long as the pointer
/// is held; null where calls compute on their own thread. With the GIL held.
std::shared_ptr<cg_parallel> lendThreads();

/// How many threads a call computes on, its own included. Throws ValueError
/// where the environment says what cannot be. With the GIL held.
int32_t numThreads();
/// 0: as many as before any call of it.
void setNumThreads(int32_t count);

} // namespace cellgrad::python

#endif
