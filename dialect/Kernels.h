//===- Kernels.h - the scalar functions of elementwise ops, in C++ --------===//
//
// Generated from the records. The reference interpreter and the constant folder
// run these; the compiled code never does, so each checks the other.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_DIALECT_KERNELS_H
#define CELLGRAD_DIALECT_KERNELS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace cellgrad {

/// The function of one op on floating point numbers (computed in double) and on
/// integers, signed and unsigned (computed in 64 bits; the caller wraps). Null
/// where the op is not defined. Predicates give 0 or 1.
struct ScalarKernels {
  double (*floats)(const double *args);
  int64_t (*ints)(const int64_t *args);
  uint64_t (*uints)(const uint64_t *args);
};

/// Kernels of the op called `name` ("cell.tanh"), or null.
const ScalarKernels *lookupScalarKernels(llvm::StringRef name);

} // namespace cellgrad

#endif
