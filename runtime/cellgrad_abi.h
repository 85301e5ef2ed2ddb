/*===- cellgrad_abi.h - the C ABI every compiled cellgrad model shares ------===
 *
 * This text is copied into the header of every model (model.h), guarded so that
 * the headers of several models can be included together. Nothing here needs a
 * library: a model depends on libc and libm alone.
 *
 * Rules of the border:
 *  - the caller owns every buffer, and a model keeps no pointer to it;
 *  - buffers are dense and row-major, aligned to their element type at least
 *    (64 bytes is fastest); what a call writes overlaps nothing else in it;
 *  - an entry is safe to call from several threads as long as they share no
 *    result buffer, no donated buffer and no arena;
 *  - a model never aborts or exits, and computes on the calling thread and on
 *    those that the caller lends; it prints only what the user's program
 *    prints, through the print hook.
 *===----------------------------------------------------------------------===*/
#ifndef CELLGRAD_ABI_VERSION
#define CELLGRAD_ABI_VERSION 2u

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an entry returns; errors are positive. cg_<model>_status_message() puts
   it in words. */
#define CG_OK 0
/* A training step worked but left its update out, because a gradient is not
   finite: Parameters and the optimizer's state are as they were, the loss scale
   is updated, results are written. */
#define CG_SKIPPED (-1)
/* The argument struct or one of its pointers is NULL. */
#define CG_ERROR_NULL_ARGUMENT 1
/* A buffer is not aligned to its element type. */
#define CG_ERROR_ALIGNMENT 2
/* cg_context.struct_size is smaller than that of any version, a bit of
   cg_context.flags is set that the model does not know, cg_context.parallel
   is not filled in, of cg_context.allocate and release only one is set,
   cg_context.host is NULL in a call that needs it, or a model with CUDA kernels
   finds no device in cg_context.cuda that was opened for it. */
#define CG_ERROR_CONTEXT 3
/* The arena is too small or not aligned to 64 bytes, 256 on a CUDA device. */
#define CG_ERROR_ARENA 4
/* No arena was given and none could be allocated, or there is no memory for
   what a loop of unknown length keeps for its gradient. */
#define CG_ERROR_ALLOCATION 5
/* The computation itself reported a failure. */
#define CG_ERROR_EXECUTION 6
/* The processor lacks instructions the model was compiled for. */
#define CG_ERROR_CPU 7
/* cg_context.cancel was set. */
#define CG_ERROR_CANCELLED 8
/* Loops of unknown length made more trips than cg_context.max_trips. */
#define CG_ERROR_TRIP_LIMIT 9
/* They keep more for their gradient than cg_context.max_stash_bytes. */
#define CG_ERROR_STASH_LIMIT 10
/* The header is not that of the model: from cg_<model>_check_header() only. */
#define CG_ERROR_HEADER 11
/* The CUDA device or its driver reported an error, of this call or of one
   before that only enqueued its work. */
#define CG_ERROR_DEVICE 12
/* There is no CUDA driver, no device of that number, or the model has no code
   for its chip. */
#define CG_ERROR_NO_DEVICE 13
/* Another thread is in a call with cg_context.cuda. */
#define CG_ERROR_BUSY 14
/* The batch of an entry for any batch size is below 1 or above its maximum. */
#define CG_ERROR_BATCH 15
/* A collective failed: another rank has ended, or the library of the
   communicator reported an error. cg_comm.message has the words. */
#define CG_ERROR_COMM 16
/* The ranks run different programs, or the same one with other shapes. */
#define CG_ERROR_COMM_MISMATCH 17
/* Another rank did not come within the time limit of the communicator. */
#define CG_ERROR_COMM_TIMEOUT 18
/* Weights cannot be read, or are not those of the model: from the loader of
   weights only, which says why. */
#define CG_ERROR_WEIGHTS 19
/* A model has collectives of groups, or messages between two ranks, and
   cg_comm.flags has no CG_COMM_GROUPS. */
