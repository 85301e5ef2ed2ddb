/*===- cpu.h - instruction sets a model may have been compiled for ----------===
 *
 * The compiler turns LLVM's feature names into a mask, for x86-64 by the table,
 * the model turns the mask into questions to the processor. Bits are never
 * renumbered.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_CPU_H
#define CELLGRAD_RUNTIME_CPU_H

/* Bits of the mask on processors that Linux tells about by AT_HWCAP: those that
   it has there. */
#define CELL_HWCAP_AARCH64_SVE 22
#define CELL_HWCAP_RISCV_V ('v' - 'a')

/* X(bit, LLVM's name, CPUID leaf, subleaf, register a|b|c|d, register's bit,
     state the operating system must save: 0 none, 1 AVX, 2 AVX-512, 3 AMX) */
#define CELL_CPU_FEATURES(X)                                                   \
  X(0, "sse3", 1, 0, c, 0, 0)                                                  \
  X(1, "ssse3", 1, 0, c, 9, 0)                                                 \
  X(2, "fma", 1, 0, c, 12, 1)                                                  \
  X(3, "sse4.1", 1, 0, c, 19, 0)                                               \
  X(4, "sse4.2", 1, 0, c, 20, 0)                                               \
  X(5, "movbe", 1, 0, c, 22, 0)                                                \
  X(6, "popcnt", 1, 0, c, 23, 0)                                               \
  X(7, "avx", 1, 0, c, 28, 1)                                                  \
  X(8, "f16c", 1, 0, c, 29, 1)                                                 \
  X(9, "bmi", 7, 0, b, 3, 0)                                                   \
  X(10, "avx2", 7, 0, b, 5, 1)                                                 \
  X(11, "bmi2", 7, 0, b, 8, 0)                                                 \
  X(12, "avx512f", 7, 0, b, 16, 2)                                             \
  X(13, "avx512dq", 7, 0, b, 17, 2)                                            \
  X(14, "avx512ifma", 7, 0, b, 21, 2)                                          \
  X(15, "avx512cd", 7, 0, b, 28, 2)                                            \
  X(16, "avx512bw", 7, 0, b, 30, 2)                                            \
  X(17, "avx512vl", 7, 0, b, 31, 2)                                            \
  X(18, "avx512vbmi", 7, 0, c, 1, 2)                                           \
  X(19, "avx512vbmi2", 7, 0, c, 6, 2)                                          \
  X(20, "gfni", 7, 0, c, 8, 0)                                                 \
  X(21, "avx512vnni", 7, 0, c, 11, 2)                                          \
  X(22, "avx512bitalg", 7, 0, c, 12, 2)                                        \
  X(23, "avx512vpopcntdq", 7, 0, c, 14, 2)                                     \
  X(24, "avx512vp2intersect", 7, 0, d, 8, 2)                                   \
  X(25, "avx512fp16", 7, 0, d, 23, 2)                                          \
  X(26, "avxvnni", 7, 1, a, 4, 1)                                              \
  X(27, "avx512bf16", 7, 1, a, 5, 2)                                           \
  X(28, "avxifma", 7, 1, a, 23, 1)                                             \
  X(29, "avxvnniint8", 7, 1, d, 4, 1)                                          \
  X(30, "avxneconvert", 7, 1, d, 5, 1)                                         \
  X(31, "avxvnniint16", 7, 1, d, 10, 1)                                        \
  X(32, "lzcnt", 0x80000001, 0, c, 5, 0)                                       \
  X(33, "sse4a", 0x80000001, 0, c, 6, 0)                                       \
  X(34, "xop", 0x80000001, 0, c, 11, 1)                                        \
  X(35, "fma4", 0x80000001, 0, c, 16, 1)                                       \
  X(36, "tbm", 0x80000001, 0, c, 21, 0)

#endif
