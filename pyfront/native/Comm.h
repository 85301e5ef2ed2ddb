//===- Comm.h - the communicator that calls get ---------------------------===//

#ifndef CELLGRAD_PYFRONT_COMM_H
#define CELLGRAD_PYFRONT_COMM_H

#include "runtime/cellgrad_abi.h"

#include <memory>
#include <stdexcept>

namespace cellgrad::python {

/// A collective failed: CommunicationError in Python.
struct CommError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The communicator of the process, for as long as the pointer is held; null
/// where there is one rank. With the GIL held.
std::shared_ptr<cg_comm> communicator();

} // namespace cellgrad::python

#endif
