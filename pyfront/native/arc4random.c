// glibc has arc4random since 2.36, and LLVM was built where it is. A wheel that
// brings its own runs from 2.35 on, which Ubuntu 22.04 has.

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

/// 32 bits from the system; ends the process if it has none.
uint32_t arc4random(void) {
  uint32_t bits;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    abort();
  return bits;
}
