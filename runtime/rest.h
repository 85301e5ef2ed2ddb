/*===- rest.h - between two looks at a word that another thread writes
 * -----===*/

#ifndef CELLGRAD_RUNTIME_REST_H
#define CELLGRAD_RUNTIME_REST_H

/* Tells the processor that this thread waits. */
static inline void rest(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#elif defined(__riscv)
  __asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x010"); /* pause: a hint */
#endif
}

#endif
