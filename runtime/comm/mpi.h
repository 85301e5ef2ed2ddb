/*===- mpi.h - what mpi.c knows of a library of MPI -----------------------===
 *
 * Its functions, whose addresses are found at run time, and the communicator.
 *===----------------------------------------------------------------------===*/

#ifndef CELLGRAD_COMM_MPI_H
#define CELLGRAD_COMM_MPI_H

#include "runtime/comm/progress.h"

typedef uintptr_t word;

/* Elements of one step: counts of MPI are ints. Tests whether something is done
   between two looks at the clock. */
enum { kPiece = 1 << 24, kTests = 256 };

/* Ranks that do a collective: those of the communicator, or a group. */
typedef struct team {
  word comm;
  int32_t rank, size; /* there */
  int32_t *members;   /* in the communicator; NULL: all */
} team;

/* A message that the library may not have given to the receiver yet. */
typedef struct sent {
  struct sent *next;
  word requests[2];
  comm_header header;
  char data[];
} sent;

typedef struct mpi {
  comm_base base;
  team all;
  team *groups; /* that have been met so far */
  int32_t groupCount;
  sent *sent;
  word byte;
  void *inPlace;
  int64_t timeout; /* in milliseconds */
  word request;    /* what is waited for */
  int finalizes;
  int *counts; /* four for each rank */
  char *scratch;
  size_t scratchBytes;
  int (*Abort)(word, int);
  int (*Comm_create_group)(word, word, int, word *);
  int (*Comm_free)(word *);
  int (*Comm_group)(word, word *);
  int (*Comm_idup)(word, word *, word *);
  int (*Comm_rank)(word, int *);
  int (*Comm_set_errhandler)(word, word);
  int (*Comm_size)(word, int *);
  int (*Error_string)(int, char *, int *);
  int (*Finalize)(void);
  int (*Finalized)(int *);
  int (*Get_library_version)(char *, int *);
  int (*Group_free)(word *);
  int (*Group_incl)(word, int, const int *, word *);
  int (*Iallgather)(const void *, int, word, void *, int, word, word, word *);
  int (*Iallgatherv)(const void *, int, word, void *, const int *, const int *,
                     word, word, word *);
  int (*Ialltoallv)(const void *, const int *, const int *, word, void *,
                    const int *, const int *, word, word, word *);
  int (*Ibarrier)(word, word *);
  int (*Ibcast)(void *, int, word, int, word, word *);
  int (*Init_thread)(void *, void *, int, int *);
  int (*Initialized)(int *);
  int (*Irecv)(void *, int, word, int, int, word, word *);
  int (*Isend)(const void *, int, word, int, int, word, word *);
  int (*Query_thread)(int *);
  int (*Test)(word *, int *, void *);
} mpi;

/* A status of any library. */
typedef union status_ {
  long long words[32];
} status_;

#endif
