/*===- mpi.c - the ranks of whichever MPI library there is ----------------===
 *
 * No header and no library of MPI when this is built: the library is opened at
 * run time, and its symbols tell which of three ABIs it has. Handles are passed
 * as words: an int in MPICH, an address in Open MPI, a small number in MPI-5's.
 *
 * MPI moves bytes, elements are combined here: all element types have the same
 * rules with all libraries, and results the same bits. A reduction is two steps
 * that move as little as a ring: each rank gets its part of all ranks'
 * elements, combines it, and gives it to all.
 *
 * A blocking call of MPI cannot be left, so there is none: who waits asks
 * whether it is done, and when. A rank that did not come within the time limit
 * ends all: MPI has no way to take back what it was asked to do, and would
 * write to buffers of a program that went on.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/mpi.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static int32_t check(mpi *m, const char *what, int code) {
  if (code == 0)
    return CG_OK;
  char text[8192] = ""; /* more than any library's limit */
  int length = 0;
  m->Error_string(code, text, &length);
  return commFail(&m->base, CG_ERROR_COMM, "%s: %.300s", what, text);
}

/* Returns when what `code` has begun, `m->request`, is done. Ends all ranks
   where one is late. */
static int32_t await(mpi *m, const char *what, int code) {
  status_ status;
  int64_t until = 0;
  int done = 0;
  for (int tests = 1; code == 0; ++tests) {
    code = m->Test(&m->request, &done, &status);
    if (code != 0 || done)
      break;
    if (tests < kTests)
      continue;
    tests = 0;
    sched_yield();
    if (until == 0)
      until = now() + m->timeout;
    else if (now() > until) {
      fprintf(stderr,
              "error: rank %d of %d has waited %lld ms for ranks that did not "
              "come to %s: they are slower than the time limit allows, or "
              "stopped calling collectives; all ranks end\n",
              m->base.face.rank, m->base.face.size, (long long)m->timeout,
              what);
      fflush(NULL);
      m->Abort(m->all.comm, CG_ERROR_COMM_TIMEOUT);
      abort();
    }
  }
  return check(m, what, code);
}

/* MPI_Init waits for all ranks, and cannot be asked whether it is done. */
static int initialise(mpi *m, int wanted, int *level) {
  comm_watch watch;
  commBeginWatch(&watch, "MPI_Init", m->timeout);
  int code = m->Init_thread(NULL, NULL, wanted, level);
  commEndWatch(&watch);
  return code;
}

/* `bytes` bytes that live until the next call. */
static char *scratch(mpi *m, size_t bytes) {
  if (m->scratchBytes < bytes) {
    free(m->scratch);
    m->scratch = malloc(bytes);
    m->scratchBytes = m->scratch ? bytes : 0;
    if (!m->scratch)
      commFail(&m->base, CG_ERROR_COMM,
               "out of memory: %zu bytes for a collective", bytes);
  }
  return m->scratch;
}

/* Gives each rank its part of all ranks' elements, `begin[r]` to `begin[r + 1]`
   of `from`, and combines it into `to`. */
static int32_t combineParts(mpi *m, const team *t, const cg_collective *what,
                            const char *from, const int64_t *begin, char *to) {
  int32_t rank = t->rank, size = t->size;
  size_t element = commElementBytes(what->dtype);
  int *n = m->counts, *at = n + size, *own = at + size, *ownAt = own + size;
  int64_t part = begin[rank + 1] - begin[rank];
  for (int32_t r = 0; r < size; ++r) {
    n[r] = (int)((begin[r + 1] - begin[r]) * (int64_t)element);
    at[r] = (int)(begin[r] * (int64_t)element);
    own[r] = (int)(part * (int64_t)element);
    ownAt[r] = r * own[r];
  }
  size_t bytes = (size_t)part * element;
  char *all = scratch(m, (size_t)size * bytes + 1);
  if (!all)
    return m->base.failed;
  int32_t status = await(m, commName(what->kind),
                         m->Ialltoallv(from, n, at, m->byte, all, own, ownAt,
                                       m->byte, t->comm, &m->request));
  comm_parts parts = {all, bytes, NULL, size, -1, NULL};
  if (status == CG_OK)
    commCombine(what->dtype, what->op, to, &parts, part);
  return status;
}

