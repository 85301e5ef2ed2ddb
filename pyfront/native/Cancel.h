//===- Cancel.h - calls that end early ------------------------------------===//

#ifndef CELLGRAD_PYFRONT_CANCEL_H
#define CELLGRAD_PYFRONT_CANCEL_H

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>

namespace cellgrad::python {

/// What a call may use; 0: no limit. Guarded by the GIL.
struct CallLimits {
  uint64_t trips = 0, stashBytes = 0;
};
extern CallLimits callLimits;

/// The flag of a running call, for as long as the call runs. In the main
/// thread signals set it, too: the call then runs Python's handlers, and ends
/// if one of them raises.
class CancelFlag {
public:
  /// `polled`: the call reads the flag.
  explicit CancelFlag(bool polled);
  ~CancelFlag();
  CancelFlag(const CancelFlag &) = delete;
  CancelFlag &operator=(const CancelFlag &) = delete;

  /// Ends the call at its next poll.
  void set() {
    cancelled = true;
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
  }
  /// Ends the call with the current exception, or with one that is set already.
  void raise();
  /// Throws the exception that ended the call, if one did.
  void rethrow() const {
    if (error)
      std::rethrow_exception(error);
  }
  bool raised() const { return error != nullptr; }

  const volatile int32_t *address() const { return flag; }
  /// What the call asks where it finds the flag set, with `this`: whether to
  /// end.
  static int32_t ask(void *call);

private:
  friend void cancelCalls();
  using Clock = std::chrono::steady_clock;

  static void onSignal(int signal, siginfo_t *info, void *machine);
  static void hookSignals();
  static void unhookSignals();

  volatile int32_t own = 0;
  volatile int32_t *flag = &own;
  std::atomic<bool> cancelled = false;
  std::exception_ptr error;
  bool listed = false;
  bool interruptible = false; ///< by signals
  Clock::time_point began;    ///< where it is interruptible
  std::atomic<int> asked = 0; ///< how often
  CancelFlag *next = nullptr; ///< of those that run
};

/// Cancels all calls that run now, in all threads.
void cancelCalls();

/// Says which thread runs Python's handlers of signals, by its ident.
void setMainThread(unsigned long ident);

} // namespace cellgrad::python

#endif