#define CG_ERROR_COMM_NO_GROUPS 20
/* This and above: a check of the program failed, each with a code of its own.
   After any error donated buffers are as they were. */
#define CG_ERROR_CHECK 1000

/* Alignment of cg_context.arena in bytes. */
#define CG_ARENA_ALIGNMENT 64u
/* Where it is memory of a CUDA device. */
#define CG_CUDA_ARENA_ALIGNMENT 256u
/* And of the buffers of an entry that takes pointers of a CUDA device. */
#define CG_CUDA_ALIGNMENT 16u

/* Element types, as in cg_print_record.dtype. */
#define CG_BOOL 0
#define CG_INT8 1
#define CG_INT16 2
#define CG_INT32 3
#define CG_INT64 4
#define CG_UINT8 5
#define CG_FLOAT16 6
#define CG_BFLOAT16 7
#define CG_FLOAT32 8
#define CG_FLOAT64 9
#define CG_UINT16 10
#define CG_UINT32 11
#define CG_UINT64 12

/* Types that C lacks, by their bits. bool is one byte, 0 or 1. */
typedef uint8_t cg_bool;
typedef uint16_t cg_float16;
typedef uint16_t cg_bfloat16;

/* One piece of a printed line on its way to the print hook: text, then a tensor
   if data is not NULL. The last piece of a line has text that ends in a
   newline. Valid during the call only. */
typedef struct cg_print_record {
  uint32_t struct_size; /* sizeof(cg_print_record) as the model knows it */
  int32_t dtype;        /* CG_FLOAT32 ... */
  int32_t rank;
  int32_t reserved;
  const int64_t *shape; /* rank extents */
  const char *text;     /* the message printed before the tensor, never NULL */
  const void *data; /* dense, row-major; NULL for a message without a tensor */
} cg_print_record;

typedef void (*cg_print_fn)(const cg_print_record *record, void *user);

/* Told of a model that was compiled with probes: kernel number `kernel` of the
   model begins (`begins` is 1) or has ended (0), on the thread that called the
   entry. A call that fails leaves out the end. */
typedef void (*cg_probe_fn)(int32_t kernel, int32_t begins, void *user);

/* Gives `bytes` bytes aligned to `alignment`, a power of two, or NULL. Calls of
   an entry on several threads call it from several threads. Throws nothing. */
typedef void *(*cg_allocate_fn)(uint64_t bytes, uint64_t alignment, void *user);
/* Takes back what such a function gave, of that many bytes. */
typedef void (*cg_release_fn)(void *memory, uint64_t bytes, void *user);

/* A piece of a parallel region: computes its items begin <= i < end. `worker`
   is at least 0 and below cg_parallel.threads, and no two calls of a region
   that run at the same time have the same. Results depend neither on how a
   region is cut nor on who computes what. */
typedef void (*cg_task_fn)(void *frame, int64_t begin, int64_t end,
                           int32_t worker);

/* Threads that the caller lends, for cg_context.parallel. A pool of one's own
   has this as its first member. */
typedef struct cg_parallel {
  uint32_t struct_size; /* sizeof(cg_parallel) */
  int32_t threads;      /* calls of a task at the same time, at least 1 */
  /* Calls `task` with ranges that cover 0 <= i < count, each item once, in any
     order and on any thread, and returns when all calls have. Throws nothing.
     Calls of an entry on several threads call it from several threads. */
  void (*run)(struct cg_parallel *self, int64_t count, cg_task_fn task,
              void *frame);
} cg_parallel;

/* What a collective does, as in cg_collective.kind. `n` is the number of ranks,
   `count` as in cg_collective. */