/* In pieces of whole parts, one after the other. */
static int32_t allReduce(mpi *m, const team *t, const cg_collective *what,
                         const char *from) {
  int32_t rank = t->rank, size = t->size;
  size_t element = commElementBytes(what->dtype);
  int64_t begin[size + 1];
  int32_t status = CG_OK;
  for (int64_t at = 0; status == CG_OK && at < what->count; at += kPiece) {
    int64_t n = what->count - at < kPiece ? what->count - at : kPiece;
    int64_t part = (n + size - 1) / size;
    for (int32_t r = 0; r <= size; ++r)
      begin[r] = r * part < n ? r * part : n;
    char *to = (char *)what->recv + (size_t)at * element;
    status = combineParts(m, t, what, from + (size_t)at * element, begin,
                          to + (size_t)begin[rank] * element);
    /* combineParts has left the counts and offsets of parts. */
    if (status == CG_OK)
      status = await(m, "all_reduce",
                     m->Iallgatherv(m->inPlace, 0, m->byte, to, m->counts,
                                    m->counts + size, m->byte, t->comm,
                                    &m->request));
  }
  return status;
}

static int32_t reduceScatter(mpi *m, const team *t, const cg_collective *what,
                             const char *from) {
  int32_t size = t->size;
  int64_t begin[size + 1];
  for (int32_t r = 0; r <= size; ++r)
    begin[r] = r * what->count;
  return combineParts(m, t, what, from, begin, what->recv);
}

static int32_t allToAll(mpi *m, const team *t, const char *from, char *to,
                        int bytes) {
  int32_t size = t->size;
  int *n = m->counts, *at = n + size;
  for (int32_t r = 0; r < size; ++r) {
    n[r] = bytes;
    at[r] = r * bytes;
  }
  return await(m, "all_to_all",
               m->Ialltoallv(from, n, at, m->byte, to, n, at, m->byte, t->comm,
                             &m->request));
}

/* The communicator of a group, which its ranks make when they first meet. */
static const team *teamOf(mpi *m, const cg_collective *what) {
  if (!what->group)
    return &m->all;
  int32_t size = what->group_size;
  size_t bytes = (size_t)size * sizeof *what->group;
  for (int32_t i = 0; i < m->groupCount; ++i)
    if (m->groups[i].size == size &&
        memcmp(m->groups[i].members, what->group, bytes) == 0)
      return &m->groups[i];
  team *groups =
      realloc(m->groups, (size_t)(m->groupCount + 1) * sizeof *groups);
  if (groups)
    m->groups = groups;
  team made = {0, commPlace(what, m->all.rank), size, malloc(bytes)};
  if (!groups || !made.members) {
    free(made.members);
    commFail(&m->base, CG_ERROR_COMM, "out of memory: a group of %d ranks",
             size);
    return NULL;
  }
  memcpy(made.members, what->group, bytes);
  word everyone = 0, some = 0;
  int32_t status = check(m, "group", m->Comm_group(m->all.comm, &everyone));
  if (status == CG_OK)
    status =
        check(m, "group", m->Group_incl(everyone, size, made.members, &some));
  if (status == CG_OK)
    status = check(m, "group",
                   m->Comm_create_group(m->all.comm, some, 0, &made.comm));
  if (status != CG_OK) {
    free(made.members);
    return NULL;
  }
  m->Group_free(&some);
  m->Group_free(&everyone);
  m->groups[m->groupCount++] = made;
  return &m->groups[m->groupCount - 1];
}

/* Frees what the library has given to its receivers; returns whether that is
   all. */
static int sweep(mpi *m) {
  for (sent **at = &m->sent; *at;) {
    sent *message = *at;
    int over[2] = {0, 0};
    status_ ignored;
    for (int i = 0; i < 2; ++i) /* one that is over stays so */
      m->Test(&message->requests[i], &over[i], &ignored);
    if (over[0] && over[1]) {
      *at = message->next;
      free(message);
    } else {
      at = &message->next;
    }
  }
  return !m->sent;
}

static int32_t refuseLarge(mpi *m, const cg_collective *what, size_t bytes,
                           const char *over) {
  return commFail(&m->base, CG_ERROR_COMM,
                  "%s of %zu bytes a rank is more than MPI moves at once: "
                  "2 GiB%s",
                  commName(what->kind), bytes, over);
}

