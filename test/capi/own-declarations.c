/* What the runtime declares of libc is what the headers of the systems say.
   RUN: %cc %strict -I %root -S %s -o %t.headers.s -D_GNU_SOURCE
   RUN: %cc %strict -I %root -S %s -o %t.own.s -DCELL_OWN_DECLARATIONS -fno-builtin
   RUN: diff %t.headers.s %t.own.s
   RUN: %if aarch64-headers %{ aarch64-linux-gnu-gcc -I %root -S %s -o %t.headers.s -D_GNU_SOURCE && aarch64-linux-gnu-gcc -I %root -S %s -o %t.own.s -DCELL_OWN_DECLARATIONS -fno-builtin && diff %t.headers.s %t.own.s %}
   RUN: %if riscv64-headers %{ riscv64-linux-gnu-gcc -I %root -S %s -o %t.headers.s -D_GNU_SOURCE && riscv64-linux-gnu-gcc -I %root -S %s -o %t.own.s -DCELL_OWN_DECLARATIONS -fno-builtin && diff %t.headers.s %t.own.s %}
*/
#include "runtime/libc.h"

const long values[] = {PROT_READ,
                       PROT_WRITE,
                       MAP_PRIVATE,
                       MAP_ANONYMOUS,
                       (long)MAP_FAILED,
                       MADV_WIPEONFORK,
                       FUTEX_WAIT,
                       FUTEX_WAKE,
                       FUTEX_PRIVATE_FLAG,
                       CLOCK_MONOTONIC,
                       SIG_SETMASK,
                       AT_HWCAP,
                       SYS_futex,
                       INT_MAX,
                       sizeof(struct timespec),
                       offsetof(struct timespec, tv_nsec),
                       sizeof(((struct timespec *)0)->tv_nsec),
                       sizeof(sigset_t),
                       sizeof(pthread_t),
                       sizeof(pthread_attr_t) <= 64,
                       _Alignof(pthread_attr_t)};
