//===- Ceilings.h - what the machine can do at most -------------*- C++ -*-===//

#ifndef CELLGRAD_PYFRONT_CEILINGS_H
#define CELLGRAD_PYFRONT_CEILINGS_H

namespace cellgrad::python {

/// Of so many threads together, a second: arithmetic operations in single and
/// in double precision (a multiply-add is two), and bytes of memory.
struct Ceilings {
  double singles = 0, doubles = 0, bytes = 0;
};

/// Measures them, in a tenth of a second: chains of multiply-adds in registers,
/// and passes over arrays that are larger than caches. Throws std::bad_alloc.
Ceilings measureCeilings(int threads);

} // namespace cellgrad::python

#endif
