//===- Recorder.h - when the kernels of a call run --------------*- C++ -*-===//

#ifndef CELLGRAD_PYFRONT_RECORDER_H
#define CELLGRAD_PYFRONT_RECORDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cellgrad::python {

/// Nanoseconds of the clock that Python's time.monotonic_ns reads.
int64_t nowNanoseconds();

/// The times of one call of an entry with probes. Calls from print hooks have
/// recorders of their own.
class Recorder {
public:
  /// What all runs of a kernel took.
  struct Total {
    int64_t runs = 0, nanoseconds = 0;
  };
  struct Run {
    int32_t kernel;
    int64_t begin, end;
  };

  /// Keeps the first `mostRuns` runs one by one.
  explicit Recorder(size_t mostRuns) : mostRuns(mostRuns) {}

  /// For cg_context.probe; `user` is the recorder.
  static void probe(int32_t kernel, int32_t begins, void *user);

  int64_t begin = 0, end = 0; ///< of the call
  std::vector<Total> totals;  ///< by the kernels' numbers
  std::vector<Run> runs;

private:
  size_t mostRuns;
  int64_t begun = 0; ///< when the kernel that runs began
};

} // namespace cellgrad::python

#endif
