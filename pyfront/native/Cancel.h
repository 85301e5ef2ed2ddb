//===- Cancel.h - calls that end early ------------------------------------===//

#ifndef CELLGRAD_PYFRONT_CANCEL_H
#define CELLGRAD_PYFRONT_CANCEL_H

#include <csignal>
#include <cstdint>

namespace cellgrad::python {

/// What a call may use; 0: no limit. Guarded by the GIL.
struct CallLimits {
  uint64_t trips = 0, stashBytes = 0;
};
extern CallLimits callLimits;

/// The flag of a running call, for as long as the call runs. Where Ctrl-C
/// raises KeyboardInterrupt, it also cancels the call of the main thread.
class CancelFlag {
public:
  /// `polled`: the call reads the flag.
  explicit CancelFlag(bool polled);
  ~CancelFlag();
  CancelFlag(const CancelFlag &) = delete;
  CancelFlag &operator=(const CancelFlag &) = delete;

  void set() { *flag = 1; }
  const volatile int32_t *address() const { return flag; }

private:
  friend void cancelCalls();
  static void onInterrupt(int signal, siginfo_t *info, void *machine);
  void hookInterrupts();

  volatile int32_t own = 0;
  volatile int32_t *flag = &own;
  bool listed = false, hooked = false;
  CancelFlag *next = nullptr; ///< of those that run
};

/// Cancels all calls that run now, in all threads.
void cancelCalls();

/// Says which thread runs Python's handlers of signals, by its ident.
void setMainThread(unsigned long ident);

} // namespace cellgrad::python

#endif
