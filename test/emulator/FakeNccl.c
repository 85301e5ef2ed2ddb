/*===- FakeNccl.c - NCCL on emulated devices ------------------------------===
 *
 * In place of libnccl.so.2, for tests without GPUs. Ranks are processes of one
 * machine and meet in memory that they share. As with NCCL:
 *
 *  - buffers are memory of the device, and a collective runs when its stream
 *    comes to it: on the emulated driver, when somebody waits;
 *  - collectives of one communicator run in the order in which they were
 *    enqueued, whatever their streams;
 *  - two ranks on one device are refused.
 *
 * What NCCL would hang or compute nonsense from ends the stream with an error:
 * ranks that do different things, memory that is gone. A thread goes on with
 * what nobody waits for, as a device does.
 *===----------------------------------------------------------------------===*/

#define _GNU_SOURCE 1
#include "runtime/comm/comm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { kSuccess, kCuda, kSystem, kInternal, kArgument, kUsage, kRemote };
enum { kMostRanks = CG_MOST_SHARED_RANKS, kPauseUs = 100000, kIdName = 32 };

typedef struct {
  char internal[128];
} ncclUniqueId;

/* Of the emulated driver. */
static struct {
  int (*cuCtxGetCurrent)(void **);
  int (*cuCtxGetDevice)(int *);
  int (*cuCtxPushCurrent_v2)(void *);
  int (*cuCtxPopCurrent_v2)(void **);
  int (*cuEventCreate)(void **, unsigned);
  int (*cuEventDestroy_v2)(void *);
  int (*cuEventRecord)(void *, void *);
  int (*cuLaunchHostFunc)(void *, void (*)(void *), void *);
  int (*cuStreamIsCapturing)(void *, int *);
  int (*cuStreamSynchronize)(void *);
  int (*cuStreamWaitEvent)(void *, void *, unsigned);
  int (*cellEmuAccess)(uint64_t, uint64_t, int);
  void (*cellEmuFail)(const char *);
} driver;

typedef struct ncclComm {
  cg_comm *ranks;
  void *context;
  void *last;   /* event behind the last collective */
  void *stream; /* its stream */
  int enqueued;
  pthread_mutex_t mutex; /* of what follows */
  pthread_cond_t changed;
  pthread_t thread;
  long begun, done;
  int failed, stops;
} *ncclComm_t;

typedef struct operation {
  ncclComm_t comm;
  cg_collective what;
} operation;

static _Thread_local char words[256];

static int refuse(int result, const char *why) {
  snprintf(words, sizeof words, "%s", why);
  return result;
}

static int findDriver(void) {
  const char *name = getenv("CELLGRAD_CUDA_DRIVER");
  void *handle =
      dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!handle)
    return refuse(kCuda, "the emulated driver is not loaded");
