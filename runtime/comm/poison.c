/*===- poison.c - buffers that are in use are of no use to others
 * ------------===
 *
 * For tests of who calls a communicator. A collective works on copies. Until it
 * is waited for, what it receives is NaN, so that who reads too early notices;
 * and who writes to what is sent or received is noticed by the wait.
 *===----------------------------------------------------------------------===*/

#include "runtime/comm/progress.h"

#include <stdlib.h>
#include <string.h>

typedef struct flight {
  cg_collective what; /* the caller's */
  void *request;
  char *sent, *received;
  size_t sentBytes, receivedBytes;
} flight;

static int32_t drop(flight *f, int32_t status) {
  free(f->sent);
  free(f->received);
  free(f);
  return status;
}

static int32_t begin(cg_comm *self, const cg_collective *what, void **request) {
  *request = NULL;
  flight *f = calloc(1, sizeof *f);
  if (!f)
    return CG_ERROR_COMM;
  memcpy(&f->what, what,
         what->struct_size < sizeof *what ? what->struct_size : sizeof *what);
  what = &f->what;
  size_t bytes = (size_t)what->count * commElementBytes(what->dtype);
  size_t all = bytes * (size_t)commCount((comm_base *)self, what);
  int scatters = what->kind == CG_REDUCE_SCATTER || what->kind == CG_ALL_TO_ALL;
  int gathers = what->kind == CG_ALL_GATHER || what->kind == CG_ALL_TO_ALL;
  const void *from =
      what->send || what->kind == CG_RECEIVE ? what->send : what->recv;
  f->sentBytes = from ? (scatters ? all : bytes) : 0;
  f->receivedBytes = what->recv ? (gathers ? all : bytes) : 0;
  f->sent = malloc(f->sentBytes + 1);
  f->received = malloc(f->receivedBytes + 1);
  if (!f->sent || !f->received)
    return drop(f, CG_ERROR_COMM);
  if (from)
    memcpy(f->sent, from, f->sentBytes);
  if (what->recv)
    memset(what->recv, -1, f->receivedBytes);
  cg_collective copy = *what;
  copy.send = from ? f->sent : NULL;
  copy.recv = what->recv ? f->received : NULL;
  int32_t status = commBegin(self, &copy, &f->request);
  if (status != CG_OK)
    return drop(f, status);
  *request = f;
  return CG_OK;
}

static int isWritten(const flight *f) {
  const unsigned char *bytes = f->what.recv;
  for (size_t i = 0; i < f->receivedBytes; ++i)
    if (bytes[i] != 255)
      return 1;
  return f->what.send && f->what.send != f->what.recv &&
         memcmp(f->what.send, f->sent, f->sentBytes) != 0;
}

static int32_t end(cg_comm *self, void **request) {
  flight *f = *request;
  int32_t status = commEnd(self, &f->request);
  if (status == CG_OK && isWritten(f))
    status = commBreak((comm_base *)self,
                       "somebody writes to the buffers of a collective "
                       "before it is waited for");
  if (status == CG_OK && f->what.recv)
    memcpy(f->what.recv, f->received, f->receivedBytes);
  return drop(f, status);
}

void cg_comm_poison(cg_comm *comm) {
  comm->start = begin;
  comm->wait = end;
}
