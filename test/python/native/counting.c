/* Counts what memory a piece of code takes and copies: linked into a program,
   or preloaded. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

enum { LARGE = 2048, CALLERS = 4096 };

static volatile int counting;
static long allocations, large_allocations, large_copies;
static void *callers[CALLERS]; /* of allocations and copies */

static void note(size_t bytes, long *large, void *caller, long *all) {
  if (!counting)
    return;
  *large += bytes >= LARGE;
  if (all && *all < CALLERS)
    callers[*all] = caller;
  if (all)
    ++*all;
}

#define ALLOCATED(bytes)                                                       \
  note(bytes, &large_allocations, __builtin_return_address(0), &allocations)

void *malloc(size_t bytes) {
  ALLOCATED(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ALLOCATED(count * bytes);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  ALLOCATED(bytes);
  return __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ALLOCATED(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  ALLOCATED(bytes);
  *out = __libc_memalign(alignment, bytes);
  return *out == NULL ? 12 : 0;
}

/* Byte by byte: the compiler must not make a call of memcpy of this. */
static void *move(void *to, const void *from, size_t bytes) {
  volatile unsigned char *t = to;
  const volatile unsigned char *f = from;
  if ((uintptr_t)to <= (uintptr_t)from)
    for (size_t i = 0; i < bytes; ++i)
      t[i] = f[i];
  else
    for (size_t i = bytes; i-- > 0;)
      t[i] = f[i];
  return to;
}
void *memcpy(void *to, const void *from, size_t bytes) {
  note(bytes, &large_copies, NULL, NULL);
  return move(to, from, bytes);
}
void *memmove(void *to, const void *from, size_t bytes) {
  note(bytes, &large_copies, NULL, NULL);
  return move(to, from, bytes);
}

void count_start(void) { counting = 1; }
void count_stop(void) { counting = 0; }
/* Allocations, large ones, and large copies since the program started. */
void count_read(long out[3]) {
  out[0] = allocations;
  out[1] = large_allocations;
  out[2] = large_copies;
}
/* How many of the allocations were called for by code of a file whose name
   contains `part`. */
long count_from(const char *part) {
  long found = 0;
  for (long i = 0; i < allocations && i < CALLERS; ++i) {
    Dl_info info;
    if (dladdr(callers[i], &info) && strstr(info.dli_fname, part))
      ++found;
  }
  return found;
}
