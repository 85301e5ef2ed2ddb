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

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace nb = nanobind;
using namespace cellgrad::python;

CallLimits cellgrad::python::callLimits;

namespace {
std::mutex runningMutex;
std::vector<CancelFlag *> running; // guarded by runningMutex

/// The innermost call of the main thread, and what it found for SIGINT.
std::atomic<CancelFlag *> interruptible;
struct sigaction pythonHandler;

/// Whether Ctrl-C raises KeyboardInterrupt: another handler of the program's
/// may mean something else, and runs when the call returns.
bool interruptRaises() {
  try {
    nb::module_ signals = nb::module_::import_("_signal");
    return signals.attr("getsignal")(SIGINT).is(
        signals.attr("default_int_handler"));
  } catch (const nb::python_error &) {
    return false;
  }
}
} // namespace

void CancelFlag::onInterrupt(int signal, siginfo_t *info, void *machine) {
  if (CancelFlag *call = interruptible.load())
    call->set();
  if (pythonHandler.sa_flags & SA_SIGINFO)
    pythonHandler.sa_sigaction(signal, info, machine);
  else
    pythonHandler.sa_handler(signal);
}

void CancelFlag::hookInterrupts() {
  if (getpid() != syscall(SYS_gettid) || !interruptRaises())
    return;
  struct sigaction now;
  if (sigaction(SIGINT, nullptr, &now) != 0)
    return;
  if (now.sa_sigaction != onInterrupt) {
    if (!(now.sa_flags & SA_SIGINFO) &&
        (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
      return;
    pythonHandler = now;
    now.sa_flags |= SA_SIGINFO;
    now.sa_sigaction = onInterrupt;
    outer = interruptible.exchange(this);
    sigaction(SIGINT, &now, nullptr);
  } else {
    outer = interruptible.exchange(this);
  }
  hooked = true;
}

CancelFlag::CancelFlag(bool polled) {
  if (!polled)
    return;
  {
    std::lock_guard<std::mutex> lock(runningMutex);
    running.push_back(this);
  }
  listed = true;
  hookInterrupts();
}

CancelFlag::~CancelFlag() {
  if (hooked) {
    interruptible = outer;
    struct sigaction now;
    // A print may have run Python code that set another.
    if (!outer && sigaction(SIGINT, nullptr, &now) == 0 &&
        now.sa_sigaction == onInterrupt)
      sigaction(SIGINT, &pythonHandler, nullptr);
  }
  if (listed) {
    std::lock_guard<std::mutex> lock(runningMutex);
    running.erase(std::find(running.begin(), running.end(), this));
  }
}

void cellgrad::python::cancelCalls() {
  std::lock_guard<std::mutex> lock(runningMutex);
  for (CancelFlag *call : running)
    call->set();
}
