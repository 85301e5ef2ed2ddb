/* Trains on several ranks with the step that from_c.py exports.

     cc -std=c11 -O2 -I build -I ../.. train.c ../../runtime/comm/*.c \
        ../../runtime/halves.c build/step.so -Wl,-rpath,'$ORIGIN' -ldl -lm \
        -o build/train
     build/train build shared 2          two processes that share memory
     mpiexec -n 2 build/train build mpi  two ranks of MPI

   No MPI is needed to compile it: a library is opened where MPI is asked for.
   Rank 0 writes the Parameters at the end to build/end. */

#include "runtime/comm/comm.h"
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The state, in the order of the file: type, member of the arguments, macro of
   its size. Parameters first. */
#define PARAMETERS(X)                                                          \
  X(float, first_weight, FIRST_WEIGHT)                                         \
  X(float, first_bias, FIRST_BIAS)                                             \
  X(float, last_weight, LAST_WEIGHT)                                           \
  X(float, last_bias, LAST_BIAS)
#define STATE(X)                                                               \
  PARAMETERS(X)                                                                \
  X(int32_t, global_step, GLOBAL_STEP)                                         \
  X(float, learning_rate, LEARNING_RATE)                                       \
  X(float, momentum, MOMENTUM)                                                 \
  X(float, moments_first_weight, MOMENTS_FIRST_WEIGHT)                         \
  X(float, moments_first_bias, MOMENTS_FIRST_BIAS)                             \
  X(float, moments_last_weight, MOMENTS_LAST_WEIGHT)                           \
  X(float, moments_last_bias, MOMENTS_LAST_BIAS)

#define DECLARE(type, member, size)                                            \
  static type member[CG_STEP_TRAIN_STEP_##size##_ELEMENTS];
STATE(DECLARE)

static FILE *open_or_die(const char *folder, const char *name, int rank,
                         const char *mode) {
  char path[4096];
  if (rank < 0)
    snprintf(path, sizeof path, "%s/%s", folder, name);
  else
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, rank);
  FILE *file = fopen(path, mode);
  if (!file) {
    perror(path);
    exit(1);
  }
  return file;
}

static void read_or_die(void *to, size_t size, size_t count, FILE *file) {
  if (fread(to, size, count, file) != count) {
    fputs("error: a file is too short\n", stderr);
    exit(1);
  }
}

static int train(const char *folder, cg_comm *comm) {
  FILE *start = open_or_die(folder, "start", -1, "rb");
#define READ(type, member, size)                                               \
  read_or_die(member, sizeof(type), sizeof member / sizeof(type), start);
  STATE(READ)
  fclose(start);

  /* All that a model needs to train on several ranks is `comm`. */
  cg_context context = {.struct_size = sizeof context, .comm = comm};
  context.arena_bytes = CG_STEP_TRAIN_STEP_ARENA_BYTES + CG_ARENA_ALIGNMENT;
  context.arena = aligned_alloc(CG_ARENA_ALIGNMENT,
                                (context.arena_bytes + CG_ARENA_ALIGNMENT - 1) /
                                    CG_ARENA_ALIGNMENT * CG_ARENA_ALIGNMENT);
  static float data[CG_STEP_TRAIN_STEP_DATA_ELEMENTS];
  static float label[CG_STEP_TRAIN_STEP_LABEL_ELEMENTS];
  float loss = 0;
#define MEMBER(type, member, size) .member = member,
  const cg_step_train_step_args args = {
      .data = data, .label = label, STATE(MEMBER).loss = &loss};

  FILE *batches = open_or_die(folder, "batches", comm->rank, "rb");
  while (fread(data, sizeof *data, CG_STEP_TRAIN_STEP_DATA_ELEMENTS, batches) ==
         CG_STEP_TRAIN_STEP_DATA_ELEMENTS) {
    read_or_die(label, sizeof *label, CG_STEP_TRAIN_STEP_LABEL_ELEMENTS,
                batches);
    int32_t status = cg_step_train_step(&args, &context);
    if (status > 0) {
      fprintf(stderr, "rank %d: %s: %s\n", (int)comm->rank,
              cg_step_status_message(status), comm->message(comm));
      return 1;
    }
  }
  fclose(batches);
  free(context.arena);
  if (comm->rank == 0) {
    FILE *end = open_or_die(folder, "end", -1, "wb");
#define WRITE(type, member, size) fwrite(member, 1, sizeof member, end);
    PARAMETERS(WRITE)
    printf("C: %d ranks by %s, last loss of rank 0 %.6f\n", (int)comm->size,
           cg_comm_kind(comm), loss);
    return fclose(end) != 0;
  }
  return 0;
}

int main(int argc, char **argv) {
  int shared = argc == 4 && strcmp(argv[2], "shared") == 0;
  if (!shared && (argc != 3 || strcmp(argv[2], "mpi") != 0)) {
    fputs("usage: train FOLDER shared RANKS | train FOLDER mpi\n", stderr);
    return 2;
  }
  cg_comm *comm = NULL;
  int rank = 0, ranks = shared ? atoi(argv[3]) : 0;
  if (shared) {
    char name[64];
    snprintf(name, sizeof name, "train-%d", (int)getpid());
    while (rank + 1 < ranks && fork() == 0)
      ++rank; /* each rank starts the next one */
    comm = cg_comm_shared(name, rank, ranks, 60000, NULL);
  } else {
    comm = cg_comm_mpi(getenv("CELLGRAD_MPI_LIBRARY"), NULL, 60000);
  }
  if (!comm) {
    fprintf(stderr, "error: %s\n", cg_comm_error());
    return 1;
  }
  char crowded[1024];
  if (!cg_comm_threads(comm, 1, 0, crowded, sizeof crowded))
    fprintf(stderr, "error: %s\n", comm->message(comm));
  else if (*crowded)
    fprintf(stderr, "warning: %s\n", crowded);
  int status = train(argv[1], comm);
  if (status)
    cg_comm_abort(comm);
  cg_comm_free(comm);
  int other = 0;
  if (shared && rank + 1 < ranks && wait(&other) > 0)
    status |= WIFEXITED(other) ? WEXITSTATUS(other) : 1;
  return status;
}
