/*===- comm.h - communicators
 * ------------------------------------------------===
 *
 * Of the Python package, and for programs, which take the files of this folder
 * and runtime/halves.c. No part of a model: that knows cg_comm alone.
 *
 * After an error a communicator is of no more use: its later calls return the
 * same. No buffer is in use by it then.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_RUNTIME_COMM_H
#define CELLGRAD_RUNTIME_COMM_H

#include "runtime/cellgrad_abi.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A network that is slower than memory, for measurements and tests: each
   collective takes so much longer. */
typedef struct cg_network {
  double delay_us;     /* of a collective */
  double bytes_per_us; /* of what a rank gives; 0: no limit */
} cg_network;

/* The most ranks of one machine. */
#define CG_MOST_SHARED_RANKS 64

/* Ranks that are processes of one machine, by memory that they share. All give
   the same name, which no other group has at that time, and size. Returns when
   all are there. `timeout_ms` is how long one waits for another here and in
   collectives. `network` may be NULL.
   NULL: cg_comm_error() says why. */
cg_comm *cg_comm_shared(const char *name, int32_t rank, int32_t size,
                        int64_t timeout_ms, const cg_network *network);

/* The ranks of an MPI library, which is opened at run time: `library`, or one
   that the process has loaded already, or one that is found; MPICH, Open MPI or
   any with MPI-5's ABI. `communicator` is the Fortran handle (MPI_Comm_c2f,
   py2f of mpi4py) of one to take part in, NULL for all ranks; it is duplicated.
   MPI is initialised where it is not, and then finalised by cg_comm_free. Where
   one waits longer than `timeout_ms` for another, it says so on stderr and ends
   all (MPI_Abort): MPI cannot take back what it has begun.
   NULL: cg_comm_error() says why. */
cg_comm *cg_comm_mpi(const char *library, const int32_t *communicator,
                     int64_t timeout_ms);

/* How many threads this rank is to compute on, and whether ranks share
   processors. All ranks call it. `threads` is how many it would compute on by
   itself (cg_default_threads); with `share` they are divided among the ranks of
   its machine that may run on the same processors. `words` is a text of at most
   `bytes` bytes: on rank 0, the ranks that compute on more threads than they
   have processors, and what to do; else empty. Ranks that share memory, and
   have no processor for one thread more each, communicate without a thread from
   then on (cg_comm_use_thread). 0: comm->message says why. */
int32_t cg_comm_threads(cg_comm *comm, int32_t threads, int32_t share,
                        char *words, size_t bytes);

/* Gives `comm`, of one of the functions above, NCCL for memory of CUDA devices
   (cg_comm.enqueue), which is opened at run time: `library`, or libnccl.so.2.
   All ranks call it, before the first collective of a device; the current CUDA
   context of the caller is that of the device of its rank, of which each rank
   has another one, and stays until cg_comm_free. CG_OK, or CG_ERROR_COMM on all
   ranks: cg_comm_error() says why, and `comm` is as before. */
int32_t cg_comm_nccl(cg_comm *comm, const char *library);

/* Collectives go on beside the computation, on a thread that begins with the
   first one that is not waited for at once, and ends with the communicator.
   With `use` 0 they are done where they are waited for. Before the first one.
 */
void cg_comm_use_thread(cg_comm *comm, int32_t use);

/* Nanoseconds that all collectives so far took, with the wait for other ranks,
   and those that the program waited for them: the difference was hidden behind
   computation. */
void cg_comm_times(cg_comm *comm, int64_t *performed, int64_t *waited);

/* Between start and wait, `recv` holds NaNs, and a buffer that somebody writes
   to is an error of wait: for tests of who calls. Before the first collective.
 */
void cg_comm_poison(cg_comm *comm);

/* What `comm`, of one of the functions above, is in words: "MPICH". */
const char *cg_comm_kind(const cg_comm *comm);

/* Leaves; the others' collectives fail from then on. NULL is fine. */
void cg_comm_free(cg_comm *comm);

/* Ends all ranks where the library can do that (MPI); else leaves. */
void cg_comm_abort(cg_comm *comm);

/* Why the last function of this thread gave NULL. */
const char *cg_comm_error(void);

#ifdef __cplusplus
}
#endif

#endif
