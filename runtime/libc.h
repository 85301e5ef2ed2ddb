/*===- libc.h - what the runtime of models takes from the C library ---------===
 *
 * The runtime is compiled for systems whose headers are not here: then
 * (CELL_OWN_DECLARATIONS) these declarations stand for them. They are those of
 * glibc and Linux on x86-64, AArch64 and RISC-V with 64 bits;
 * test/capi/own-declarations.c compares them with the headers.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_LIBC_H
#define CELLGRAD_RUNTIME_LIBC_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CELL_OWN_DECLARATIONS

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
size_t strlen(const char *text);
void *aligned_alloc(size_t alignment, size_t bytes);
void free(void *memory);

#ifndef __wasm__
typedef struct FILE FILE;
extern FILE *stdout;
int fputs(const char *text, FILE *file);
int fputc(int character, FILE *file);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int snprintf(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int sscanf(const char *text, const char *format, ...)
    __attribute__((format(scanf, 2, 3)));

enum {
  PROT_READ = 1,
  PROT_WRITE = 2,
  MAP_PRIVATE = 2,
  MAP_ANONYMOUS = 32,
  MADV_HUGEPAGE = 14,
  MADV_WIPEONFORK = 18,
  FUTEX_WAIT = 0,
  FUTEX_WAKE = 1,
  FUTEX_PRIVATE_FLAG = 128,
  CLOCK_MONOTONIC = 1,
  SIG_SETMASK = 2,
  AT_HWCAP = 16,
#ifdef __x86_64__
  SYS_futex = 202
#else
  SYS_futex = 98
#endif
};
#define MAP_FAILED ((void *)-1)
struct timespec {
  long tv_sec, tv_nsec;
};
typedef struct {
  unsigned long words[16];
} sigset_t;
typedef struct {
  unsigned long words[16];
} cpu_set_t;
typedef unsigned long pthread_t;
/* AArch64's is the largest. */
typedef union {
  char bytes[64];
  long alignment;
} pthread_attr_t;

long syscall(long number, ...);
void *mmap(void *address, size_t bytes, int protection, int flags, int file,
           long offset);
int munmap(void *address, size_t bytes);
int madvise(void *address, size_t bytes, int advice);
int clock_gettime(int clock, struct timespec *time);
unsigned long getauxval(unsigned long type);
int sched_getaffinity(int process, size_t bytes, cpu_set_t *set);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*main)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);
#endif /* __wasm__ */

#else /* CELL_OWN_DECLARATIONS */

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#endif

#endif
