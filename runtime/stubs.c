/*===- stubs.c - names of the C library functions a model may need ----------===
 *
 * Linked into libc.so.6 and libm.so.6 stubs (names and versions, no code),
 * against which every model is linked: no file of the system is read when a
 * model is linked, every other undefined symbol is an error, and a model built
 * anywhere runs with glibc 2.29 and later.
 *===----------------------------------------------------------------------===*/

#define FUNCTION(name)                                                         \
  void name(void);                                                             \
  void name(void) {}

#ifdef CELL_STUB_LIBC
FUNCTION(aligned_alloc)
FUNCTION(free)
#ifndef __x86_64__
FUNCTION(getauxval)
#endif
FUNCTION(memcpy)
FUNCTION(memmove)
FUNCTION(memset)
FUNCTION(memcmp)
FUNCTION(bcmp)
FUNCTION(strcmp)
FUNCTION(strlen)
FUNCTION(fputc)
FUNCTION(fputs)
FUNCTION(fwrite)
FUNCTION(putc)
FUNCTION(printf)
FUNCTION(snprintf)
FUNCTION(sscanf)
FUNCTION(__isoc99_sscanf)
FUNCTION(clock_gettime)
FUNCTION(madvise)
FUNCTION(mmap)
FUNCTION(munmap)
FUNCTION(sched_getaffinity)
FUNCTION(secure_getenv)
FUNCTION(syscall)
void *stdout;
#else
#define BOTH(name) FUNCTION(name) FUNCTION(name##f)
BOTH(acos)
BOTH(acosh)
BOTH(asin)
BOTH(asinh)
BOTH(atan)
BOTH(atan2)
BOTH(atanh)
BOTH(cbrt)
BOTH(ceil)
BOTH(cos)
BOTH(cosh)
BOTH(erf)
BOTH(erfc)
BOTH(exp)
BOTH(exp2)
BOTH(expm1)
BOTH(floor)
BOTH(fma)
BOTH(fmod)
BOTH(ldexp)
BOTH(lgamma)
BOTH(log)
BOTH(log10)
BOTH(log1p)
BOTH(log2)
BOTH(nearbyint)
BOTH(pow)
BOTH(rint)
BOTH(round)
BOTH(roundeven)
BOTH(sin)
BOTH(sinh)
BOTH(sqrt)
BOTH(tan)
BOTH(tanh)
BOTH(tgamma)
BOTH(trunc)
#endif