#define FIND(name)                                                             \
  if (!(*(void **)&driver.name = dlsym(handle, #name)))                        \
    return refuse(kCuda,                                                       \
                  "the driver is not the emulated one: it has no " #name);
  FIND(cuCtxGetCurrent)
  FIND(cuCtxGetDevice)
  FIND(cuCtxPushCurrent_v2)
  FIND(cuCtxPopCurrent_v2)
  FIND(cuEventCreate)
  FIND(cuEventDestroy_v2)
  FIND(cuEventRecord)
  FIND(cuLaunchHostFunc)
  FIND(cuStreamIsCapturing)
  FIND(cuStreamSynchronize)
  FIND(cuStreamWaitEvent)
  FIND(cellEmuAccess)
  FIND(cellEmuFail)
#undef FIND
  return kSuccess;
}

API int ncclGetVersion(int *version) {
  *version = 22100;
  return kSuccess;
}

API const char *ncclGetErrorString(int result) {
  static const char *const names[] = {
      "no error",
      "unhandled cuda error",
      "unhandled system error",
      "internal error",
      "invalid argument",
      "invalid usage",
      "remote process exited or there was a network error"};
  return result >= 0 && result <= kRemote ? names[result] : "unknown";
}

API const char *ncclGetLastError(ncclComm_t comm) {
  (void)comm;
  return words;
}

API int ncclGetUniqueId(ncclUniqueId *id) {
  memset(id, 0, sizeof *id);
  snprintf(id->internal, kIdName, "nccl-%d-%lx", getpid(), random());
  return kSuccess;
}

/* -- Elements, and who has how many ---------------------------------------- */

static int dtypeOf(int type) {
  static const int types[] = {CG_INT8,    CG_INT8,    CG_INT32,   CG_INT32,
                              CG_INT64,   CG_INT64,   CG_FLOAT16, CG_FLOAT32,
                              CG_FLOAT64, CG_BFLOAT16};
  return type >= 0 && type < 10 ? types[type] : -1;
}

static size_t bytesOf(int dtype) {
  return dtype == CG_FLOAT64 || dtype == CG_INT64   ? 8
         : dtype == CG_FLOAT32 || dtype == CG_INT32 ? 4
         : dtype == CG_INT8                         ? 1
                                                    : 2;
}

static size_t sent(const operation *o) {
  size_t bytes = (size_t)o->what.count * bytesOf(o->what.dtype);
  return o->what.kind == CG_REDUCE_SCATTER || o->what.kind == CG_ALL_TO_ALL
             ? bytes * (size_t)o->comm->ranks->size
             : bytes;
}

static size_t received(const operation *o) {
  size_t bytes = (size_t)o->what.count * bytesOf(o->what.dtype);
  return o->what.kind == CG_ALL_GATHER || o->what.kind == CG_ALL_TO_ALL
             ? bytes * (size_t)o->comm->ranks->size
             : bytes;
}

/* Only the root's elements are read in a broadcast. */
static int reads(const operation *o) {
  return o->what.kind != CG_BROADCAST || o->what.root == o->comm->ranks->rank;
}

/* -- Collectives ------------------------------------------------------------
 */

static void end(ncclComm_t c, int failed) {
  pthread_mutex_lock(&c->mutex);
  ++c->done;
  c->failed |= failed;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
}

/* When the stream has come to it. Memory of the emulated device is memory. */
static void run(void *data) {
  operation *o = data;
  cg_comm *ranks = o->comm->ranks;
  const char *why = NULL;
  void *request = NULL;
  if (!ranks)
    why = "the communicator of a collective has been aborted";
  else if ((reads(o) &&
            !driver.cellEmuAccess((uintptr_t)o->what.send, sent(o), 0)) ||
           !driver.cellEmuAccess((uintptr_t)o->what.recv, received(o), 1))
    why = "a buffer of a collective has been freed, or was never written";
  else if (ranks->start(ranks, &o->what, &request) != CG_OK ||
           ranks->wait(ranks, &request) != CG_OK)
    why = ranks->message(ranks);
  if (why)
    driver.cellEmuFail(why);
  end(o->comm, why != NULL);
  free(o);
}

static int enqueue(ncclComm_t c, const cg_collective *what, void *stream) {
  int capturing = 0;
  operation check = {c, *what};
  if (driver.cuStreamIsCapturing(stream, &capturing))
    return refuse(kArgument, "this is no stream of the device");
  if (capturing)
    return refuse(kUsage, "the fake cannot be part of a graph");
  if (!driver.cellEmuAccess((uintptr_t)what->send, sent(&check), -1) ||
      !driver.cellEmuAccess((uintptr_t)what->recv, received(&check), -1))
    return refuse(kArgument, "a buffer is not within memory of the device");
  if (c->enqueued && c->stream != stream &&
      driver.cuStreamWaitEvent(stream, c->last, 0))
    return refuse(kCuda, "the order of collectives");
  operation *o = malloc(sizeof *o);
  if (!o)
    return refuse(kSystem, "out of memory");
  *o = check;
  if (driver.cuLaunchHostFunc(stream, run, o) ||
      driver.cuEventRecord(c->last, stream))
    return refuse(kCuda, "a collective cannot be enqueued");
  c->stream = stream;
  c->enqueued = 1;
  pthread_mutex_lock(&c->mutex);
  ++c->begun;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
  return kSuccess;
}

static cg_collective collective(int kind, int dtype, size_t count,
                                const void *send, void *recv) {
  return (cg_collective){.struct_size = sizeof(cg_collective),
                         .kind = kind,
                         .dtype = dtype,
                         .flags = CG_AT_ONCE,
                         .count = (int64_t)count,
                         .send = send,
                         .recv = recv};
}

static int reduce(int kind, const void *from, void *to, size_t count, int type,
                  int op, ncclComm_t c, void *stream) {
  static const int ops[] = {CG_SUM, CG_PROD, CG_MAX, CG_MIN};
  if (dtypeOf(type) < 0 || op < 0 || op > 3)
    return refuse(kArgument, "no such type or operation");
  cg_collective what = collective(kind, dtypeOf(type), count, from, to);
  what.op = ops[op];
  return enqueue(c, &what, stream);
}

API int ncclAllReduce(const void *from, void *to, size_t count, int type,
                      int op, ncclComm_t c, void *stream) {
  return reduce(CG_ALL_REDUCE, from, to, count, type, op, c, stream);
}

API int ncclReduceScatter(const void *from, void *to, size_t count, int type,
                          int op, ncclComm_t c, void *stream) {
  return reduce(CG_REDUCE_SCATTER, from, to, count, type, op, c, stream);
}

API int ncclAllGather(const void *from, void *to, size_t count, int type,
                      ncclComm_t c, void *stream) {
  if (dtypeOf(type) < 0)
    return refuse(kArgument, "no such type");
  cg_collective what =
      collective(CG_ALL_GATHER, dtypeOf(type), count, from, to);
  return enqueue(c, &what, stream);
}

API int ncclBroadcast(const void *from, void *to, size_t count, int type,
                      int root, ncclComm_t c, void *stream) {
  if (dtypeOf(type) < 0 || root < 0 || root >= c->ranks->size)
    return refuse(kArgument, "no such type or root");
  cg_collective what = collective(CG_BROADCAST, dtypeOf(type), count, from, to);
  what.root = root;
  return enqueue(c, &what, stream);
}

/* -- Groups of messages: from each rank to each -----------------------------
 */

static _Thread_local struct {
  int depth, sends, receives;
  ncclComm_t comm;
  void *stream;
  const char *from[kMostRanks];
  char *to[kMostRanks];
  size_t count;
  int dtype, odd;
} group;

static int message(const void *from, void *to, size_t count, int type, int peer,
                   ncclComm_t c, void *stream) {
  if (!group.depth)
    return refuse(kUsage, "the fake has messages in groups alone");
  if (dtypeOf(type) < 0 || peer < 0 || peer >= c->ranks->size)
    return refuse(kArgument, "no such type or rank");
  if (group.sends + group.receives == 0) {
    group.comm = c;
    group.stream = stream;
    group.count = count;
    group.dtype = dtypeOf(type);
  }
  group.odd |= group.comm != c || group.stream != stream ||
               group.count != count || group.dtype != dtypeOf(type);
  if (from) {
    group.odd |= group.from[peer] != NULL;
    group.from[peer] = from;
    ++group.sends;
  } else {
    group.odd |= group.to[peer] != NULL;
    group.to[peer] = to;
    ++group.receives;
  }
  return kSuccess;
}

API int ncclSend(const void *from, size_t count, int type, int peer,
                 ncclComm_t c, void *stream) {
  return message(from, NULL, count, type, peer, c, stream);
}

API int ncclRecv(void *to, size_t count, int type, int peer, ncclComm_t c,
                 void *stream) {
  return message(NULL, to, count, type, peer, c, stream);
}

API int ncclGroupStart(void) {
  if (group.depth++ == 0) {
    memset(&group, 0, sizeof group);
    group.depth = 1;
  }
  return kSuccess;
}

API int ncclGroupEnd(void) {
  if (--group.depth || group.sends + group.receives == 0)
    return kSuccess;
  ncclComm_t c = group.comm;
  size_t bytes = group.count * bytesOf(group.dtype);
  int odd = group.odd || group.sends != c->ranks->size ||
            group.receives != c->ranks->size;
  for (int32_t r = 0; !odd && r < c->ranks->size; ++r)
    odd = group.from[r] != group.from[0] + (size_t)r * bytes ||
          group.to[r] != group.to[0] + (size_t)r * bytes;
  if (odd)
    return refuse(kUsage, "the fake has groups from each rank to each alone, "
                          "of blocks behind one another");
  cg_collective what = collective(CG_ALL_TO_ALL, group.dtype, group.count,
                                  group.from[0], group.to[0]);
  return enqueue(c, &what, group.stream);
}

/* -- Communicators ----------------------------------------------------------
 */

/* Goes on with what nobody waits for. */
static void *goOn(void *data) {
  ncclComm_t c = data;
  pthread_mutex_lock(&c->mutex);
  while (!c->stops) {
    if (c->done == c->begun || c->failed) {
      pthread_cond_wait(&c->changed, &c->mutex);
      continue;
    }
    long done = c->done;
    void *stream = c->stream;
    pthread_mutex_unlock(&c->mutex);
    usleep(kPauseUs);
    pthread_mutex_lock(&c->mutex);
    if (c->done != done || c->stops)
      continue;
    pthread_mutex_unlock(&c->mutex);
    void *popped;
    driver.cuCtxPushCurrent_v2(c->context);
    driver.cuStreamSynchronize(stream);
    driver.cuCtxPopCurrent_v2(&popped);
    pthread_mutex_lock(&c->mutex);
  }
  pthread_mutex_unlock(&c->mutex);
  return NULL;
}

/* Whether each rank has a device of its own. */
static int differ(cg_comm *ranks, int32_t device) {
  int32_t all[kMostRanks];
  void *request = NULL;
  cg_collective what = collective(CG_ALL_GATHER, CG_INT32, 1, &device, all);
  if (ranks->start(ranks, &what, &request) != CG_OK ||
      ranks->wait(ranks, &request) != CG_OK)
    return 0;
  for (int32_t r = 0; r < ranks->size; ++r)
    for (int32_t s = 0; s < r; ++s)
      if (all[r] == all[s])
        return 0;
  return 1;
}

API int ncclCommInitRank(ncclComm_t *out, int size, ncclUniqueId id, int rank) {
  int device = 0;
  *out = NULL;
  words[0] = 0;
  int result = findDriver();
  if (result)
    return result;
  ncclComm_t c = calloc(1, sizeof *c);
  if (!c)
    return refuse(kSystem, "out of memory");
  if (driver.cuCtxGetCurrent(&c->context) || !c->context ||
      driver.cuCtxGetDevice(&device) || driver.cuEventCreate(&c->last, 2)) {
    free(c);
    return refuse(kCuda, "no device is current");
  }
  id.internal[kIdName - 1] = 0;
  c->ranks = cg_comm_shared(id.internal, rank, size, 60000, NULL);
  if (!c->ranks) {
    free(c);
    return refuse(kSystem, cg_comm_error());
  }
  if (!differ(c->ranks, device)) {
    cg_comm_free(c->ranks);
    free(c);
    return refuse(kUsage, "Duplicate GPU detected");
  }
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->changed, NULL);
  if (pthread_create(&c->thread, NULL, goOn, c))
    return refuse(kSystem, "no thread");
  *out = c;
  return kSuccess;
}

API int ncclCommGetAsyncError(ncclComm_t c, int *result) {
  pthread_mutex_lock(&c->mutex);
  *result = c->failed ? kRemote : kSuccess;
  pthread_mutex_unlock(&c->mutex);
  return kSuccess;
}

API int ncclCommAbort(ncclComm_t c) {
  pthread_mutex_lock(&c->mutex);
  c->stops = 1;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
  pthread_join(c->thread, NULL);
  cg_comm_free(c->ranks);
  c->ranks = NULL; /* what is enqueued finds that it is over */
  return kSuccess;
}

API int ncclCommDestroy(ncclComm_t c) {
  void *popped;
  if (c->enqueued) {
    driver.cuCtxPushCurrent_v2(c->context);
    driver.cuStreamSynchronize(c->stream);
    driver.cuCtxPopCurrent_v2(&popped);
  }
  return ncclCommAbort(c);
}