/* recv[i] = op over the ranks' send[i], on all. */
#define CG_ALL_REDUCE 0
/* The same of n * count elements; each rank gets its block of count. */
#define CG_REDUCE_SCATTER 1
/* count elements of each rank, n * count on all. */
#define CG_ALL_GATHER 2
/* root's count elements, on all. */
#define CG_BROADCAST 3
/* Block i of count elements goes to rank i. */
#define CG_ALL_TO_ALL 4
/* As CG_ALL_REDUCE, on root; recv of the others stays as it is. */
#define CG_REDUCE 5
/* As CG_ALL_GATHER, on root. */
#define CG_GATHER 6
/* Block i of root's n * count elements goes to rank i. */
#define CG_SCATTER 7
/* count elements to rank root, and from it, of the same tag. A send ends
   without the receiver; those of one rank to another with one tag come in their
   order. */
#define CG_SEND 8
#define CG_RECEIVE 9
/* All wait for all. */
#define CG_BARRIER 10

/* How elements are combined, as in cg_collective.op. */
#define CG_SUM 0
#define CG_PROD 1
#define CG_MIN 2
#define CG_MAX 3

/* A bit of cg_collective.flags: ranks are combined as a balanced binary tree,
   so that the bits depend on the number of ranks alone, not on the library. */
#define CG_ORDERED 1

/* Another: wait follows at once, so that nothing is gained by a thread. */
#define CG_AT_ONCE 2

typedef struct cg_collective {
  uint32_t struct_size; /* sizeof(cg_collective) as the model knows it */
  int32_t kind;         /* CG_ALL_REDUCE ... */
  int32_t op;           /* CG_SUM ..., 0 where nothing is combined */
  int32_t dtype;        /* CG_FLOAT32 ... */
  int32_t root;         /* the one rank of kinds that name one, else 0: its
                           number in cg_comm, also where there is a group */
  int32_t flags;
  int64_t count;    /* elements */
  const void *send; /* NULL: recv, in place */
  void *recv;
  /* From here on with CG_COMM_GROUPS alone. */
  const int32_t *group; /* the ranks that take part, in the order of their
                           blocks; NULL: all. Valid until wait */
  int32_t group_size;   /* how many; n of the kinds above */
  int32_t reserved;     /* 0 */
  int64_t tag;          /* of CG_SEND and CG_RECEIVE, else 0 */
  uint64_t schedule;    /* 0, or what the ranks that take part have to give
                           alike, as for cg_comm.agree */
} cg_collective;

/* A bit of cg_comm.flags: it does CG_SEND, CG_RECEIVE, and collectives of
   groups. */
#define CG_COMM_GROUPS 1
/* A bit of cg_comm.flags: start is called where there is one rank, too; else
   the model copies. */
#define CG_COMM_ALONE 2

/* What cg_comm.enqueue returns for a collective that it does not do. */
#define CG_COMM_BY_HOST (-1)

/* Ranks that compute together, for cg_context.comm. A communicator of one's own
   has this as its first member. Calls of one communicator come from one thread
   at a time. */
typedef struct cg_comm {
  uint32_t struct_size; /* sizeof(cg_comm) */
  int32_t rank;         /* of the caller, 0 <= rank < size */
  int32_t size;
  int32_t flags; /* 0, or bits of CG_COMM_GROUPS and CG_COMM_ALONE */
  /* Begins a collective; all ranks, or those of its group, begin the same ones
     in the same order, and several before the first wait. Until wait nobody
     else writes to `send`, and `recv` is the collective's alone. Returns CG_OK
     or CG_ERROR_COMM...: after an error, here or of wait, no buffer is in use.
   */
  int32_t (*start)(struct cg_comm *self, const cg_collective *what,
                   void **request);
  /* Returns when that collective has ended on this rank. */
  int32_t (*wait)(struct cg_comm *self, void **request);
  /* CG_ERROR_COMM_MISMATCH where ranks give different values. Entries give the
     hash of their collectives before each where flags has no CG_COMM_GROUPS,
     which takes it from cg_collective.schedule. */
  int32_t (*agree)(struct cg_comm *self, uint64_t value);
  /* The last error in words, never NULL. */
  const char *(*message)(struct cg_comm *self);
  /* From here on where struct_size covers it. */
  /* NULL, or a collective of memory of a CUDA device, whose context is current:
     enqueues it on the CUstream `stream`, and waits for nothing. Returns CG_OK,
     CG_ERROR_COMM..., or CG_COMM_BY_HOST, on all ranks alike: start and wait
     are to do it then with memory of the host, as they are where this is NULL.
     After an error of it or of the stream it uses no buffer. */
  int32_t (*enqueue)(struct cg_comm *self, const cg_collective *what,
                     void *stream);
} cg_comm;

