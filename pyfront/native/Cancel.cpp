//===- Cancel.cpp - calls that end early ----------------------------------===//
//
// Python's handlers of signals run between steps of the interpreter: too late
// for compiled code that does not return. So while such code runs in the main
// thread, the process's handlers are one that does what Python's does and then
// sets the flag of the call. The call finds it at its next poll, and runs
// Python's handlers there.
//
// To replace them takes a microsecond, as long as a small network. So a call
// begins with its flag set, and its polls replace them once it has run for some
// time or has many of them. What came before is found then, as Python remembers
// it.
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

/// The flag of what runs in the main thread, which signals set: not one on the
/// stack, as the signal may be late. A call from a print or a handler of
/// another shares it.
volatile int32_t interrupted;
unsigned interruptibleCalls;

/// What runs for no longer, and polls no more often, leaves the handlers as
/// they are. To ask takes some nanoseconds, as long as a step of a small loop.
constexpr std::chrono::microseconds kShortCall{30};
constexpr int kFewPolls = 16;

/// Signals by which programs are stopped, told to stop, or reminded of time.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGALRM, SIGUSR1};

/// What was found for them, and whether that is replaced.
struct Hook {
  struct sigaction found;
  bool set = false;
} hooks[std::size(kSignals)];

/// The main thread. After a fork it is the one that forked.
pthread_t mainThread;

/// The function of the interpreter that all its handlers in Python go through,
/// or null as long as it is not known.
void (*interpreter)(int);

/// Whether a function in Python handles `signal`, for which the process has
/// `action`.
bool handledInPython(int signal, const struct sigaction &action) {
  if ((action.sa_flags & SA_SIGINFO) || action.sa_handler == SIG_DFL ||
      action.sa_handler == SIG_IGN)
    return false;
  if (!interpreter) {
    nb::object handler =
        nb::module_::import_("_signal").attr("getsignal")(signal);
    if (PyCallable_Check(handler.ptr()))
      interpreter = action.sa_handler;
  }
  return action.sa_handler == interpreter;
}
} // namespace

void cellgrad::python::setMainThread(unsigned long ident) {
  mainThread = static_cast<pthread_t>(ident);
  pthread_atfork(nullptr, nullptr, [] { mainThread = pthread_self(); });
}

void CancelFlag::onSignal(int signal, siginfo_t *, void *) {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (kSignals[i] == signal)
      hooks[i].found.sa_handler(signal);
  interrupted = 1; // now there is something to be found
}

void CancelFlag::hookSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction found;
    if (sigaction(kSignals[i], nullptr, &found) != 0 ||
        !handledInPython(kSignals[i], found))
      continue;
    hooks[i] = {found, true};
    struct sigaction ours = found;
    ours.sa_sigaction = onSignal;
    ours.sa_flags |= SA_SIGINFO;
    sigaction(kSignals[i], &ours, nullptr);
  }
}

void CancelFlag::unhookSignals() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction now;
    // What runs in a call may have set another handler.
    if (hooks[i].set && sigaction(kSignals[i], nullptr, &now) == 0 &&
        (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onSignal)
      sigaction(kSignals[i], &hooks[i].found, nullptr);
    hooks[i].set = false;
  }
}

CancelFlag::CancelFlag(bool polled) {
  if (!polled)
    return;
  if (pthread_equal(pthread_self(), mainThread)) {
    flag = &interrupted;
    interruptible = true;
    began = Clock::now();
    ++interruptibleCalls;
    interrupted = 1; // the first poll asks
  }
  std::lock_guard<std::mutex> lock(runningMutex);
  next = running;
  running = this;
  listed = true;
}

CancelFlag::~CancelFlag() {
  if (listed) {
    std::lock_guard<std::mutex> lock(runningMutex);
    CancelFlag **link = &running;
    while (*link != this)
      link = &(*link)->next;
    *link = next;
  }
  if (!interruptible)
    return;
  if (--interruptibleCalls == 0)
    unhookSignals();
  else
    interrupted = 1; // the flag may have been set for the other: it looks
}

void CancelFlag::raise() {
  if (!error)
    error = std::current_exception();
  set();
}

int32_t CancelFlag::ask(void *user) {
  auto *call = static_cast<CancelFlag *>(user);
  if (!call->interruptible || call->cancelled)
    return 1;
  if (call->asked++ < kFewPolls && Clock::now() - call->began < kShortCall)
    return 0;
  nb::gil_scoped_acquire gil;
  try {
    hookSignals();
    // Whoever sets the flag from here on has it seen at the next poll.
    __atomic_store_n(call->flag, 0, __ATOMIC_SEQ_CST);
    if (call->cancelled)
      return 1;
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    hookSignals(); // those that a handler has set
  } catch (...) {
    call->raise();
  }
  return call->cancelled;
}

void cellgrad::python::cancelCalls() {
  std::lock_guard<std::mutex> lock(runningMutex);
  for (CancelFlag *call = running; call; call = call->next)
    call->set();
}
