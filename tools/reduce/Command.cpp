//===- Command.cpp - a command that ends in time --------------------------===//

#include "tools/reduce/Command.h"

#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace cellgrad::reduce {

/// The leader of the process group that runs, or 0.
static std::atomic<pid_t> running = 0;

static void endOnInterrupt() {
  if (pid_t group = running)
    killpg(group, SIGKILL);
  _exit(128 + SIGINT);
}

/// Whether the child `pid` ends before `deadline`; it can be waited for still.
static bool endsBefore(pid_t pid,
                       std::chrono::steady_clock::time_point deadline) {
  while (true) {
    siginfo_t info = {};
    if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == pid)
      return true;
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

bool succeeds(StringRef command, StringRef path, unsigned seconds) {
  std::string script = (command + " \"$0\"").str();
  std::optional<StringRef> nowhere[] = {StringRef(), StringRef(), StringRef()};
  sys::SetInterruptFunction(endOnInterrupt);
  auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  // Detached, it leads a process group of its own.
  sys::ProcessInfo shell = sys::ExecuteNoWait(
      "/bin/sh", {"sh", "-c", script, path}, std::nullopt, nowhere,
      /*MemoryLimit=*/0, /*ErrMsg=*/nullptr, /*ExecutionFailed=*/nullptr,
      /*AffinityMask=*/nullptr, /*DetachProcess=*/true);
  if (shell.Pid == sys::ProcessInfo::InvalidPid)
    return false;
  running = shell.Pid;
  bool inTime = endsBefore(shell.Pid, deadline);
  if (!inTime)
    killpg(shell.Pid, SIGKILL);
  // The number of the group is not given to another before this.
  sys::ProcessInfo ended = sys::Wait(shell, std::nullopt);
  running = 0;
  return inTime && ended.ReturnCode == 0;
}

} // namespace cellgrad::reduce