/* A copy is kept until it is received, so that two ranks may send to each other
   before they receive. */
static int32_t send_(mpi *m, const cg_collective *what) {
  comm_header header = commHeader(what);
  size_t bytes = commBytes(&header);
  sent *message = malloc(sizeof *message + bytes);
  if (!message)
    return commFail(&m->base, CG_ERROR_COMM,
                    "out of memory: %zu bytes for a message", bytes);
  message->header = header;
  message->requests[0] = message->requests[1] = 0;
  memcpy(message->data, what->send ? what->send : what->recv, bytes);
  int32_t status =
      check(m, "send",
            m->Isend(&message->header, (int)sizeof header, m->byte, what->root,
                     0, m->all.comm, &message->requests[0]));
  if (status == CG_OK)
    status = check(m, "send",
                   m->Isend(message->data, (int)bytes, m->byte, what->root, 0,
                            m->all.comm, &message->requests[1]));
  if (status == CG_OK) {
    message->next = m->sent;
    m->sent = message;
  } /* else the library may still read it */
  return status;
}

/* Messages of one rank come in their order, of all tags. */
static int32_t receive(mpi *m, const cg_collective *what) {
  comm_message *kept = commTake(&m->base, what->root, what->tag);
  comm_header header = kept ? kept->header : (comm_header){0, 0, 0, 0};
  char text[kText];
  int32_t status = CG_OK;
  while (!kept && status == CG_OK) {
    status = await(m, "receive",
                   m->Irecv(&header, (int)sizeof header, m->byte, what->root, 0,
                            m->all.comm, &m->request));
    if (status != CG_OK || header.tag == what->tag)
      break;
    comm_message *other = commMessage(&m->base, what->root, &header);
    if (!other)
      return m->base.failed;
    commKeep(&m->base, other);
    status = await(m, "receive",
                   m->Irecv(other->data, (int)commBytes(&header), m->byte,
                            what->root, 0, m->all.comm, &m->request));
  }
  if (status == CG_OK && !commFits(&m->base, &header, what, text))
    status = commFail(&m->base, CG_ERROR_COMM_MISMATCH, "%s", text);
  if (status == CG_OK && kept)
    memcpy(what->recv, kept->data, commBytes(&header));
  else if (status == CG_OK)
    status = await(m, "receive",
                   m->Irecv(what->recv, (int)commBytes(&header), m->byte,
                            what->root, 0, m->all.comm, &m->request));
  free(kept);
  return status;
}

static int32_t agree(mpi *m, const team *t, uint64_t hash);

static int32_t perform(comm_base *self, const cg_collective *what) {
  mpi *m = (mpi *)self;
  int32_t status = commCheck(&m->base, what);
  if (status != CG_OK)
    return status;
  sweep(m);
  const team *t = teamOf(m, what);
  if (!t)
    return m->base.failed;
  if (what->schedule) {
    uint64_t hash = what->schedule; /* of this group */
    for (int32_t i = 0; i < what->group_size; ++i)
      hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)what->group[i] + 1;
    if ((status = agree(m, t, hash)) != CG_OK)
      return status;
  }
  if (what->kind == CG_BARRIER)
    return await(m, "barrier", m->Ibarrier(t->comm, &m->request));
  const char *from = what->send ? what->send : what->recv;
  size_t element = commElementBytes(what->dtype);
  size_t bytes = (size_t)what->count * element;
  if (what->kind == CG_ALL_REDUCE)
    return allReduce(m, t, what, from);
  if (what->kind == CG_SEND || what->kind == CG_RECEIVE) {
    if (bytes > INT32_MAX)
      return refuseLarge(m, what, bytes, "");
    return what->kind == CG_SEND ? send_(m, what) : receive(m, what);
  }
  if (bytes * (size_t)t->size > INT32_MAX)
    return refuseLarge(m, what, bytes, " over all ranks");
  switch (what->kind) {
  case CG_REDUCE_SCATTER:
    return reduceScatter(m, t, what, from);
  case CG_ALL_GATHER:
    return await(m, "all_gather",
                 m->Iallgather(from, (int)bytes, m->byte, what->recv,
                               (int)bytes, m->byte, t->comm, &m->request));
  case CG_ALL_TO_ALL:
    return allToAll(m, t, from, what->recv, (int)bytes);
  default:
    if (m->all.rank == what->root && from != what->recv)
      memcpy(what->recv, from, bytes);
    return await(m, "broadcast",
                 m->Ibcast(what->recv, (int)bytes, m->byte,
                           commPlace(what, what->root), t->comm, &m->request));
  }
}

