//===- Cancel.cpp - calls that end early ----------------------------------===//
//
// Python's handlers of signals run between steps of the interpreter: too late
// for compiled code that does not return. So while such code runs in the main
// thread, the process's handler is one that sets the flag of the call and then
// does what Python's does.
//
//===----------------------------------------------------------------------===//

#include "pyfront/native/Cancel.h"

#include <nanobind/nanobind.h>

#include <mutex>
#include <pthread.h>

namespace nb = nanobind;
using namespace cellgrad::python;

CallLimits cellgrad::python::callLimits;

namespace {
std::mutex runningMutex;
CancelFlag *running; // the last that began; guarded by runningMutex

/// The flag of what runs in the main thread, which Ctrl-C sets: not one on the
/// stack, as the signal may be late. A call from a print of another shares it.
volatile int32_t interrupted;
unsigned interruptible; ///< such calls

struct sigaction pythonHandler; ///< that was found for SIGINT

/// The main thread. After a fork it is the one that forked.
pthread_t mainThread;

/// Whether Ctrl-C raises KeyboardInterrupt: another handler of the program's
/// may mean something else, and runs when the call returns.
bool interruptRaises() {
  auto find = [](const char *name) { // lives as long as the process
    return nb::getattr(nb::module_::import_("_signal"), name).release();
  };
  static const nb::handle getsignal = find("getsignal"),
                          raises = find("default_int_handler");
  return getsignal(SIGINT).is(raises);
}
} // namespace

void cellgrad::python::setMainThread(unsigned long ident) {
  mainThread = static_cast<pthread_t>(ident);
  pthread_atfork(nullptr, nullptr, [] { mainThread = pthread_self(); });
}

void CancelFlag::onInterrupt(int signal, siginfo_t *info, void *machine) {
  interrupted = 1;
  if (pythonHandler.sa_flags & SA_SIGINFO)
    pythonHandler.sa_sigaction(signal, info, machine);
  else if (pythonHandler.sa_handler != SIG_DFL &&
           pythonHandler.sa_handler != SIG_IGN)
    pythonHandler.sa_handler(signal);
}

void CancelFlag::hookInterrupts() {
  if (!pthread_equal(pthread_self(), mainThread) || !interruptRaises())
    return;
  flag = &interrupted;
  hooked = true;
  if (interruptible++ != 0)
    return;
  interrupted = 0;
  struct sigaction ours = {};
  ours.sa_sigaction = onInterrupt;
  ours.sa_flags = SA_SIGINFO;
  sigaction(SIGINT, &ours, &pythonHandler);
}

CancelFlag::CancelFlag(bool polled) {
  if (!polled)
    return;
  hookInterrupts();
  std::lock_guard<std::mutex> lock(runningMutex);
  next = running;
  running = this;
  listed = true;
}

CancelFlag::~CancelFlag() {
  if (hooked) {
    struct sigaction found;
    if (--interruptible != 0)
      interrupted = 0; // what ended this call is an exception now, in the print
    else if (sigaction(SIGINT, &pythonHandler, &found) == 0 &&
             found.sa_sigaction != onInterrupt)
      // A print has run Python code that set another.
      sigaction(SIGINT, &found, nullptr);
  }
  if (listed) {
    std::lock_guard<std::mutex> lock(runningMutex);
    CancelFlag **link = &running;
    while (*link != this)
      link = &(*link)->next;
    *link = next;
  }
}

void cellgrad::python::cancelCalls() {
  std::lock_guard<std::mutex> lock(runningMutex);
  for (CancelFlag *call = running; call; call = call->next)
    call->set();
}