/* A rank that is none: messages to it and from it are cg_context.host's. */
#define CG_HOST INT32_MAX

/* What a model asks of its caller: it hands over (CG_SEND) or takes
   (CG_RECEIVE) the elements of `what`, whose root is CG_HOST and whose tag says
   of what. Anything but 0 ends the call with CG_ERROR_CANCELLED. Calls of an
   entry on several threads call it from several threads. Throws nothing. */
typedef int32_t (*cg_host_fn)(const cg_collective *what, void *user);

struct cg_cuda; /* an open CUDA device */

/* What the caller may lend to a call. Every entry also takes NULL: it then
   allocates its arena for the call and frees it, and prints to stdout. Set
   struct_size to sizeof(cg_context) and unused members to zero: later versions
   append members. */
typedef struct cg_context {
  uint32_t struct_size;
  uint32_t flags;       /* none defined yet: 0; others are refused */
  void *arena;          /* scratch memory, 64-byte aligned, or NULL */
  uint64_t arena_bytes; /* at least CG_<MODEL>_<ENTRY>_ARENA_BYTES */
  cg_print_fn print;    /* NULL: text to stdout */
  void *print_user;     /* passed to print */
  /* From here on: where struct_size covers them. */
  const volatile int32_t *cancel; /* NULL, or a flag that any thread, signal
                                     handler or print may set: the call ends
                                     with CG_ERROR_CANCELLED at the next print,
                                     or trip of a loop that may take long */
  uint64_t max_trips; /* of loops of unknown length in one call; 0: no limit */
  uint64_t max_stash_bytes; /* they may keep at a time for their gradient; 0: no
                               limit */
  uint64_t *failed_bytes;   /* NULL, or where the bytes are written that such a
                               loop could not have */
  int32_t (*on_cancel)(
      void *user);      /* NULL, or what is asked where *cancel is
                           set: where it gives 0, the call goes on */
  void *on_cancel_user; /* passed to on_cancel */
  /* Version 2. */
  cg_parallel *parallel; /* NULL, or threads to compute on */
  cg_comm *comm;         /* NULL: one rank; or the ranks that models with
                            collectives compute with */
  struct cg_cuda *cuda;  /* for models with CUDA kernels: what they compute on;
                            the arena is memory of it then. Others ignore it */
  void *stream;      /* CUstream of such models; NULL: the legacy default one */
  cg_probe_fn probe; /* NULL, or what a model with probes (cellc --profile)
                        calls around each kernel; others ignore it */
  void *probe_user;  /* passed to probe */
  cg_allocate_fn allocate; /* NULL, or where a call takes memory for its arena,
                              where none is lent, and for what loops keep for
                              their gradient; on the thread of the call */
  cg_release_fn release;   /* takes it back, all of it before the call ends;
                              NULL where allocate is */
  void *memory_user;       /* passed to both */
  cg_host_fn host;      /* NULL, or the functions of the caller that the program
                           calls; a program that calls some fails without, with
                           CG_ERROR_CONTEXT */
  void *host_user;      /* passed to host */
  uint64_t reserved[1]; /* 0 */
} cg_context;

#ifdef __cplusplus
}
#endif
#endif /* CELLGRAD_ABI_VERSION */