static int32_t agree(mpi *m, const team *t, uint64_t hash) {
  int32_t size = t->size;
  if (m->base.failed)
    return m->base.failed;
  if (commHasAgreed(&m->base, hash))
    return CG_OK;
  uint64_t all[size];
  int32_t status = await(
      m, "the first call of a program",
      m->Iallgather(&hash, 8, m->byte, all, 8, m->byte, t->comm, &m->request));
  for (int32_t r = 1; status == CG_OK && r < size; ++r)
    if (all[r] != all[0])
      status = commFail(&m->base, CG_ERROR_COMM_MISMATCH,
                        "rank %d runs another program than rank %d, or the "
                        "same with other shapes or dtypes",
                        t->members ? t->members[r] : r,
                        t->members ? t->members[0] : 0);
  if (status == CG_OK)
    commNoteAgreed(&m->base, hash);
  return status;
}

static int32_t compare(comm_base *self, uint64_t hash) {
  mpi *m = (mpi *)self;
  return agree(m, &m->all, hash);
}

static const char *message(cg_comm *self) { return ((mpi *)self)->base.text; }

static void release(comm_base *base) {
  mpi *m = (mpi *)base;
  int over = 0;
  m->Finalized(&over);
  if (!over) {
    /* Who never receives does not keep the others. */
    for (int i = 0; i < 1000 && !sweep(m); ++i) {
      struct timespec pause = {0, 1000000};
      nanosleep(&pause, NULL);
    }
    for (int32_t i = 0; i < m->groupCount; ++i)
      m->Comm_free(&m->groups[i].comm);
    m->Comm_free(&m->all.comm);
    if (m->finalizes)
      m->Finalize();
  }
  for (int32_t i = 0; i < m->groupCount; ++i)
    free(m->groups[i].members);
  free(m->groups);
  free(m->scratch);
  free(m->counts);
}

static void abort_(comm_base *base) {
  mpi *m = (mpi *)base;
  m->Abort(m->all.comm, 1);
}

/* A library that is loaded already comes first: never two in one process. Open
   MPI's plugins need its symbols to be global. */
static void *openLibrary(const char *library) {
  const char *names[] = {library,        "libmpi_abi.so.0", "libmpi_abi.so.1",
                         "libmpi.so.12", "libmpi.so.40",    "libmpi.so"};
  int count = (int)(sizeof names / sizeof *names);
  for (int loaded = 1; loaded >= 0; --loaded)
    for (int i = 0; i < count; ++i) {
      void *handle = names[i] ? dlopen(names[i], RTLD_NOW | RTLD_GLOBAL |
                                                     (loaded ? RTLD_NOLOAD : 0))
                              : NULL;
      if (handle)
        return handle;
    }
  return NULL;
}

/* The constants of a library's ABI; returns its level of MPI_THREAD_SERIALIZED,
   0 where it is none that is known. */
static int readConstants(mpi *m, void *handle, word *world, word *returns) {
  Dl_info where;
  if (dlsym(handle, "ompi_mpi_comm_world")) {
    m->base.kind = "Open MPI";
    *world = (word)dlsym(handle, "ompi_mpi_comm_world");
    *returns = (word)dlsym(handle, "ompi_mpi_errors_return");
    m->byte = (word)dlsym(handle, "ompi_mpi_byte");
    m->inPlace = (void *)1;
    return 2;
  }
  if (dladdr(dlsym(handle, "MPI_Iallgather"), &where) &&
      strstr(where.dli_fname, "libmpi_abi.")) {
    m->base.kind = "MPI-5 ABI";
    *world = 0x101, *returns = 0x143;
    m->byte = 0x247;
    m->inPlace = (void *)1;
    return 2048;
  }
  char version[8192] = "";
  int length = 0;
  m->Get_library_version(version, &length);
  if (!strstr(version, "MPICH") && !strstr(version, "Intel") &&
      !strstr(version, "MVAPICH"))
    return 0;
  m->base.kind = "MPICH";
  *world = 0x44000000, *returns = 0x54000001;
  m->byte = 0x4c00010d;
  m->inPlace = (void *)-1;
  return 2;
}

static void *refuseMpi(mpi *m) {
  free(m->counts);
  free(m);
  return NULL;
}

cg_comm *cg_comm_mpi(const char *library, const int32_t *communicator,
                     int64_t timeout) {
  void *handle = openLibrary(library);
  if (!handle)
    return commRefuse("no MPI library is found%s%s: %s", library ? " as " : "",
                      library ? library : "", dlerror());
  mpi *m = calloc(1, sizeof *m);
  if (!m)
    return commRefuse("out of memory");
#define FIND(name)                                                             \
  if (!(*(void **)&m->name = dlsym(handle, "MPI_" #name))) {                   \
    commRefuse("the MPI library has no MPI_" #name);                           \
    return refuseMpi(m);                                                       \
  }
  FIND(Abort)
  FIND(Comm_create_group)
  FIND(Comm_free)
  FIND(Comm_group)
  FIND(Comm_idup)
  FIND(Comm_rank)
  FIND(Comm_set_errhandler)
  FIND(Comm_size)
  FIND(Error_string)
  FIND(Finalize)
  FIND(Finalized)
  FIND(Get_library_version)
  FIND(Group_free)
  FIND(Group_incl)
  FIND(Iallgather)
  FIND(Iallgatherv)
  FIND(Ialltoallv)
  FIND(Ibarrier)
  FIND(Ibcast)
  FIND(Init_thread)
  FIND(Initialized)
  FIND(Irecv)
  FIND(Isend)
  FIND(Query_thread)
  FIND(Test)
#undef FIND
  word world, returns;
  int serialized = readConstants(m, handle, &world, &returns);
  if (!serialized) {
    commRefuse("the MPI library is of no kind that is known: MPICH, Open MPI, "
               "or one with MPI-5's ABI");
    return refuseMpi(m);
  }
  int before = 0, level = 0;
  m->Initialized(&before);
  m->timeout = timeout;
  if (!before && initialise(m, serialized, &level)) {
    commRefuse("MPI_Init_thread failed: %s", m->base.kind);
    return refuseMpi(m);
  }
  m->finalizes = !before;
  if (communicator) {
    word (*fromFortran)(int) = (word (*)(int))dlsym(handle, "MPI_Comm_f2c");
    if (!fromFortran)
      fromFortran = (word (*)(int))dlsym(handle, "MPI_Comm_fromint");
    if (!fromFortran) {
      commRefuse("the MPI library has no MPI_Comm_f2c");
      return refuseMpi(m);
    }
    world = fromFortran(*communicator);
  }
  /* One of our own: what the program sends and this sends never meet. */
  word own = 0;
  int rank = 0, size = 0;
  m->all.comm = world; /* to end */
  if (m->Comm_rank(world, &rank) || m->Comm_size(world, &size)) {
    commRefuse("the communicator is none of this MPI library: %s",
               m->base.kind);
    return refuseMpi(m);
  }
  m->base.face = (cg_comm){sizeof(cg_comm), rank,      size,
                           CG_COMM_GROUPS,  commBegin, commEnd,
                           commAgree,       message,   NULL};
  if (await(m, "make a communicator", m->Comm_idup(world, &own, &m->request)) ||
      m->Comm_set_errhandler(own, returns) ||
      !(m->counts = malloc(sizeof(int) * 4 * (size_t)size))) {
    commRefuse("the communicator cannot be duplicated: %s", m->base.kind);
    return refuseMpi(m);
  }
  m->all = (team){own, rank, size, NULL};
  m->base.perform = perform;
  m->base.compare = compare;
  commOpen(&m->base);
  /* Who has initialised MPI has said how many threads call it. */
  if (!before ? level < serialized
              : m->Query_thread(&level) || level < serialized)
    cg_comm_use_thread(&m->base.face, 0);
  m->base.release = release;
  m->base.abort = abort_;
  return &m->base.face;
}
